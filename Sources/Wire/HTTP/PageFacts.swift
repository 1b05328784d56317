/// The facts about one fetched page: all that a pager may know.
package struct PageFacts: Sendable {
  /// Number of pages of this stream so far, including this page: 1 for the first.
  package var number: Int
  package var status: Int
  package var url: Redactable
  package var fields: HTTPFields
  /// Number of records in the page.
  package var recordCount: Int
  /// Number of items as the server counts them.
  ///
  /// These are the records. With a `*` in the content's path, elements that are null there count too, though they give
  /// no record.
  package var itemCount: Int
  /// True if the content is `null`, which some servers write for a part of the pages that they could not read.
  package var hasNullContent = false
  /// Kind of the content in words (`array`); nil for null, for none, and with a `*` in its path.
  package var contentKind: String?
  /// The name that is missing and the names that exist, if the page lacks its content and may lack it (`absent:
  /// empty`).
  package var missingContent: (name: String, names: [String])?
  /// Equal exactly when two pages of a stream have the same content, byte for byte (for all that a hash can say).
  package var contentHash: Int
  /// Hash of the first record; 0 if it is no object, or if the second one is the same.
  package var firstRecord = 0
  /// Hash of the last record; 0 if it is no object, or if the one before it is the same.
  package var lastRecord = 0
  /// Compact JSON text of each `body` path that the job's `pages` templates read, by the path's JSON Pointer.
  ///
  /// Absent paths are not included.
  package var captured: [String: [UInt8]]
  /// Absent paths that lead into a string, number or boolean with a value, each with that value's path and kind.
  ///
  /// Example: `'/links/next' is a string`.
  package var blockedPaths: [String: String]
  /// For absent paths that end at an object without their next member: the number of steps to it, and its names.
  ///
  /// They are known only for a stream's first page.
  package var lacking: [String: (depth: Int, names: [String])] = [:]
  /// Values that the job's templates read in the page's last record, as the server sent them.
  package var last: [String: [UInt8]]
  /// Members beside the content, on a stream's first page.
  package var outline: [EnvelopeMember] = []
  /// True if the content is one value and no list.
  package var isSingle = false
  /// True if the records are objects, judged by the first of the last lines.
  package var isOfObjects = false
  /// Number of the page's records that `where` leaves out; all other counts include them.
  package var leftOutCount = 0
  /// The first record, if `where` leaves out the first batch of records as a whole.
  package var leftOut: [UInt8] = []
  /// Records in which a GraphQL connection says that it has more, if they are counted.
  package var nestedCount = 0
  /// True if a record is not above the saved mark, for `until: known`.
  package var hasKnown = false
  /// True if a record above that mark follows one that is not.
  package var hasNewBehindKnown = false
  /// Compact JSON text of what has the columns of records that are arrays, if the page has it.
  package var columns: [UInt8]?

  package init(
    number: Int, status: Int, url: Redactable, fields: HTTPFields, recordCount: Int, itemCount: Int? = nil,
    contentHash: Int, captured: [String: [UInt8]], blockedPaths: [String: String] = [:], last: [String: [UInt8]] = [:]
  ) {
    self.number = number
    self.status = status
    self.url = url
    self.fields = fields
    self.recordCount = recordCount
    self.itemCount = itemCount ?? recordCount
    self.contentHash = contentHash
    self.captured = captured
    self.blockedPaths = blockedPaths
    self.last = last
  }
}
