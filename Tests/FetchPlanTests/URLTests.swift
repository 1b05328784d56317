// URLs: values can't break out of their places, and the spec's own characters stay as they stand.

import Primitives
import JSONText
import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct URLTests {
  static let record = JSONValue.record(
    #"{"id":7,"s":"a b","slash":"../../x","q":"a&b=c#d?e","uni":"é😀","dot":".","dots":"..","empty":"","fragment":"\u0023a","pct":"%2e%2E","colon":"javascript:x","url":"https://api.example.com/v2/x?y=1#z","#
      + #""rel":"items/9?p=1","other":"https://evil.example/x","cdn":"https://files.example.com/a b","plain":"http://files.example.com/","port":"http://h:8080/x","#
      + #""ftp":"ftp://api.example.com/","cred":"https://u:p@api.example.com/","net":"//evil.example/x","bad":"https://","ids":[1,"b c",null,true],"nested":[[1]],"nul":"a\u0000b"}"#
  )

  static let endpoints: [(endpoint: String, url: String)] = [
    // Literal text stays as it stands; what may not stand in a URL is encoded once.
    ("items", "https://api.example.com/v1/items"), ("", "https://api.example.com/v1/"),
    ("../v2/items", "https://api.example.com/v2/items"), ("/items/", "https://api.example.com/items/"),
    ("https://other.example/a?b", "https://other.example/a?b"), ("//other.example", "https://other.example/"),
    ("a b/é?q=x y&r=%20%zz&s[]=1#frag", "https://api.example.com/v1/a%20b/%C3%A9?q=x%20y&r=%20%zz&s[]=1"),
    ("?q=1", "https://api.example.com/v1/?q=1"), ("list?", "https://api.example.com/v1/list?"),
    ("list?url=http://[::1]/", "https://api.example.com/v1/list?url=http://[::1]/"),
    // Values.
    ("items/${input.id}/x", "https://api.example.com/v1/items/7/x"),
    ("${input.s}/x", "https://api.example.com/v1/a%20b/x"),
    ("items/${input.slash}", "https://api.example.com/v1/items/..%2F..%2Fx"),
    ("items/${input.q}", "https://api.example.com/v1/items/a%26b%3Dc%23d%3Fe"),
    ("items/${input.uni}", "https://api.example.com/v1/items/%C3%A9%F0%9F%98%80"),
    ("items/${input.pct}", "https://api.example.com/v1/items/%252e%252E"),
    ("items/${input.nul}", "https://api.example.com/v1/items/a%00b"),
    ("${input.colon}/x", "https://api.example.com/v1/javascript%3Ax/x"),
    ("items/%${input.id}1", "https://api.example.com/v1/items/%2571"),
    ("items/x${input.empty}", "https://api.example.com/v1/items/x"),
    ("items/${input.id}:publish", "https://api.example.com/v1/items/7:publish"),
    ("items/${input.dot}x", "https://api.example.com/v1/items/.x"),
    ("./${input.id}:go", "https://api.example.com/v1/7:go"),
    ("a?x=${input.q}&y=${input.s}#${input.id}", "https://api.example.com/v1/a?x=a%26b%3Dc%23d%3Fe&y=a%20b"),
    ("a?x=${input.no?}&y=1", "https://api.example.com/v1/a?y=1"),
    ("a?y=1&x=a${input.no?}b", "https://api.example.com/v1/a?y=1"),
    ("a?x=${input.no?}", "https://api.example.com/v1/a"), ("a?x=${input.empty}", "https://api.example.com/v1/a?x="),
    ("https://${param.host}.example.com:1${param.n}/x", "https://eu-1.example.com:15/x"),
    ("HTTPS://${param.host}/${input.slash}", "https://eu-1/..%2F..%2Fx"),
    // A whole URL from a value.
    ("${input.url}", "https://api.example.com/v2/x?y=1"), ("${input.rel}", "https://api.example.com/v1/items/9?p=1"),
    ("${input.cdn}", "https://files.example.com/a%20b"), ("${input.port}", "http://h:8080/x"),
    ("${input.slash}", "https://api.example.com/x"), ("${param.text}", "https://api.example.com/v1/a%20b"),
  ]

  @Test("Endpoints", arguments: endpoints)
  func endpoint(endpoint: String, url: String) throws {
    let plan = try makePlan(Self.job(endpoint))
    #expect(try plan.request(for: Self.record).url == Redactable(url))
  }

  private static func job(_ endpoint: String) -> Job {
    makeJob(Template(endpoint)) { job in
      job.hosts = [
        .init(scheme: "https", host: "files.example.com", port: 443), .init(scheme: "http", host: "h", port: 8080),
      ]
    }
  }

  static let refused: [(endpoint: String, template: String, problem: String)] = [
    ("items/${input.empty}", "${input.empty}", "it makes a path segment empty, and the URL would lead elsewhere"),
    ("items/${input.dot}", "${input.dot}", "it makes a path segment '.', and the URL would lead elsewhere"),
    ("items/${input.dots}/x", "${input.dots}", "it makes a path segment '..', and the URL would lead elsewhere"),
    ("items/.${input.dot}?x", "${input.dot}", "it makes a path segment '..', and the URL would lead elsewhere"),
    ("items/%2e${input.dot}#", "${input.dot}", "it makes a path segment '..', and the URL would lead elsewhere"),
    ("items/.${input.empty}/", "${input.empty}", "it makes a path segment '.', and the URL would lead elsewhere"),
    (
      "${input.empty}/evil.example", "${input.empty}",
      "it makes a path segment empty, and the URL would lead elsewhere"
    ),
    (
      "/${input.empty}/evil.example", "${input.empty}",
      "it makes a path segment empty, and the URL would lead elsewhere"
    ),
    (
      "${input.empty}${input.empty}", "${input.empty}",
      "it makes a path segment empty, and the URL would lead elsewhere"
    ),
    (
      "${input.url}?x=1", "${input.url}",
      "a URL from a value must be the whole endpoint; put query items into 'query'"
    ),
    (
      "items/${input.no?}", "${input.no?}",
      "the value is missing, and a path segment can't be empty; give a default: ${…:-text}"
    ),
    (
      "${input.no?}", "${input.no?}",
      "the value is missing, and 'endpoint' is nothing else; give a default: ${…:-text}"
    ),
    (
      "${input.empty}", "${input.empty}",
      "the value is empty, and 'endpoint' is nothing else; give a default: ${…:-text}"
    ),
    (
      "${input.fragment}", "${input.fragment}",
      "the value is empty, and 'endpoint' is nothing else; give a default: ${…:-text}"
    ),
    (
      "items/${input.ids}", "${input.ids}",
      "the value is an array; make it a whole item of 'query', which repeats, or join its elements by ':,' "
        + "after its name"
    ),
    (
      "${input.other}", "${input.other}",
      "'https://evil.example/x' is on another origin than 'https://api.example.com'; add 'evil.example' to 'hosts'"
    ),
    (
      "${input.net}", "${input.net}",
      "'https://evil.example/x' is on another origin than 'https://api.example.com'; add 'evil.example' to 'hosts'"
    ),
    (
      "${input.plain}", "${input.plain}",
      "'http://files.example.com/' is on another origin than 'https://api.example.com'; add 'http://files.example.com' to 'hosts'"
    ),
    (
      "${input.ftp}", "${input.ftp}",
      "'ftp://api.example.com/' is not an http or https URL with a host of ASCII letters, digits, '-' and '.'"
    ),
    (
      "${input.bad}", "${input.bad}",
      "'https://' is not an http or https URL with a host of ASCII letters, digits, '-' and '.'"
    ),
    (
      "${input.cred}", "${input.cred}",
      "it gives no URL that can be fetched: credentials can't stand in one, send them in 'headers'"
    ),
  ]

  @Test("Values that would lead elsewhere are refused", arguments: refused)
  func refuses(endpoint: String, template: String, problem: String) throws {
    let plan = try makePlan(Self.job(endpoint))
    let fault = faultOf { () throws(ParameterError) in try plan.request(for: Self.record) }
    #expect(fault?.problem == problem)
    #expect(fault?.template == template)
    #expect(fault?.isConfiguration == false)
  }

  static let impossible: [(endpoint: String, base: String?, problem: String)] = [
    ("${input.id}:x", "https://h/", "a template can't supply a URL's scheme; write './' before it if it is a path"),
    (
      "${param.host}://h/", "https://h/", "a template can't supply a URL's scheme; write './' before it if it is a path"
    ),
    ("https://${input.id}/", "https://h/", "only a parameter can stand in a host; read it as '${param.name}'"),
    ("https://${env.ab}.h/", nil, "only a parameter can stand in a host; read it as '${param.name}'"),
    ("//${input.id}/", "https://h/", "only a parameter can stand in a host; read it as '${param.name}'"),
    ("https://${param.evil}/", nil, "in a host, a parameter is made of ASCII letters, digits, '-' and '.'"),
    (
      "https://h:${param.host}/", nil,
      "'https://h:eu-1/' is not an http or https URL with a host of ASCII letters, digits, '-' and '.'"
    ),
    (
      "items/${input.id}", nil,
      "'items/x' is not an http or https URL with a host of ASCII letters, digits, '-' and '.'; it is relative, and there is no 'base'"
    ),
    (
      "x", "mailto:x",
      "'mailto:x' is not an http or https URL with a host of ASCII letters, digits, '-' and '.'; it is relative, and there is no 'base'"
    ),
    (
      "ftp://h/", "https://h/",
      "'ftp://h/' is not an http or https URL with a host of ASCII letters, digits, '-' and '.'"
    ),
    (
      "https://u:pw@h/", nil,
      "it gives no URL that can be fetched: credentials can't stand in one, send them in 'headers'"
    ),
    (
      "${param.text}", nil,
      "'a b' is not an http or https URL with a host of ASCII letters, digits, '-' and '.'; it is relative, and there is no 'base'"
    ),
    (
      "items/${env.NO}", "https://h/",
      "the environment variable 'NO' is not set or empty; set it, or give a default: ${env.NO:-…}"
    ),
    (
      "items/${param.empty}", "https://h/",
      "the parameter 'empty' is empty; give empty=VALUE on the command line, or a default: ${param.empty:-…}"
    ),
    ("items/${param.empty:-}", "https://h/", "it makes a path segment empty, and the URL would lead elsewhere"),
  ]

  @Test("What can be known before any request is a fault of the spec", arguments: impossible)
  func refusesAtOnce(endpoint: String, base: String?, problem: String) {
    let job = makeJob(Template(endpoint), base: base.map { Template($0) })
    let fault = faultOf { () throws(ParameterError) in try makePlan(job) }
    #expect(fault?.problem == problem)
    #expect(fault?.isConfiguration == true)
  }

  @Test("A base may hold parameters and variables")
  func base() throws {
    let job = makeJob("x", base: "https://${param.host}.example.com/${env.KEY}/")
    let request = try makePlan(job).request(for: nil)
    #expect(request.url.text == "https://eu-1.example.com/s3cr%20et%2F1/x")
    #expect(request.url.redacted == "https://eu-1.example.com/***/x")
    #expect(request.allowedOrigins == [Origin(scheme: "https", host: "eu-1.example.com", port: 443)])
  }

  // MARK: Query

  private func query(_ items: [(String, [TemplateValue])], endpoint: Template = "x") throws -> Redactable {
    let job = makeJob(endpoint, base: "https://h/") { job in
      job.query = items.map { .init(name: $0.0, values: $0.1) }
      job.hosts = [.init(scheme: "https", host: "files.example.com", port: 443)]
    }
    return try makePlan(job).request(for: Self.record).url
  }

  @Test("Query items keep their order, and all but unreserved characters are encoded")
  func queryItems() throws {
    let url = try query([
      ("b", ["2"]), ("a b", ["x y", "${input.q}"]), ("page[size]", [100]), ("none", ["${input.no?}"]),
      ("mixed", ["a-${input.no?}"]), ("ids", ["${input.ids}"]), ("f", [.constant(.record("true"), spelling: "True")]),
      ("hex", [.constant(JSONValue(31), spelling: "0x1F")]), ("e", ["${input.empty}"]),
      ("z", [.constant(.null, spelling: "~")]),
    ])
    #expect(
      url.text
        == "https://h/x?b=2&a%20b=x%20y&a%20b=a%26b%3Dc%23d%3Fe&page%5Bsize%5D=100&ids=1&ids=b%20c&ids=true&f=True&hex=0x1F&e="
    )
  }

  @Test("Query items are added to a query that the endpoint has")
  func addedQuery() throws {
    #expect(try query([("a", ["1"])], endpoint: "x?b=2").text == "https://h/x?b=2&a=1")
    #expect(try query([("a", ["1"])], endpoint: "x?").text == "https://h/x?a=1")
    #expect(try query([("a", ["1"])], endpoint: "x?b&").text == "https://h/x?b&a=1")
    #expect(try query([("a", ["1"])], endpoint: "x#f").text == "https://h/x?a=1")
    #expect(try query([("a", ["1"])], endpoint: "${input.cdn}").text == "https://files.example.com/a%20b?a=1")
    #expect(try query([]).text == "https://h/x")
  }

  @Test("Arrays in arrays and objects are no query values")
  func queryFaults() throws {
    #expect(throws: ParameterError.self) { try query([("a", ["${input.nested}"])]) }
    #expect(throws: ParameterError.self) { try query([("a", ["x${input.ids}"])]) }
    #expect(throws: ParameterError.self) { try query([("a", ["${input}"])]) }
  }

  @Test("Secrets in a URL are shown as ***")
  func secretQuery() throws {
    let url = try query([("key", ["${env.KEY}"]), ("k2", ["a${env.ab}"])], endpoint: "p/${env.KEY}?k=${env.ab}")
    #expect(url.text == "https://h/p/s3cr%20et%2F1?k=x&key=s3cr%20et%2F1&k2=ax")
    #expect(url.redacted == "https://h/p/***?k=***&key=***&k2=a***")
  }

  @Test("A URL that is a secret as a whole is shown by its origin")
  func secretURL() throws {
    var values = run
    values.environment["URL"] = "https://h/hook/abc?t=1"
    let job = makeJob("${env.URL}", base: "https://h/") { $0.query = [.init(name: "a", values: ["1"])] }
    let plan = try JobPlan(job: job, specName: "t", run: values, userAgent: "u")
    let url = try plan.request(for: nil).url
    #expect(url.text == "https://h/hook/abc?t=1&a=1")
    #expect(!url.redacted.contains("abc") && url.redacted.hasPrefix("https://h/***"))
  }

  @Test("Secrets stay at the job's own origin: another one gets neither secret headers nor secret query items")
  func foreignOrigin() throws {
    var job = makeJob("${input.cdn}") { job in
      job.hosts = [.init(scheme: "https", host: "files.example.com", port: 443)]
      job.headers = [.init(name: "Authorization", value: "Bearer ${env.KEY}"), .init(name: "X-Plain", value: "1")]
      job.query = [.init(name: "key", values: ["${env.ab}"]), .init(name: "q", values: ["1"])]
    }
    let away = try makePlan(job).request(for: Self.record)
    #expect(away.url == Redactable("https://files.example.com/a%20b?q=1"))
    #expect(away.fields["Authorization"] == nil)
    #expect(away.fields["X-Plain"] == "1")
    #expect(away.allowedOrigins.contains(Origin(scheme: "https", host: "api.example.com", port: 443)))

    job.endpoint = "${input.url}"
    let home = try makePlan(job).request(for: Self.record)
    #expect(home.url.text == "https://api.example.com/v2/x?y=1&key=x&q=1")
    #expect(home.url.redacted == "https://api.example.com/v2/x?y=1&key=***&q=1")
    #expect(home.fields["Authorization"] == "Bearer s3cr et/1")

    job.endpoint = "${input.cdn}"
    job.body = ["token": "${env.KEY}"]
    let plan = try makePlan(job)
    #expect(throws: ParameterError.self) { try plan.request(for: Self.record) }
  }
}
