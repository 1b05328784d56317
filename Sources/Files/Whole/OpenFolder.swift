/// An open folder that is closed when its last owner releases it.
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
