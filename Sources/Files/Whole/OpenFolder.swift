/// A folder that is closed when nobody has it any more.
final class OpenFolder: Sendable {
  let number: Int32
  private let calls: SystemCalls

  init(number: Int32, calls: SystemCalls) {
    self.number = number
    self.calls = calls
  }

  deinit {
    calls.close(number)
  }
}
