/// One page of a list of the model server, before it is written as an answer.
struct ModelPage {
  /// The whole list at the moment of the request.
  var list: [ModelRecord]
  /// Index of the page's first record.
  var first: Int
  let size: Int
  /// Number of the page, from 1.
  let number: Int
  /// The records in place of those of the list.
  var replaced: [ModelRecord]?
  /// Index at which the next page begins, in place of the right one.
  var movedNext: Int?
  /// True if the way to the next page is left out.
  var lacksNext = false
  /// Number of records that the server gives as the total.
  var total: Int
  var pageCount: Int

  init(_ list: [ModelRecord], first: Int, size: Int, number: Int?) {
    (self.list, self.first, self.size) = (list, first, size)
    self.number = number ?? (size == 0 ? 1 : first / size + 1)
    total = list.count
    pageCount = size == 0 ? 1 : (list.count + size - 1) / size
  }

  var end: Int { min(list.count, first + size) }

  var records: [ModelRecord] { replaced ?? (first < end ? Array(list[first..<end]) : []) }

  /// Index at which the next page begins; nil on the last page.
  var next: Int? { movedNext ?? (end < list.count ? end : nil) }
}
