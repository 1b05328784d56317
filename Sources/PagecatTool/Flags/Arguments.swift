// Parses a command line by the conventions of POSIX and GNU: `--name value`, `--name=value`, `-qv`, `--`, `-`.

import Diagnostics
import Primitives

/// A parsed command line.
struct Arguments {
  /// Kind of a command line: a command with operands and flags, or `help` or `version` anywhere in it.
  enum Reading: Equatable {
    case run
    case help
    case version
  }

  private let flags: [Flag]
  private(set) var invocation = Invocation()
  private(set) var reading = Reading.run

  /// Parses the arguments.
  ///
  /// - Throws: `UsageError` for an unknown flag, or a value that is missing, unwanted or wrong.
  init(_ arguments: some Sequence<String>, flags: [Flag]) throws(UsageError) {
    self.flags = flags
    var rest = Array(arguments)[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        invocation.operands += rest
        return
      } else if argument.hasPrefix("--") {
        try long(argument.dropFirst(2), &rest)
      } else if argument.hasPrefix("-"), argument != "-" {
        try short(argument.dropFirst(), &rest)
      } else {
        invocation.operands.append(argument)
      }
      if reading != .run { return }
    }
  }

  private mutating func long(_ argument: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
    let (name, value): (String, String?) = argument.splitAtEquals ?? (String(argument), nil)
    if value == nil, enquiry(name) { return }
    guard let flag = flags.first(where: { $0.name == name }) else { throw unknown("--\(name)") }
    if flag.value == nil {
      guard value == nil else { throw UsageError(message: "--\(name) takes no value: write only '--\(name)'") }
      try flag.apply(&invocation, "")
    } else {
      let value = if let value { value } else { try following(&rest, "--\(name)", flag) }
      try flag.apply(&invocation, value)
    }
  }

  private mutating func short(_ letters: Substring, _ rest: inout ArraySlice<String>) throws(UsageError) {
    var letters = letters
    while let letter = letters.popFirst() {
      if letter == "h", enquiry("help") { return }
      guard let flag = flags.first(where: { $0.short == letter }) else { throw unknown("-\(letter)") }
      if flag.value == nil {
        try flag.apply(&invocation, "")
      } else {
        try flag.apply(&invocation, letters.isEmpty ? try following(&rest, "-\(letter)", flag) : String(letters))
        return
      }
    }
  }

  private func following(_ rest: inout ArraySlice<String>, _ name: String, _ flag: Flag) throws(UsageError) -> String {
    guard let value = rest.popFirst() else {
      throw UsageError(message: "\(name) needs a value: \(name) \(flag.value ?? "")")
    }
    return value
  }

  private mutating func enquiry(_ name: String) -> Bool {
    switch name {
    case "help": reading = .help
    case "version": reading = .version
    default: return false
    }
    return true
  }

  private func unknown(_ flag: String) -> UsageError {
    let name = flag.drop { $0 == "-" }
    if flag.hasPrefix("--"), let now = Self.former[String(name)], flags.contains(where: { $0.name == now }) {
      return UsageError(message: "'\(flag)' is called '--\(now)'")
    }
    if takesParameters, let error = Self.misplaced(flag) { return error }
    let near = nearest(to: String(name), in: flags.map(\.name))
    let isWord = name.utf8.allSatisfy { $0 == 0x5F || $0.isLetterOrDigit }
    // `--token X` may be meant as `token=X`.
    let isParameter = takesParameters && flag.hasPrefix("--") && isWord && near.map { $0.hasPrefix(name) } != false
    var message = "unknown option '\(flag.printable)'"
    if let near { message += "; did you mean '--\(near)'?" }
    if isParameter { message += "\(near == nil ? "; a" : " A") parameter of the spec is written \(name)=VALUE" }
    return UsageError(message: message)
  }

  /// True if the command runs a spec.
  private var takesParameters: Bool { flags.contains { $0.name == Flag.maxRecords.name } }

  /// Options of before, and how they are called now.
  private static let former = ["limit": "max-records", "pages": "max-pages", "once": "first"]

  /// Returns the error for an option of curl beside a spec; nil for another option.
  static func misplaced(_ flag: String) -> UsageError? {
    ofCurl[flag].map { UsageError(message: "unknown option '\(flag.printable)'; \($0)") }
  }

  /// Advice about curl's options, by their names.
  private static let ofCurl: [String: String] = {
    let keys = [
      (["-H", "--header"], "header fields stand in the spec, in 'headers' or 'auth'"),
      (
        ["-d", "--data", "--data-raw", "--json", "-F", "--form"],
        "a body stands in the spec, in 'body', 'form' or 'text'"
      ),
      (["-X", "--request"], "the method stands in the spec, in 'method'"),
      (["-G", "--get", "--data-urlencode"], "query items stand in the spec, in 'query'"),
      (["-u", "--user"], "credentials stand in the spec, in 'auth'"),
      (["-A", "--user-agent", "-b", "--cookie", "-e", "--referer"], "header fields stand in the spec, in 'headers'"),
      (["-s", "--silent", "-S"], "-q keeps quiet"), (["-i", "--include", "-I", "--head"], "-vv shows header fields"),
      (["-L", "--location", "--compressed"], "pagecat does that always"),
      (["-k", "--insecure", "--cacert", "-E", "--cert"], "certificates stand in the spec, in 'tls'"),
      (["-m", "--max-time", "--connect-timeout"], "it stands in the spec, as 'timeout'"),
      (["--retry"], "see 'retry' in the spec"),
      (["-f", "--fail"], "pagecat does that always"), (["--dry-run", "-n"], "'pagecat plan' shows the requests"),
    ]
    return Dictionary(keys.flatMap { names, advice in names.map { ($0, advice) } }) { $1 }
  }()
}

extension Arguments {
  /// Returns the texts of arguments as the process got them.
  ///
  /// - Parameter arguments: each with U+FFFD for bytes that are not UTF-8, and whether all of it is text.
  /// - Throws: `UsageError` for the first one that is not: its text could be neither sent nor opened.
  static func texts(_ arguments: [(text: String, isText: Bool)]) throws(UsageError) -> [String] {
    guard let index = arguments.firstIndex(where: { !$0.isText }) else { return arguments.map(\.text) }
    let name = arguments[index].text.splitAtEquals?.0
    let subject =
      if let name, !name.contains("\u{FFFD}") {
        "the value of '\(name.printable)'"
      } else {
        "argument \(index + 1)" + (index > 0 ? ", after '\(arguments[index - 1].text.printable)'," : "")
      }
    throw UsageError(message: "\(subject) is not UTF-8, so it can't be sent as it is: write it in UTF-8")
  }
}

extension StringProtocol {
  /// The parts before and after the first `=`.
  ///
  /// The search is by bytes: to Swift, `=` and a combining mark are one character.
  var splitAtEquals: (String, String)? {
    guard let sign = utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return (String(self[..<sign]), String(self[utf8.index(after: sign)...]))
  }
}

/// An error in the command line, in one sentence.
struct UsageError: Error, Hashable {
  let message: String
}
