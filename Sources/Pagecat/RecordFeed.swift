import Engine
import Primitives
import Diagnostics
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The input records of a run from a Swift sequence, encoded as the run reads them.
final class RecordFeed: Sendable {
  let pipe = RecordPipe()
  private let write: @Sendable (RecordPipe) async throws -> Void
  private let state = Locked<(task: Task<Void, Never>?, error: (any Error)?)>((nil, nil))

  /// Creates a feed from a sequence.
  ///
  /// - Parameter line: the JSON text of a record.
  init<Records: AsyncSequence & Sendable>(
    _ records: Records, line: @escaping @Sendable (Records.Element) throws -> [UInt8]
  ) {
    write = { pipe in
      for try await record in records {
        guard await pipe.write(try line(record) + [0x0A]) else { return }
      }
    }
  }

  /// The sequence's own error, if it ended with one.
  var error: (any Error)? { state.withLock { $0.error } }

  /// Begins to iterate over the sequence.
  func start() {
    let task = Task.detached { [pipe, write, weak self] in
      do {
        try await write(pipe)
        pipe.finish()
      } catch {
        self?.state.withLock { $0.error = error }
        pipe.finish("the sequence of input records ended with an error: \("\(error)".printableLines)")
      }
    }
    state.withLock { $0.task = task }
  }

  /// Stops iterating.
  func stop() {
    state.withLock { $0.task }?.cancel()
    pipe.close()
  }
}

/// The elements of an array, one after the other.
struct AsyncElements<Element: Sendable>: AsyncSequence, Sendable {
  struct Iterator: AsyncIteratorProtocol {
    fileprivate var rest: ArraySlice<Element>

    mutating func next() async -> Element? { rest.popFirst() }
  }

  let elements: [Element]

  func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...]) }
}
