// `-o DIR/`: a file for each stream of a spec.

import Diagnostics
import Engine
import Files
import PipelineSpec
import Primitives
import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension RunCommand {
  /// A stream's run, and the stream whose file it reads.
  struct StreamPart {
    let name: String
    var file: RunPart
    /// Nil for a stream that reads none, or that runs the jobs of the streams that it reads.
    let source: String?
  }

  /// Returns the runs of the streams, each after the one that it reads; nil for one output.
  func streamParts(_ specs: [Spec]) throws -> [StreamPart]? {
    guard let folder else { return nil }
    guard let spec = specs.first(where: { !$0.streams.isEmpty }) else {
      if let name = invocation.streams.first { throw SpecFiles.withoutStreams(name, [name]) }
      let path = folder + self.name.split(separator: " ").last.map(String.init)! + ".ndjson"
      return [try part(named: self.name, specs, path, source: nil, input: Input(descriptor: streams.input))]
    }
    guard specs.count == 1 else {
      throw UsageError(
        message: "'\(spec.name.printable)' has streams, so it can't stand beside other SPECs: run it alone")
    }
    if let step = options.firstJob {
      throw UsageError(message: "--from \(step.printable) reads records for one stream: name it with '--stream NAME'")
    }
    if let path = invocation.rejects, !path.hasSuffix("/") {
      throw UsageError(message: "--rejects of several streams are several files: write '--rejects \(path.printable)/'")
    }
    if let path = invocation.changes, !path.hasSuffix("/") {
      throw UsageError(message: "--changes of several streams are several files: write '--changes DIR/'")
    }
    let taken = try spec.streams(named: invocation.streams)
    try checkSaved(taken)
    return try taken.map { stream in
      // A limit of records cuts what is written, and not what a stream reads.
      let source = options.recordLimit == nil ? taken.first { $0.name == stream.source } : nil
      if let source { try checkRead(source, by: stream) }
      let path = "\(folder)\(stream.name).ndjson"
      let specs = [source == nil ? spec.alone(stream) : spec.only(stream)]
      return try part(named: stream.name, specs, path, source: source?.name, input: Input(descriptor: -1))
    }
  }

  private func part(
    named name: String, _ specs: [Spec], _ path: String, source: String?, input: Input
  ) throws -> StreamPart {
    guard !Destination.isWrittenInPlace(path) else {
      throw UsageError(message: "'\(path.printable)' is not a regular file, and would have to be replaced: remove it")
    }
    let jobs = specs.flatMap(\.jobs)
    var destination = destination
    destination.path = path
    // A later run with --resume must know which streams are done.
    destination.staysDone = true
    let hasMark = jobs.contains(where: \.hasOwnMark)
    // Without a mark, all records come again.
    destination.isAppended = destination.isAppended && hasMark
    destination.isMerged = destination.isMerged && jobs.last?.uniqueMembers.isEmpty == false
    if let changes = invocation.changes, changes.hasSuffix("/") {
      destination.changes = .file("\(changes)\(name).ndjson")
    }
    if !hasMark { destination.state = nil }
    if !jobs.contains(where: \.refreshesTokens) { destination.tokens = nil }
    if let rejects = destination.rejects, rejects.hasSuffix("/") { destination.rejects = "\(rejects)\(name).ndjson" }
    try checkConflict(destination)
    let title = name == self.name ? name : "\(self.name)/\(name)"
    return StreamPart(
      name: name, file: RunPart(stream: name, name: title, specs: specs, destination: destination, input: input),
      source: source)
  }

  /// Refuses files that no stream has anything for.
  private func checkSaved(_ taken: [Spec.Stream]) throws(SpecError) {
    let jobs = taken.flatMap(\.jobs)
    if destination.state != nil, !jobs.contains(where: \.hasOwnMark) {
      throw SpecError(messages: [
        "--state saves the mark of 'incremental', which none of the streams has: leave --state out"
      ])
    }
    if destination.tokens != nil, !jobs.contains(where: \.refreshesTokens) {
      throw SpecError(messages: [
        "--tokens saves what replaces 'refreshToken' of 'oauth2', which no step has: leave --tokens out"
      ])
    }
  }

  /// Refuses a stream whose input would be only a part of the records that it was made for.
  private func checkRead(_ source: Spec.Stream, by stream: Spec.Stream) throws(SpecError) {
    // With --merge, the file has all records.
    guard source.jobs.contains(where: \.hasOwnMark), !destination.isMerged else { return }
    let (reader, giver) = ("'\(stream.name)'", "'\(source.name)'")
    if destination.state != nil {
      throw SpecError(messages: [
        "\(reader) reads \(giver), of which --state gives only what is new: run \(reader) without --state, by '--stream'"
      ])
    }
    if destination.isAppended {
      throw SpecError(messages: [
        "\(reader) reads the file of \(giver), to which --append adds: leave --append out, or choose streams by '--stream'"
      ])
    }
  }

  /// Runs the streams, one after the other; one that fails stops those that read it.
  ///
  /// - Parameter specs: the specs that have them.
  func runStreams(_ parts: [StreamPart], of specs: [Spec]) async throws -> ExitCode {
    let begun = (time: ContinuousClock.now, date: Timestamp(clamping: Date().timeIntervalSince1970).rfc3339)
    var command = self
    let series = RunSeries(hiding: SecretStore())
    (command.options.series, command.options.network) = (series, SharedNetwork())
    try command.check(parts)
    let lock = try parts.first.map { try SeriesLock($0.file.destination, named: name) }
    defer { withExtendedLifetime(lock) {} }
    defer { streams.signals.stopListening(forGood: invocation.interval == nil) }
    var ends: [SeriesSummary.End] = []
    var written: Set<String> = []
    let manifest = invocation.hasManifest ? folder.map { ExportManifest(of: $0, specs) } : nil
    for (index, part) in parts.enumerated() {
      var part = part
      // The last file gets its place after the manifest of all of them.
      if index == parts.count - 1 { part.file.destination.manifest = manifest }
      let end = try await command.run(part, after: written)
      if end.isWritten { written.insert(part.name) }
      ends.append(end.end)
      manifest?.add(
        end.end, name: part.file.destination.fileName, isWritten: end.isWritten, hiding: series)
    }
    if written.count == parts.count, !invocation.isOnce {
      for part in parts { try part.file.destination.forgetDone() }
    }
    let summary = SeriesSummary(
      name, label: console.label, ends, elapsed: ContinuousClock.now - begun.time, started: begun.date)
    var code = summary.exitCode
    do {
      try manifest?.complete()
      try series.closeRecording(summary.outcome(hiding:))
    } catch {
      let failed = CommandFailure(error).report(to: console)
      if code == .complete || code == .incomplete { code = failed }
    }
    if invocation.summary == .json {
      console.sayAsItIs(summary.json)
    } else if parts.count > 1, showsSummary(of: summary.verdict, isIncomplete: code != .complete) {
      console.say(summary.text)
    }
    return code
  }

  /// Finds every error in specs, parameters and variables before the first request.
  private func check(_ parts: [StreamPart]) throws {
    let start = Int(Date().timeIntervalSince1970)
    var messages: [String] = []
    for part in parts {
      do {
        try RunPlan.check(part.file.specs, options, source, start: start, part.file.destination)
      } catch let error as SpecError {
        messages += error.messages.filter { !messages.contains($0) }
      }
    }
    if !messages.isEmpty { throw SpecError(messages: messages) }
  }

  /// Runs a stream, unless what it reads was not written.
  private func run(
    _ part: StreamPart, after written: Set<String>
  ) async throws -> (end: SeriesSummary.End, isWritten: Bool) {
    func refused(_ reason: String, _ code: ExitCode, isConsequence: Bool = false) -> (SeriesSummary.End, Bool) {
      (SeriesSummary.End(part.name, refused: reason, code, isConsequence: isConsequence), false)
    }
    if let signal = streams.signals.first { return refused("the command was ended before it", signal.exitCode) }
    do {
      let file = part.file
      var input = file.input
      if let source = part.source {
        guard written.contains(source) else {
          let reason = "'\(source)', which it reads, was not written"
          console.error("\(part.name): \(reason)")
          return refused(reason, .incomplete, isConsequence: true)
        }
        input = try Input(path: (folder ?? "") + source + ".ndjson")
      }
      let running = try start(
        RunPart(
          stream: file.stream, name: file.name, specs: file.specs, destination: file.destination, input: input))
      let (code, summary) = try await running.value
      return (SeriesSummary.End(part.name, summary, code), file.destination.ending(with: summary.verdict).keepsRecords)
    } catch {
      let failure = CommandFailure(error)
      failure.tell(console)
      return refused(failure.reason, failure.code)
    }
  }
}
