// The line that shows the progress of a run: drawn in place on a terminal, otherwise plain lines.

import Engine
import Primitives

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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
