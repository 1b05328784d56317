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
    /// False for a stream that was not chosen, and whose records are kept only for those that read it.
    let isChosen: Bool

    /// The earlier run that `--resume` continues; nil if it begins anew.
    func earlierRun(_ options: RunOptions, _ source: Source) throws -> EarlierRun? {
      try EarlierRun(file.specs, options, source, file.destination)
    }
  }

  /// Returns the runs of the streams, each after the one that it reads; nil for one output.
  func streamParts(_ specs: [Spec]) throws -> [StreamPart]? {
    guard let folder else { return nil }
    guard let spec = specs.first(where: { !$0.streams.isEmpty }) else {
      if let name = invocation.streams.first { throw SpecFiles.withoutStreams(name, paths) }
      let path = filePath(of: Self.name(of: paths.suffix(1)), in: folder)
      return [try part(named: self.name, specs, path, source: nil)]
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
    // A limit of records cuts what is written, and not what a stream reads: each requests that itself, as far as it must.
    if options.recordLimit != nil {
      return try taken.map {
        try part(named: $0.name, [spec.alone($0)], filePath(of: $0.name, in: folder), source: nil)
      }
    }
    return try spec.withSources(taken).map { stream in
      let isChosen = taken.contains { $0.name == stream.name }
      let source = taken.first { $0.name == stream.source }
      if isChosen, let source { try checkRead(source, by: stream) }
      let path = isChosen ? filePath(of: stream.name, in: folder) : inputPath(of: stream.name, in: folder)
      let specs = [spec.only(isChosen ? stream : stream.asInput)]
      return try part(named: stream.name, specs, path, source: stream.source, isChosen: isChosen)
    }
  }

  private func filePath(of stream: String, in folder: String) -> String { "\(folder)\(stream).ndjson" }

  /// Path for the records of a stream that others read, and that was not chosen.
  private func inputPath(of stream: String, in folder: String) -> String { "\(folder)\(stream).pagecat-input" }

  private func part(
    named name: String, _ specs: [Spec], _ path: String, source: String?, isChosen: Bool = true
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
    destination.isMerged = destination.isMerged && isChosen && jobs.last?.uniqueMembers.isEmpty == false
    if !isChosen { destination.changes = nil }
    if isChosen, let changes = invocation.changes, changes.hasSuffix("/") {
      destination.changes = .file("\(changes)\(name).ndjson")
    }
    if !hasMark { destination.state = nil }
    if !jobs.contains(where: \.refreshesTokens) { destination.tokens = nil }
    if let rejects = destination.rejects, rejects.hasSuffix("/") { destination.rejects = "\(rejects)\(name).ndjson" }
    try checkConflict(destination)
    let title = (name == self.name ? name : "\(self.name)/\(name)") + (isChosen ? "" : " (input)")
    let file = RunPart(
      stream: name, name: title, specs: specs, destination: destination, input: Input(descriptor: streams.input))
    return StreamPart(name: name, file: file, source: source, isChosen: isChosen)
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
        "--tokens saves what replaces 'refreshToken' of 'oauth2' and 'login', which no step has: leave --tokens out"
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
    // Those of whose records some may be missing, and of these the ones to fetch again.
    var (partial, failed): (Set<String>, Set<String>) = ([], [])
    let manifest = invocation.hasManifest ? folder.map { ExportManifest(of: $0, specs) } : nil
    let needed = try command.needed(parts)
    for (index, part) in parts.enumerated() where needed.contains(part.name) {
      var part = part
      // The last file gets its place after the manifest of all of them.
      if index == parts.count - 1 { part.file.destination.manifest = manifest }
      part.file.destination.isInputPartial = part.source.map(partial.contains) ?? false
      if part.source.map(failed.contains) ?? false { part.file.destination.staysDone = false }
      let end = try await command.run(part, after: written, of: parts)
      if end.isWritten { written.insert(part.name) }
      if !end.isAccepted { partial.insert(part.name) }
      if !part.isChosen, end.end.code != .complete || !part.file.destination.staysDone { failed.insert(part.name) }
      ends.append(end.end)
      manifest?.add(
        end.end, name: part.file.destination.fileName, isWritten: end.isWritten && part.isChosen, hiding: series)
    }
    if written.count == needed.count {
      for part in parts where !part.isChosen { try part.file.destination.removeFile() }
      let journals = parts.filter { $0.isChosen && !invocation.isOnce }.compactMap { $0.file.destination.doneJournal }
      if invocation.interval == nil {
        streams.ending.journals = journals
      } else {
        for journal in journals { try journal.remove() }
      }
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

  /// Returns the names of the streams to run: not those that were only to be read by streams that are done.
  private func needed(_ parts: [StreamPart]) throws -> Set<String> {
    var needed = Set(parts.filter(\.isChosen).map(\.name))
    // Each comes after the one that it reads.
    for part in parts.reversed() where needed.contains(part.name) {
      guard let name = part.source, !needed.contains(name) else { continue }
      if try part.earlierRun(options, source)?.isDone != true { needed.insert(name) }
    }
    return needed
  }

  /// Runs a stream, unless what it reads is not there.
  private func run(
    _ part: StreamPart, after written: Set<String>, of parts: [StreamPart]
  ) async throws -> (end: SeriesSummary.End, isWritten: Bool, isAccepted: Bool) {
    func refused(_ reason: String, _ code: ExitCode, isConsequence: Bool = false) -> (SeriesSummary.End, Bool, Bool) {
      let end = SeriesSummary.End(
        part.name, refused: reason, code, isConsequence: isConsequence, isInput: !part.isChosen)
      return (end, false, false)
    }
    if let signal = streams.signals.first { return refused("the command was ended before it", signal.exitCode) }
    do {
      var file = part.file
      if let name = part.source, let read = parts.first(where: { $0.name == name }),
        let path = read.file.destination.path
      {
        let earlier = try part.earlierRun(options, source)
        if written.contains(name) {
          if let earlier, await !earlier.fits(try Input(path: path)) {
            file.destination.isResumed = false
            warn(
              "\(part.name): the records of '\(name)', which it reads, are not those of the run before: it begins anew")
          }
          file.input = try Input(path: path)
        } else if earlier?.isDone == true, !read.isChosen {
          file.input = nil
        } else {
          let reason = "'\(name)', which it reads, was not \(read.isChosen ? "written" : "fetched whole")"
          console.error("\(part.name): \(reason)")
          return refused(reason, .incomplete, isConsequence: true)
        }
      }
      let running = try start(file)
      let (code, summary) = try await running.value
      let end = SeriesSummary.End(part.name, summary, code, isInput: !part.isChosen)
      let isAccepted = file.destination.accepts(summary.verdict)
      if !isAccepted, summary.verdict == .complete, let state = file.destination.state {
        warn("\(part.name): '\(state.printable)' keeps its mark, since records of what it reads may be missing")
      }
      return (end, file.destination.ending(with: summary.verdict).keepsRecords, isAccepted)
    } catch {
      let failure = CommandFailure(error)
      failure.tell(console)
      return refused(failure.reason, failure.code)
    }
  }

  /// The files that the runs write, and the folders that they write to.
  func written(_ specs: [Spec]) -> [String] {
    let hasDownloads = specs.contains { $0.jobs.contains { $0.download != nil } }
    return destination.written + [invocation.output, invocation.recording, invocation.specFile].compactMap { $0 }
      + (hasDownloads ? ["\(destination.folder)/"] : [])
  }

  private func warn(_ text: String) {
    if !invocation.isQuiet { console.say("pagecat: warning: \(text)") }
  }
}
