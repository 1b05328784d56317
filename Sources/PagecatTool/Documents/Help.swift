// Help texts, generated from the tables of commands and flags.

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
