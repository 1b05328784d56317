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

  var hasWindows: Bool { [.days, .times, .numbers].contains(self) || isOpen }
  var isOpen: Bool { self == .open || self == .stepOpen }
  var hasSteps: Bool { [.step, .attach, .stepSkipping, .attachEmpty, .stepOpen].contains(self) }
  var attaches: Bool { [.attach, .attachEmpty].contains(self) }
  var failsOneList: Bool { [.stepSkipping, .attachEmpty].contains(self) }
}
