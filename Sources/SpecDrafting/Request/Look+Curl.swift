// A curl command line, as browsers copy it.

package import Engine
import Diagnostics
import Wire

extension Look {
  /// Reads the arguments of curl, without `curl` itself.
  ///
  /// - Throws: `SpecError` for an option that changes the request, and that a spec can't express.
  package init(curl arguments: some Sequence<String>) throws(SpecError) {
    self.init()
    var rest = Array(arguments)[...]
    if rest.contains(where: { $0.hasPrefix("^") }) {
      throw SpecError(messages: [Self.quotedForWindows("the curl command")])
    }
    var data: [String] = []
    var (isQuery, isInsecure) = (false, false)
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("-"), argument != "-" else {
        try take(url: argument)
        continue
      }
      let (name, attached) = Self.parts(of: argument)
      if Self.switches.contains(name) {
        // Letters of several switches: `-sS`.
        if let attached, !attached.isEmpty { rest = ["-" + attached] + rest }
        if ["-G", "--get"].contains(name) { isQuery = true }
        if ["-k", "--insecure"].contains(name) { isInsecure = true }
        continue
      }
      if ["--cacert", "--cert", "-E", "--key"].contains(name) {
        throw SpecError(messages: [
          "curl's '\(name)' is a key of the spec: leave it out, and write 'tls: { ca: FILE }' or 'tls: { certificate: FILE, key: FILE }'"
        ])
      }
      guard let kind = Self.options[name] else {
        throw SpecError(messages: [
          // A text after '=' may be a secret.
          "curl's '\(String(name.prefix { $0 != "=" }).printable)' is not understood: leave it out, or write the spec by hand"
        ])
      }
      guard let value = attached ?? rest.popFirst() else {
        throw SpecError(messages: ["curl's '\(name.printable)' lacks its value"])
      }
      try take(kind, name, value, &data)
    }
    try finish(data, isQuery: isQuery, isInsecure: isInsecure)
  }

  /// Returns an option's name, and the value that follows a letter directly, such as `POST` in `-XPOST`.
  private static func parts(of argument: String) -> (name: String, attached: String?) {
    guard !argument.hasPrefix("--"), argument.count > 2 else { return (argument, nil) }
    return (String(argument.prefix(2)), String(argument.dropFirst(2)))
  }

  /// Applies an option with its value; adds the text of a body to `data`.
  private mutating func take(
    _ kind: Kind, _ name: String, _ value: String, _ data: inout [String]
  ) throws(SpecError) {
    switch kind {
    case .header: if !Self.isOfBrowser(value) { headers.append(value) }
    case .method: method = value
    case .user: user = value
    case .url: try take(url: value)
    case .cookie where !value.contains("="):
      throw SpecError(messages: [
        "curl's '\(name) FILE' is not understood: give the cookies themselves, as 'NAME=VALUE'"
      ])
    case .cookie:
      // curl joins the cookies of all these options.
      if let index = headers.firstIndex(where: { $0.hasPrefix("Cookie: ") }) {
        headers[index] += "; " + value
      } else {
        headers.append("Cookie: " + value)
      }
    case .bearer: headers.append("Authorization: Bearer " + value)
    case .agent: headers.append("User-Agent: " + value)
    case .referer: headers.append("Referer: " + value)
    case .data, .json, .encoded:
      guard !value.hasPrefix("@") || name == "--data-raw" else {
        throw SpecError(messages: ["curl's '\(name) @FILE' is not understood: give the text itself"])
      }
      data.append(kind == .encoded ? try Self.encoded(value) : value)
      if kind == .json { headers += ["Content-Type: application/json", "Accept: application/json"] }
    case .ignored: break
    }
  }

  /// Returns a text of `--data-urlencode`: `name=content`, `=content` or `content`, of which the content is encoded.
  private static func encoded(_ value: String) throws(SpecError) -> String {
    guard let mark = value.firstIndex(of: "=") else {
      guard !value.contains("@") else {
        throw SpecError(messages: ["curl's '--data-urlencode NAME@FILE' is not understood: give the text itself"])
      }
      return value.percentEncoded
    }
    let name = value[..<mark]
    return (name.isEmpty ? "" : name + "=") + String(value[value.index(after: mark)...]).percentEncoded
  }

  /// Puts the texts of `-d` into the URL or the body, and checks the URL.
  private mutating func finish(_ data: [String], isQuery: Bool, isInsecure: Bool) throws(SpecError) {
    if isQuery {
      url += (url.contains("?") ? "&" : "?") + data.joined(separator: "&")
    } else if !data.isEmpty {
      body = data.joined(separator: "&")
    }
    if url.isEmpty { throw SpecError(messages: ["the curl command has no URL"]) }
    if !url.contains("://") { url = "\(Self.likelyScheme(of: url))://\(url)" }
    hasNeedlessSwitch = isInsecure
    if isInsecure, url.hasPrefix("https:") {
      throw SpecError(messages: [
        "curl's '-k' would trust any server, which no spec can say: leave it out, set CURL_CA_BUNDLE to the file of the "
          + "authority's certificate, and write 'tls: { ca: FILE }' in the spec"
      ])
    }
  }

  private mutating func take(url other: String) throws(SpecError) {
    guard url.isEmpty else {
      throw SpecError(messages: [
        "the curl command has two URLs, or a value without its option: a spec is made of one URL"
      ])
    }
    url = other
  }

  private enum Kind { case header, method, user, url, cookie, bearer, agent, referer, data, json, encoded, ignored }

  private static let options: [String: Kind] = [
    "-H": .header, "--header": .header, "-X": .method, "--request": .method, "-u": .user, "--user": .user,
    "--url": .url,
    "--oauth2-bearer": .bearer, "-b": .cookie, "--cookie": .cookie, "-A": .agent, "--user-agent": .agent,
    "-e": .referer, "--referer": .referer,
    "-d": .data, "--data": .data, "--data-raw": .data, "--data-binary": .data, "--data-ascii": .data, "--json": .json,
    "--data-urlencode": .encoded,
    "-o": .ignored, "--output": .ignored, "-m": .ignored, "--max-time": .ignored, "--connect-timeout": .ignored,
    "--retry": .ignored, "-w": .ignored, "--write-out": .ignored,
  ]

  /// Switches, of which only `-G` and `-k` have an effect here.
  private static let switches: Set = [
    "-s", "--silent", "-S", "--show-error", "-L", "--location", "-i", "--include", "-f", "--fail", "--fail-with-body",
    "-v",
    "--verbose", "--compressed", "-g", "--globoff", "-N", "--no-buffer", "--http1.1", "--http2", "-#", "--progress-bar",
    "-O",
    "--path-as-is", "-4", "-6", "-G", "--get", "-k", "--insecure",
  ]

  /// Reports that a header line is a browser's own field; libcurl has its own `Accept-Encoding`.
  private static func isOfBrowser(_ line: String) -> Bool {
    let name = line.prefix { $0 != ":" }.lowercased()
    return name.hasPrefix("sec-")
      || [
        "accept-encoding", "connection", "content-length", "host", "te", "priority", "upgrade-insecure-requests", "dnt",
        "cache-control", "pragma", "if-none-match", "if-modified-since",
      ].contains(name)
  }
}
