/// What a spec does besides paging.
enum MatrixShape: String, CaseIterable, Sendable {
  case alone
  case list = "each list"
  case days = "windows of dates"
  case times = "windows of times"
  case numbers = "windows of numbers"
  /// The next window's start is the end of each.
  case open = "open windows of times"
  case step = "second step"
  case attach = "second step, attach"
  /// The items of one list can't be had.
  case stepSkipping = "second step, onError skip"
  case attachEmpty = "attach, onError empty"
  /// Windows for each record of the first step.
  case stepOpen = "second step, open windows"

  /// The items of two lists in one request.
  case batch = "second step, batch"
  case batchAttach = "second step, batch, match"

  var hasWindows: Bool { [.days, .times, .numbers].contains(self) || isOpen }
  var isOpen: Bool { self == .open || self == .stepOpen }
  var hasSteps: Bool { [.step, .attach, .stepSkipping, .attachEmpty, .stepOpen].contains(self) || isBatch }
  var isBatch: Bool { self == .batch || self == .batchAttach }
  var attaches: Bool { [.attach, .attachEmpty, .batchAttach].contains(self) }
  var failsOneList: Bool { [.stepSkipping, .attachEmpty].contains(self) }
}
