import Diagnostics
import Engine
import Files
import PipelineSpec
import Primitives
import Synchronization
import Wire

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Messages for the user: whole lines on standard error, each with the program's name in front.
///
/// A failure to write a message is ignored and changes nothing else.
final class Console: Sendable {
  private let descriptor: Int32
  private let hasColors: Bool
  private let form: Invocation.LogForm
  /// The user's name for the run (`--label`), if any.
  private let name: Locked<String?>
  /// True if a progress line is on the terminal, which the next message must remove.
  private let hasProgress = Locked(false)

  init(_ streams: Streams, as form: Invocation.LogForm = .text, label: String? = nil) {
    descriptor = streams.error
    hasColors = streams.errorTakesColors
    self.form = form
    name = Locked(label)
  }

  var label: String? { name.withLock { $0 } }

  /// Redacts secrets in the user's name for the run.
  func hide(_ secrets: SecretStore) {
    name.withLock { $0 = $0.map { secrets.redacting($0) } }
  }

  /// Prints a message, and escapes unsafe characters that a caller may have left.
  func say(_ message: String) {
    let message = CredentialName.masking(urlsIn: message)
    switch form {
    case .text:
      let text = labelled(message).printableLines
      sayAsItIs(hasColors ? Self.colored(text) : text)
    case .json: sayAsItIs(RunEvent.json(ofMessage: message, label: label))
    }
  }

  /// `pagecat [part 7]: error: …`.
  private func labelled(_ message: String) -> String {
    let start = "pagecat: "
    guard let label, message.hasPrefix(start) else { return message }
    return "pagecat [\(label.printable)]: \(message.dropFirst(start.count))"
  }

  /// Returns a message with `error:` in bold red, or `warning:` in bold yellow (ECMA-48 §8.3.117).
  ///
  /// The word stands after the program's name or a position. Anywhere else it may be a server's.
  static func colored(_ message: String) -> String {
    let tagged = #/(pagecat(?: \[[^\n]*?\])?: |[^\n]*?:[0-9]+:[0-9]+: )(error:|warning:) /#
    guard let match = message.prefixMatch(of: tagged) else {
      return message
    }
    let (start, word) = (match.output.1, match.output.2)
    return "\(start)\u{1B}[1;\(word == "error:" ? 31 : 33)m\(word)\u{1B}[0m \(message[match.range.upperBound...])"
  }

  /// Prints text in a format of its own that contains nothing unsafe.
  func sayAsItIs(_ message: String) {
    hasProgress.withLock { hasProgress in
      write((hasProgress ? Self.lineClearing : "") + message + "\n", to: descriptor)
      hasProgress = false
    }
  }

  /// Draws the progress line in place of the previous one; an empty line only removes that one.
  func draw(_ line: String) {
    hasProgress.withLock { hasProgress in
      guard hasProgress || !line.isEmpty else { return }
      write(Self.lineClearing + (line.isEmpty ? "" : line + "\r"), to: descriptor)
      hasProgress = !line.isEmpty
    }
  }

  /// Moves to the start of the line, and clears all from there (ECMA-48 §8.3.39).
  ///
  /// A terminal that becomes narrower may wrap the drawn line into rows. The cursor waits at the line's start, so that
  /// it is in the first of them.
  private static let lineClearing = "\r\u{1B}[J"

  func error(_ message: String) {
    say("pagecat: error: \(message)")
  }
}

/// Writes a text in order, and ignores errors.
private func write(_ text: String, to descriptor: Int32) {
  var writer = LineWriter(descriptor: descriptor, name: "a terminal")
  try? writer.write(Array(text.utf8))
  try? writer.flush()
}

// The lines of `-v`, `-vv` and `--log json`, and of long waits.

/// Prints the events of a run.
struct EventLog: Sendable {
  private let console: Console
  private let form: Invocation.LogForm
  private let verbosity: Int
  /// True if long waits are printed even if no other event is.
  private let printsWaits: Bool

  /// Waits below this length are not printed.
  private static let longWait = Duration.seconds(2)

