// Reading in a line: to JSON, or to mistakes.

import Diagnostics
import Dispatch
import Foundation
import JSONText
import Synchronization
import Testing

@testable import YAMLText

/// The text's value as JSON, or its mistakes as a person sees them.
func read(_ text: String) -> String {
  read(Array(text.utf8))
}

func read(_ bytes: [UInt8]) -> String {
  do {
    return try Node(reading: SourceText(name: "t", bytes: bytes)).json.text
  } catch {
    return error.rendered
  }
}

func mistakes(_ text: String) -> [Diagnostic] {
  mistakes(Array(text.utf8))
}

func mistakes(_ bytes: [UInt8]) -> [Diagnostic] {
  do {
    _ = try Node(reading: SourceText(name: "t", bytes: bytes))
    return []
  } catch {
    return error.all
  }
}

/// Expects mistakes at the marked places, in order, and the first one's sentence and advice.
func expect(_ marked: String, _ message: String, _ advice: String?, at location: SourceLocation = #_sourceLocation) {
  var text: [UInt8] = []
  var starts: [Int] = []
  var ranges: [Range<Int>] = []
  for scalar in marked.unicodeScalars {
    switch scalar {
    case "«": starts.append(text.count)
    case "»": ranges.append(starts.removeLast()..<text.count)
    default: text += Array(String(scalar).utf8)
    }
  }
  let found = mistakes(text)
  #expect(found.map(\.range) == ranges.sorted { $0.lowerBound < $1.lowerBound }, sourceLocation: location)
  #expect(found.first?.message == message, sourceLocation: location)
  #expect(found.first?.advice == advice, sourceLocation: location)
}

/// Runs it on a thread with a stack of 512 KB, which is what a thread other than the main one has on macOS.
func onSmallStack(_ body: @escaping @Sendable () -> Bool) -> Bool {
  let result = Mutex(false)
  let done = DispatchSemaphore(value: 0)
  let thread = Thread {
    let value = body()
    result.withLock { $0 = value }
    done.signal()
  }
  thread.stackSize = 512 * 1_024
  thread.start()
  done.wait()
  return result.withLock { $0 }
}
