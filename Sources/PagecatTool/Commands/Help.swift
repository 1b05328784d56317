// Help texts, generated from the tables of commands and flags.

import Engine

/// The texts of `--help`.
enum Help {
  static let short = """
    usage: pagecat SPEC... [NAME=VALUE...] [options]
           pagecat pipelines/cocktails.yaml --replay samples/cocktails.har
    Try 'pagecat --help'.
    """

  static var overview: String {
    """
    cat for the pages of an API: a small spec file in, NDJSON out.

    Usage:
    \(Command.all.map { "  " + $0.usage }.joined(separator: "\n"))

    'pagecat SPEC' is 'pagecat run SPEC'. '-' is standard input as a FILE or SPEC.

    Commands:
    \(columns(Command.all.map { ($0.name, $0.summary) }))

    Try 'pagecat COMMAND --help' for the options and examples of a command.

    Exit codes:
    \(columns(exitCodes))
    """
  }

  static func text(_ command: Command) -> String {
    """
    \(command.summary)

    Usage: \(command.usage)

    Examples:
    \(command.examples.map { "  \($0)" }.joined(separator: "\n"))

    Options:
    \(columns(command.flags.map { (spelling($0), $0.help) } + common))
    """
  }

  static let common = [("-h, --help", "this text"), ("--version", "name and version")]

  static let exitCodes = [
    ("0", "complete, or capped by a limit"),
    ("1", "ended, but not everything: input records left out or answered empty, or fewer than the server's totals"),
    ("2", "the command line or a spec is wrong; nothing was requested"),
    ("3", "a request failed for good"),
    ("4", "content is wrong: not JSON, no such key, not the model, malformed NDJSON, a record without a needed member"),
    ("5", "output could not be written"),
    ("75", "another run holds the same output, state or tokens"),
    ("130", "interrupted (129: terminal closed, 143: terminated)"),
    ("141", "the reader of standard output went away"),
  ]

  static func spelling(_ flag: Flag) -> String {
    (flag.short.map { "-\($0), " } ?? "") + "--\(flag.name)" + (flag.value.map { " \($0)" } ?? "")
  }

  private static func columns(_ rows: [(String, String)]) -> String {
    let width = min(rows.map(\.0.count).max() ?? 0, 24)
    return rows.map { name, text in
      let padding = String(repeating: " ", count: max(0, width - name.count))
      let gap = name.count > width ? "\n" + String(repeating: " ", count: width + 4) : padding + "  "
      return "  \(name)\(gap)\(text)"
    }.joined(separator: "\n")
  }
}

// The manual page, in the macros of man(7), from the tables of commands and flags.

/// The text of `pagecat man`.
enum ManPage {
  static var text: String {
    var page = Roff()
    page.title("PAGECAT", date: Product.date, source: "pagecat \(Product.version)", manual: "User Commands")
    page.section("NAME")
    page.paragraph("pagecat - cat for the pages of an API: a small spec file in, NDJSON out")
    page.section("SYNOPSIS")
    for (index, command) in Command.all.enumerated() {
      if index > 0 { page.macro("br") }
      page.synopsis("pagecat \(command.name)", command.operands)
    }
    page.section("DESCRIPTION")
    page.paragraph(
      "A spec file (JSON, or the plain part of YAML) says what to fetch: an endpoint, query items, the key under which the "
        + "content sits, how pages turn. pagecat fetches it, unwraps the content, and writes one record a line.")
    page.paragraph(
      "'pagecat SPEC' is 'pagecat run SPEC'. '-' is standard input as a FILE or SPEC. NAME=VALUE gives a parameter of the "
        + "spec. Options may stand before, between and after the operands; '--' ends them.")
    page.section("COMMANDS")
    for command in Command.all { page.describe(command) }
    page.section("EXIT STATUS")
    for (code, meaning) in Help.exitCodes { page.item(code, meaning) }
    page.section("ENVIRONMENT")
    for (name, meaning) in environment { page.item(name, meaning) }
    page.section("FILES")
    for (name, meaning) in files { page.item(name, meaning) }
    page.section("SEE ALSO")
    page.macro("BR", "curl", "(1),")
    page.macro("BR", "jq", "(1)")
    return String(page.text.dropLast())
  }

  private static let environment = [
    ("http_proxy, HTTPS_PROXY, ALL_PROXY, NO_PROXY", "proxies, as curl reads them"),
    ("CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR", "certificates of the authorities that are trusted"),
    ("NETRC, HOME", "the netrc file of 'auth: netrc'"),
    ("CREDENTIALS_DIRECTORY", "folder of secrets, for '${file.NAME}'"),
    ("TMPDIR", "folder for pages that are not whole yet"),
    ("CI, TERM", "no progress line is drawn where CI is set, or TERM is 'dumb'"),
  ]

  private static let files = [
    ("FILE.pagecat-part, FILE.pagecat-journal", "what an interrupted 'run -o FILE' has left, for --resume"),
    ("/run/secrets", "folder of secrets, for '${file.NAME}'"),
  ]
}

/// Lines of a manual page (groff_man(7)).
private struct Roff {
  private(set) var text = ""
  private var isAtStart = false

  mutating func macro(_ name: String, _ arguments: String...) {
    text += ".\(name)" + arguments.map { " \"\(Self.escaped($0))\"" }.joined() + "\n"
  }

  /// Adds the first line; formatters would not accept escapes in the date.
  mutating func title(_ name: String, date: String, source: String, manual: String) {
    text += ".TH \"\(name)\" \"1\" \"\(date)\" \"\(Self.escaped(source))\" \"\(manual)\"\n"
  }

  mutating func section(_ title: String) {
    macro("SH", title)
    isAtStart = true
  }

  /// Adds a paragraph; the first one of a section needs no macro.
  mutating func paragraph(_ words: String) {
    text += (isAtStart ? "" : ".PP\n") + Self.escaped(words) + "\n"
    isAtStart = false
  }

  mutating func synopsis(_ name: String, _ operands: String) {
    macro("B", name)
    if !operands.isEmpty { text += Self.escaped(operands) + "\n" }
  }

  mutating func item(_ term: String, _ meaning: String) {
    text += ".TP\n"
    macro("B", term)
    text += Self.escaped(meaning) + "\n"
  }

  mutating func describe(_ command: Command) {
    macro("SS", command.usage)
    text += Self.escaped(command.summary) + "\n"
    for flag in command.flags { item(Help.spelling(flag), flag.help) }
    if !command.examples.isEmpty {
      text += ".PP\nExamples:\n.PP\n.nf\n.RS 4\n"
      for example in command.examples { text += Self.escaped(example) + "\n" }
      text += ".RE\n.fi\n"
    }
  }

  /// Returns a text in which no formatter sees requests or escapes.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text {
      switch character {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "\"": escaped += "\\(dq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      default: escaped.append(character)
      }
    }
    return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
  }
}
