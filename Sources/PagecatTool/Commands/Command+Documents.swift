// The commands for editors, shells and manuals: `schema`, `completions`, `man`.

import Engine
import Diagnostics
import PipelineSpec

extension Command {
  static let schema = Command(
    name: "schema", operands: "[SPEC...]",
    summary: "print the JSON Schema of specs, for editors; of a SPEC, the types of its records",
    flags: [.form],
    examples: [
      "pagecat schema > pagecat.schema.json",
      "pagecat schema pipelines/coins.yaml --as duckdb",
    ]
  ) { invocation, streams in
    guard !invocation.operands.isEmpty else {
      if invocation.schemaForm != nil { throw UsageError(message: "--as describes the records of a SPEC: give one") }
      return try print(SpecSchema.text, streams)
    }
    let specs = try SpecFiles.read(invocation.operands, Input(descriptor: streams.input))
    do {
      return try print(RecordSchema(specs).text(as: invocation.schemaForm ?? .jsonSchema), streams)
    } catch let unknown as RecordSchema.Unknown {
      throw SpecError(messages: [unknown.problem])
    }
  }

  static let completions = Command(
    name: "completions", operands: "bash|zsh|fish", summary: "print a script by which a shell completes command lines",
    flags: [],
    examples: [
      "source <(pagecat completions bash)",
      "pagecat completions zsh > ~/.zfunc/_pagecat",
      "pagecat completions fish > ~/.config/fish/completions/pagecat.fish",
    ]
  ) { invocation, streams in
    guard let kind = invocation.operands.first else {
      throw UsageError(message: "completions needs the name of a shell: bash, zsh or fish")
    }
    let paths = invocation.operands.dropFirst()
    if ["parameters", "steps"].contains(kind) {
      let input = Input(descriptor: streams.input)
      // A line may also name exports and states: these have no names, and a large one would delay the shell.
      var specs = paths.filter(isSmall).compactMap { try? SpecFiles.read([$0], input) }.flatMap { $0 }
      if specs.isEmpty { specs = try SpecFiles.read(paths.filter(isSmall), input) }
      let names = kind == "steps" ? specs.flatMap(\.jobs).map(\.name) : specs.flatMap(\.parameters).map(\.name)
      return names.isEmpty ? .complete : try print(names.map(\.printable).joined(separator: "\n"), streams)
    }
    guard let shell = Completions(rawValue: kind), paths.isEmpty else {
      let found = invocation.operands.joined(separator: " ")
      throw UsageError(message: "completions takes one shell, bash, zsh or fish, not '\(found.printable)'")
    }
    return try print(shell.text, streams)
  }

  /// Reports that a file is as small as specs are.
  private static func isSmall(_ path: String) -> Bool {
    guard path != "-", let bytes = try? Input(path: path).readAll(limit: largestCompleted) else { return true }
    return bytes.count <= largestCompleted
  }

  /// Size of the largest spec whose names a shell completes.
  private static let largestCompleted = 64 << 10

  static let man = Command(
    name: "man", operands: "", summary: "print the manual page, for man(1)", flags: [],
    examples: ["pagecat man | man -l -", "pagecat man > /usr/local/share/man/man1/pagecat.1"]
  ) { invocation, streams in
    if let operand = invocation.operands.first {
      throw UsageError(message: "man takes no operand, and was given '\(operand.printable)'")
    }
    return try print(ManPage.text, streams)
  }
}
