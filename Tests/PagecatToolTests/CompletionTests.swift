// `schema`, `completions` and `man`, in the shells and the formatter that read them.

import TestSupport
import Testing

@Suite("What a shell completes", .limitedConcurrency, .timeLimit(.minutes(20)))
struct CompletionTests {
  /// Command lines, and what is proposed for the last word.
  private static let lines: [(line: String, proposed: [String])] = [
    ("--su", ["--summary"]),
    ("pl", ["plan"]),
    ("run --summary js", ["json"]),
    ("a.yaml cu", ["currency="]),
    ("plan a.yaml da", ["days="]),
    ("tap a.yaml da", ["days="]),
    ("check a.yaml da", []),
    ("~/a.yaml -o old.ndjson --append da", ["days="]),
    ("a.yaml --from o", ["one"]),
    ("run -o a", ["a.yaml"]),
    ("completions f", ["fish"]),
    ("new --ha", ["--har"]),
    ("help m", ["man"]),
    ("no.yaml --from o", []),
  ]

  private func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    _ = try folder.write(
      """
      params: { currency: usd, days: 7 }
      base: https://api.example.com/
      steps:
        - { name: list, endpoint: "x/${param.currency}/${param.days}" }
        - { name: one, endpoint: "y/${input.id}" }
      """, to: "a.yaml")
    // An export is no spec.
    _ = try folder.write("1\n", to: "old.ndjson")
    // Names are text from outside.
    _ = try folder.write(
      "steps:\n  - { name: \"$(touch run)\", endpoint: \"https://api.example.com/x\" }\n", to: "my spec.yaml")
    return folder
  }

  private static func words(_ line: String) -> String {
    line.split(separator: " ").map { "'\($0)'" }.joined(separator: " ")
  }

  @Test(
    "in bash", .needs("bash"),
    .enabled("bash is older than 4.4") {
      try await Shell.run("bash -c '((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404))'", in: "/").code == 0
    })
  func bash() async throws {
    let folder = try folder()
    _ = try folder.write(
      """
      source <(pagecat completions bash)
      try() {
        COMP_WORDS=(pagecat "$@"); COMP_CWORD=$#; COMPREPLY=()
        _pagecat
        (IFS=' '; echo "${COMPREPLY[*]}")
      }

      """ + Self.lines.map { "try \(Self.words($0.line))\n" }.joined()
        + "try 'my\\ spec.yaml' --from ''\ntry --log = j\ntry a.yaml --progress =\ntry a.yaml days = 1\n",
      to: "try.bash")
    let result = try await Shell.run("HOME=$PWD bash -u try.bash", in: folder.path)
    let proposed = Self.lines.map { $0.proposed.joined(separator: " ") + "\n" }.joined()
    #expect(result.output == proposed + "\\$\\(touch\\ run\\)\njson\nauto always never\n\n")
    #expect(result.error.isEmpty && result.code == 0, "\(result.error)")
    #expect(folder.names.sorted() == ["a.yaml", "my spec.yaml", "old.ndjson", "try.bash"])
  }

  @Test("in fish", .needs("fish"))
  func fish() async throws {
    let folder = try folder()
    let tries = Self.lines.map { "echo (complete -C 'pagecat \($0.line)' | cut -f1)\n" }
    _ = try folder.write("pagecat completions fish | source\n" + tries.joined(), to: "try.fish")
    let result = try await Shell.run(
      "HOME=$PWD fish --no-config try.fish", in: folder.path, environment: ["TERM": "dumb"])
    #expect(result.output == Self.lines.map { $0.proposed.joined(separator: " ") + "\n" }.joined())
    #expect(result.error.isEmpty && result.code == 0, "\(result.error)")
  }

  @Test("in zsh, at a terminal", .needs("zsh", "timeout"))
  func zsh() async throws {
    let folder = try folder()
    let lines = Self.lines.filter { !$0.proposed.isEmpty }
    // A line, the key Tab, and a key that shows what then stands there.
    let tries = lines.map { line, _ in
      """
      zpty -w -n z 'pagecat \(line)'$'\\t\\x18'
      zpty -r -m z out '*IS<*>*' && print -r -- ${${out##*IS<}%%>*}

      """
    }
    _ = try folder.write(
      """
      show() { print -r -- "I""S<$BUFFER>"; BUFFER= }
      zle -N show
      bindkey '^X' show
      autoload -U compinit
      compinit -u -D
      source <(pagecat completions zsh)
      print RE""ADY
      """, to: "rc.zsh")
    _ = try folder.write(
      """
      zmodload zsh/zpty
      zpty z zsh -f -i
      zpty -w z 'source ./rc.zsh'
      zpty -r -m z out '*READY*'

      """ + tries.joined() + "zpty -d z\n", to: "try.zsh")
    let result = try await Shell.run(
      "HOME=$PWD timeout 60 zsh -f try.zsh", in: folder.path, environment: ["TERM": "dumb"])
    // Behind an option that takes a value, zsh writes the '=' as well.
    let wanted = lines.map { line, proposed in
      let words = ["pagecat"] + line.split(separator: " ").dropLast().map(String.init) + proposed
      return words.joined(separator: " ") + (proposed[0].hasPrefix("--") ? "=" : "")
    }
    let shown = result.output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
    #expect(shown == wanted)
    #expect(result.code == 0, "\(result.error)")
  }

  @Test("The schema beside the specs is that of the program, and each spec names it")
  func schema() async throws {
    let result = try await Shell.run(
      """
      pagecat schema | cmp - pipelines/pagecat.schema.json
      for spec in pipelines/*.yaml; do tail -n 1 "$spec"; done | sort -u
      """, in: Shell.package)
    #expect(result.output == "# yaml-language-server: $schema=pagecat.schema.json\n" && result.code == 0)
  }

  @Test("The manual page has no warnings, and every option", .needs("mandb"))
  func manual() async throws {
    let folder = try TemporaryFolder()
    let result = try await Shell.run(
      """
      pagecat man > pagecat.1
      LC_ALL=C.UTF-8 MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z pagecat.1 > /dev/null
      LC_ALL=C.UTF-8 MANWIDTH=200 man -l pagecat.1 | tr -s ' \\n' ' '
      """, in: folder.path)
    #expect(result.error.isEmpty && result.code == 0, "\(result.error)")
    let help = try await Shell.run("pagecat run --help; pagecat new --help", in: folder.path)
    for option in help.output.matches(of: #/--[a-z]+/#).map({ String($0.0) })
    where option != "--version" && option != "--help" {
      #expect(result.output.contains(option), "\(option)")
    }
  }
}
