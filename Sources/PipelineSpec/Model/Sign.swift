/// The kinds of evidence that a run's records are not the whole set, or not the right one.
///
/// Each kind makes a run `short`. A job's `ignore` names the kinds that are meant there.
package enum Sign: String, CaseIterable, Sendable {
  /// A response says that further pages follow, which the job does not request.
  case more
  /// The server's own total was not reached.
  case total
  /// A page is as full as the request allows, and nothing says that it is the last.
  case full
  /// A response says that it is not whole.
  case partial
  /// A list inside a record was cut.
  case nested
  /// Pages came more than once.
  case repeats
  /// The list moved while its pages were fetched.
  case moved
  /// Pages overlap.
  case overlap
  /// The value that leads to the next page is missing.
  case way
  /// An error stands in place of the records, or beside them.
  case error
  /// Every request was answered by a status that means "nothing".
  case nothing
  /// A condition names a member that no record has.
  case filter
  /// A next page is at another origin.
  case origin
  /// Fewer records came than `least` says.
  case least

  /// The kinds that `ignore` takes; `least` is the author's own figure.
  package static let ignorable = allCases.filter { $0 != .least }

  /// True if the evidence may differ from one input record to the next; otherwise it is the spec's.
  package var isOfData: Bool {
    switch self {
    case .total, .partial, .repeats, .moved, .overlap, .error: true
    case .more, .full, .nested, .way, .nothing, .filter, .origin, .least: false
    }
  }

  /// True if the evidence is only about records after those that came.
  ///
  /// It says nothing about a run that ended earlier, by a limit of the user.
  package var isAboutRest: Bool {
    switch self {
    case .more, .total, .full, .way, .origin, .least: true
    case .partial, .nested, .repeats, .moved, .overlap, .error, .nothing, .filter: false
    }
  }
}
