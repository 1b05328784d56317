// Answers that have an error and no other content, and data that only looks so.

import JSONText
import Testing

@testable import FetchPlan

@Suite struct ErrorAnswerTests {
  private func error(_ answer: String) throws -> ErrorAnswer? {
    ErrorAnswer(try JSONValue(parsing: Array(answer.utf8)).members.map { ($0.name, $0.value) })
  }

  @Test(
    "An answer that has an error and no other content is found, and 'failure' reads it",
    arguments: [
      (#"{"code":401,"message":"Unauthorized"}"#, "{ body.code: { above: 399 } }"),
      (#"{"error":{"code":17,"message":"bad key"},"data":null}"#, "body.error"),
      (#"{"errors":[{"message":"x"}]}"#, "body.errors"),
      (#"{"status":"error","message":"quota"}"#, "{ body.status: error }"),
      (#"{"success":false,"data":[]}"#, "{ body.success: false }"),
      (#"{"Message":"Authorization has been denied for this request."}"#, "body.Message"),
      (#"{"fault":{"faultstring":"Invalid ApiKey","detail":{"errorcode":"x"}}}"#, "body.fault"),
      (#"{"type":"about:blank","title":"Not Found","status":404,"detail":"no"}"#, "{ body.status: { above: 399 } }"),
      (#"{"statusCode":429,"message":"Rate limit is exceeded."}"#, "{ body.statusCode: { above: 399 } }"),
      (#"{"errcode":40001,"errmsg":"invalid credential"}"#, "body.errcode"),
      (#"{"result":"fail"}"#, "{ body.result: fail }"),
      (#"{"exception":"Code: 241"}"#, "body.exception"),
      (#"{"__type":"ThrottlingException","message":"Rate exceeded"}"#, "body.message"),
      (#"{"detail":"Not found."}"#, "body.detail"),
      (#"{"cod":"401","message":"Invalid API key"}"#, #"{ body.cod: "401" }"#),
      (#"{"Response":"False","Error":"Movie not found!"}"#, "body.Error"),
      (#"{"stat":"fail","code":100,"message":"Invalid API Key"}"#, "{ body.stat: fail }"),
      (#"{"ok":false,"error_code":401,"description":"Unauthorized"}"#, "{ body.ok: false }"),
      (
        #"{"errorCode":"E0000011","errorSummary":"Invalid token","errorLink":"x","errorId":"y","errorCauses":[]}"#,
        "body.errorCode"
      ),
      (#"{"ret":-1,"msg":"no such user"}"#, "body.msg"),
      (#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"x"}}"#, "body.error"),
      (
        #"{"meta":{"code":400,"errorType":"param_error","errorDetail":"x"},"response":{}}"#,
        "{ body.meta.code: { above: 399 } }"
      ),
      (#"{"message":"Bad credentials","documentation_url":"https://docs"}"#, "body.message"),
      (
        #"{"timestamp":"2024","status":500,"error":"Internal Server Error","path":"/x"}"#,
        "{ body.status: { above: 399 } }"
      ),
      (#"{"errorMessages":["no project"],"errors":{}}"#, "body.errorMessages"),
    ])
  func errors(answer: String, failure: String) throws {
    #expect(try error(answer)?.failure() == failure)
  }

  @Test(
    "An answer with data, or one that says that all is well, is not an error",
    arguments: [
      #"{"id":1,"status":"failed","error":"no disk"}"#, #"{"status":"ok"}"#, #"{"status":"success","message":"done"}"#,
      #"{"code":0,"message":"ok","data":{"a":1}}"#, #"{"code":200,"message":"nothing new"}"#,
      #"{"code":"US","name":"United States"}"#,
      #"{"id":7,"message":"hello"}"#, #"{"message":{"terrier":["a"]},"status":"success"}"#,
      #"{"message":["a.jpg"],"status":"success"}"#,
      #"{"title":"a","description":"b"}"#, #"{"error":null,"errors":[]}"#, #"{"errors":0,"warnings":0}"#,
      #"{"result":450}"#,
      #"{"success":10,"failure":2}"#, #"{"status":"processing"}"#, #"{"data":[]}"#, "{}", #"{"type":"a","path":"/b"}"#,
      #"{"job":{"status":"failed","id":3}}"#, #"{"name":"x","message":"y"}"#,
      #"{"success":true,"message":"You are in"}"#,
      #"{"timestamp":1,"message":"a line of a log"}"#,
    ])
  func data(answer: String) throws {
    #expect(try error(answer) == nil)
  }
}
