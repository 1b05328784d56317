internal import JSONText

/// Values of `empty` while it is decoded.
struct EmptyDraft {
  var statuses: [Int]?
  var condition: Condition?
}
