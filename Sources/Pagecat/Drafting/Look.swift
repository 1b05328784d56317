// What is asked for a draft, as curl's options say it, and which of it is secret.

import Diagnostics
import JSONText
import Wire

/// One request, from which a spec is to be written.
package struct Look: Sendable {
  package var url = ""
  package var method: String?
  /// Header fields, each a line `Name: value`.
  package var headers: [String] = []
  /// `USER:PASSWORD`.
  package var user: String?
  package var body: String?

  package init() {}

  /// Takes URL, method and body from a recording's first request, or from the first one to the URL that was given.
  package mutating func take(fromFirstIn har: [UInt8]) {
    let entries = (try? JSONValue(parsing: har))?["log"]?["entries"]
    let request = entries?.elements.lazy.compactMap { $0["request"] }.first { [url] request in
      url.isEmpty || request["url"]?.string == url
    }
    guard let request else { return }
    url = request["url"]?.string ?? ""
    method = method ?? request["method"]?.string
    body = body ?? request["postData"]?["text"]?.string
  }

  /// Why the request can't be made into a spec; nil if it can.
  package var problem: String? {
    guard url.hasPrefix("https://") || url.hasPrefix("http://") else {
      return "'\(url.printable)' is no URL: begin it with 'https://'"
    }
    if url.split(separator: "/").dropFirst().first?.contains("@") == true {
      return "give the user of the URL with '-u'"
    }
    if user?.isEmpty == true { return "-u takes USER:PASSWORD, and was given nothing" }
    // It may be a secret, and is not repeated.
    if headers.contains(where: { !$0.contains(":") || $0.hasPrefix(":") }) {
      return "-H takes 'Name: value', and not that"
    }
    return nil
  }

  /// The header fields, without blanks around their values.
  var fields: [(name: String, value: String)] {
    headers.map { line in
      let colon = line.firstIndex(of: ":") ?? line.endIndex
      return (String(line[..<colon]), line[colon...].dropFirst().drop { $0 == " " }.trimmedAtEnd)
    }
  }

  var contentType: String? { fields.first { $0.name.lowercased() == "content-type" }?.value.lowercased() }
}

extension Substring {
  fileprivate var trimmedAtEnd: String {
    var text = self
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text)
  }
}
