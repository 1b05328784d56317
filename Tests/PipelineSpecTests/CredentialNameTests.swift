// Credentials that are known by their names.

import PipelineSpec
import Testing

@Suite("Names of credentials")
struct CredentialNameTests {
  @Test(
    "a query item with the name of a credential is masked wherever a URL stands in a text",
    arguments: [
      ("https://a.test/?X-Amz-Signature=ab&part=2", "https://a.test/?X-Amz-Signature=***&part=2"),
      (
        "page 1 leads to 'https://a.test/x?sv=3&sig=0aF3b9c2d8e7%3D', on",
        "page 1 leads to 'https://a.test/x?sv=3&sig=***', on"
      ),
      ("a?api_key=b#c and d?access_token=e\nf?password=g", "a?api_key=***#c and d?access_token=***\nf?password=***"),
      (
        #"{"url":"http://a/?X-Goog-Signature=1","b":"c?client_secret=d"}"#,
        #"{"url":"http://a/?X-Goog-Signature=***","b":"c?client_secret=***"}"#
      ),
    ])
  func masked(_ text: String, _ expected: String) {
    #expect(CredentialName.masking(urlsIn: text) == expected)
  }

  @Test(
    "cursors, templates, settings and other texts stay",
    arguments: [
      "https://a.test/?pageToken=t0k3n12345678&page=2", "a?key=name", "a?sig=", "is it? a=b & api_key=c", "api_key=b",
      "a?api_key=${env.KEY}", "a?api_key=***&b=c", "why?&=&?==", "a?token=5", "or '?api_key=KEY' in", "",
    ])
  func kept(_ text: String) {
    #expect(CredentialName.masking(urlsIn: text) == text)
  }
}
