/// What a spec does besides paging.
enum MatrixShape: String, CaseIterable, Sendable {
  case alone
  case list = "each list"
  case days = "windows of dates"
  case times = "windows of times"
  case numbers = "windows of numbers"
  case step = "second step"
  case attach = "second step, attach"
  /// The items of one list can't be had.
  case stepSkipping = "second step, onError skip"
  case attachEmpty = "attach, onError empty"

  var hasWindows: Bool { [.days, .times, .numbers].contains(self) }
  var hasSteps: Bool { [.step, .attach, .stepSkipping, .attachEmpty].contains(self) }
  var attaches: Bool { [.attach, .attachEmpty].contains(self) }
  var failsOneList: Bool { [.stepSkipping, .attachEmpty].contains(self) }
}