  init(_ console: Console, _ invocation: Invocation, printsWaits: Bool) {
    self.console = console
    form = invocation.log
    verbosity = form == .json ? max(1, invocation.verbosity) : invocation.verbosity
    self.printsWaits = printsWaits
  }

  var listener: RunListener {
    var kinds: [RunEvent.Kind] = []
    if verbosity > 0 || printsWaits { kinds.append(.wait) }
    if verbosity > 0 { kinds.append(.request) }
    if verbosity > 1 { kinds += [.sending, .receiving] }
    return RunListener(to: kinds) { [self] event in show(event) }
  }

  private func show(_ event: RunEvent) {
    // The waits of a `rate` are expected, since the spec asks for them.
    if event.kind == .wait, event.duration < Self.longWait || event.isWaitForRate, verbosity == 0 { return }
    if event.isWaitForRate, event.duration < Self.longWait { return }
    switch form {
    case .json: console.sayAsItIs(CredentialName.masking(urlsIn: event.json(label: console.label)))
    case .text: for line in event.lines { console.say("pagecat: \(line)") }
    }
  }
}

// MARK: The line that shows the progress of a run: drawn in place on a terminal, otherwise plain lines

/// Shows the progress of a run until `stop()`.
final class Progress: Sendable {
  enum Form: Sendable {
    /// One line of a terminal, which is drawn again for each change.
    case drawn
    /// Lines, one after the other.
    case lines
  }

  /// Time after which the first line is shown: a short run shows none.
  private static let delay = Duration.milliseconds(500)

  private let drawing: Task<Void, Never>
  private let console: Console

  /// Shows on a terminal which request a command without a run waits for, once the wait takes a second.
  ///
  /// - Parameter pending: returns the pending request; nil for none.
  init(waitingFor pending: @escaping @Sendable () -> String?, on console: Console, terminal: Int32) {
    self.console = console
    drawing = Task.detached {
      var (last, since) = (String?.none, ContinuousClock.now)
      while (try? await Task.sleep(for: .milliseconds(100))) != nil {
        let request = pending()
        if request != last { (last, since) = (request, .now) }
        guard let request, .now - since > .seconds(1) else {
          console.draw("")
          continue
        }
        let seconds = Int((ContinuousClock.now - since) / .seconds(1))
        console.draw(ProgressLine.cut("new: \(seconds) s, waiting for \(request)", to: Self.width(of: terminal) - 1))
      }
    }
  }

  init(_ form: Form, of run: Run, name: String, on console: Console, terminal: Int32) {
    self.console = console
    drawing = Task.detached {
      var interval = Self.delay
      while (try? await Task.sleep(for: interval)) != nil {
        let line = ProgressLine(
          name: name, counters: run.report.counters, activity: run.report.activity, elapsed: run.elapsed)
        switch form {
        case .drawn: console.draw(line.text(width: Self.width(of: terminal) - 1))
        case .lines: console.say("pagecat: \(line.text)")
        }
        interval = form == .drawn ? .milliseconds(100) : .seconds(5)
      }
    }
  }

  /// Removes the line; nothing is shown after it.
  func stop() async {
    drawing.cancel()
    await drawing.value
    console.draw("")
  }

  private static func width(of terminal: Int32) -> Int {
    var size = winsize()
    guard ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }
}

extension Progress.Form {
  /// Returns the form for a run; nil if it shows no progress.
  ///
  /// - Parameters:
  ///   - isOnOutput: true if the records go to standard output.
  ///   - isTyped: true if the input records are typed at a terminal: a drawn line would erase them.
  init?(_ invocation: Invocation, _ streams: Streams, isOnOutput: Bool, isTyped: Bool) {
    let isTerminal = streams.errorTakesSequences && !isTyped
    let isMixed = isOnOutput && streams.isOutputSameTerminal
    switch invocation.progress {
    case .never: return nil
    // A drawn line and records on one terminal would run into each other.
    case .always: self = isTerminal && !isMixed ? .drawn : .lines
    case .auto:
      let isInCI = !streams.environment.text(of: "CI").isEmpty
      guard isTerminal, !isInCI, !isMixed, !invocation.isQuiet, invocation.log == .text else { return nil }
      self = .drawn
    }
  }
}
