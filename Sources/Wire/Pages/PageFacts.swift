// The facts about one page, for its pager.

/// The facts about one fetched page: all that a pager may know.
package struct PageFacts: Sendable {
  /// Number of pages of this stream so far, including this page: 1 for the first.
  package let number: Int
  package let status: Int
  package let url: Redactable
  package let fields: HTTPFields
  package let body: PageBody

  package init(number: Int, status: Int, url: Redactable, fields: HTTPFields, body: PageBody) {
    self.number = number
    self.status = status
    self.url = url
    self.fields = fields
    self.body = body
  }
}

// MARK: The facts about the body of a page: what its pager, its conditions and its warnings may know

/// The facts about the body of one page, without the records themselves.
///
/// A class, since each page's facts are copied some thirty times.
package final class PageBody: Sendable {
  /// Number of records in the page.
  package let recordCount: Int
  /// Number of items as the server counts them.
  ///
  /// These are the records. With a `*` in the content's path, they are the elements there, however many records each
  /// has. If there is one element only, they are its records, since it may be a wrapper.
  package let itemCount: Int
  /// Number of items and of rows with column names: servers that give pages of so many rows count the names, too.
  package let rowCount: Int
  /// Number of items that are records of a single element, which a server may count as one item.
  package let wrappedCount: Int
  /// True if the content is `null`, which some servers write for a part of the pages that they could not read.
  package let hasNullContent: Bool
  /// Kind of the content; nil for null, for none, and with a `*` in its path.
  package let contentKind: ContentKind?
  /// The name that is missing and the names that exist (at most 21), if the page lacks its content and may lack it
  /// (`empty: missing`).
  package let missingContent: (name: String, names: [String])?
  /// Equal exactly when two pages of a stream have the same content, byte for byte (for all that a hash can say).
  ///
  /// It is 0 if it was not wanted.
  package let contentHash: Int
  /// Hashes of the records, if pages are compared.
  package let records: PageRecords?
  /// Compact JSON text of each `body` path that the job's `pages` templates read, by the path's text.
  ///
  /// Absent paths are not included.
  package let captured: [String: [UInt8]]
  /// Absent paths that lead into a string, number or boolean with a value, each with that value's path and kind.
  ///
  /// Example: `'/links/next' is a string`.
  package let blockedPaths: [String: String]
  /// For absent paths that end at an object without their next member: the number of steps to it, and its names.
  ///
  /// They are known only for a stream's first page.
  package let lacking: [String: (depth: Int, names: [String])]
  /// Values that the job's templates read in the page's last record, as the server sent them, by the texts of their paths.
  ///
  /// With a `*`, the values are of the whole element that the record is part of.
  package let last: [String: [UInt8]]
  /// Members beside the content, on a stream's first page.
  package let outline: [EnvelopeMember]
  /// True if the content is one value and no list.
  package let isSingle: Bool
  /// True if the records are objects, judged by the first one.
  package let isOfObjects: Bool
  /// Number of the page's records that `where` leaves out; all other counts include them.
  package let leftOutCount: Int
  /// The first record, if `where` leaves out the first batch of records as a whole; empty for a large one.
  package let leftOut: [UInt8]
  /// Number of records in which a list says that it was cut, and the first such list; none if they are not counted.
  package let cutCount: Int
  package let cutList: CutList?
  /// The first bytes of the first two records.
  package let heads: [[UInt8]]
  /// The last line of NDJSON; empty for another format, and for a long line.
  package let lastLine: [UInt8]
  /// Names of the members that `where` reads and no record has, if the page has records and none was kept.
  package let filterMisses: [String]
  /// True if a record is not above the saved mark, for `until: known`.
  package let hasKnown: Bool
  /// True if a record above that mark follows one that is not.
  package let hasNewAfterKnown: Bool
  /// Compact JSON text of what has the columns of records that are arrays, if the page has it.
  package let columns: [UInt8]?
  /// What says that the mark of the request is too old, so that the page is none; nil for all other pages.
  package let expiry: String?

  package init(
    recordCount: Int, itemCount: Int? = nil, headerCount: Int = 0, wrappedCount: Int = 0, hasNullContent: Bool = false,
    contentKind: ContentKind? = nil,
    missingContent: (name: String, names: [String])? = nil, contentHash: Int = 0, records: PageRecords? = nil,
    captured: [String: [UInt8]] = [:], blockedPaths: [String: String] = [:],
    lacking: [String: (depth: Int, names: [String])] = [:], last: [String: [UInt8]] = [:],
    outline: [EnvelopeMember] = [], isSingle: Bool = false, isOfObjects: Bool = false, leftOutCount: Int = 0,
    leftOut: [UInt8] = [], cutCount: Int = 0, cutList: CutList? = nil, heads: [[UInt8]] = [], lastLine: [UInt8] = [],
    filterMisses: [String] = [], hasKnown: Bool = false, hasNewAfterKnown: Bool = false,
    columns: [UInt8]? = nil, expiry: String? = nil
  ) {
    self.recordCount = recordCount
    self.itemCount = itemCount ?? recordCount
    rowCount = self.itemCount + headerCount
    self.wrappedCount = wrappedCount
    self.hasNullContent = hasNullContent
    self.contentKind = contentKind
    self.missingContent = missingContent
    self.contentHash = contentHash
    self.records = records
    self.captured = captured
    self.blockedPaths = blockedPaths
    self.lacking = lacking
    self.last = last
    self.outline = outline
    self.isSingle = isSingle
    self.isOfObjects = isOfObjects
    self.leftOutCount = leftOutCount
    self.leftOut = leftOut
    self.cutCount = cutCount
    self.cutList = cutList
    (self.heads, self.lastLine, self.filterMisses) = (heads, lastLine, filterMisses)
    self.hasKnown = hasKnown
    self.hasNewAfterKnown = hasNewAfterKnown
    (self.columns, self.expiry) = (columns, expiry)
  }
}

extension PageBody {
  /// Returns the same facts with other captured values.
  package func capturing(_ captured: [String: [UInt8]]) -> PageBody {
    PageBody(
      recordCount: recordCount, itemCount: itemCount, headerCount: rowCount - itemCount, wrappedCount: wrappedCount,
      hasNullContent: hasNullContent, contentKind: contentKind, missingContent: missingContent,
      contentHash: contentHash, records: records, captured: captured, blockedPaths: blockedPaths, lacking: lacking,
      last: last, outline: outline, isSingle: isSingle, isOfObjects: isOfObjects, leftOutCount: leftOutCount,
      leftOut: leftOut, cutCount: cutCount, cutList: cutList, heads: heads, lastLine: lastLine,
      filterMisses: filterMisses, hasKnown: hasKnown, hasNewAfterKnown: hasNewAfterKnown, columns: columns,
      expiry: expiry)
  }
}

/// A list inside a record that says that it was cut.
package struct CutList: Hashable, Sendable {
  /// Names that lead from the record to the list; `*` for any element of a list around it.
  package let path: [String]
  /// The sign in words: `'/lines/has_more' beside 10 elements of '/lines/data'`.
  package let sign: String
  /// Names that lead to the URL of the list's next page, if the record has it.
  package let next: [String]?

  package init(path: [String], sign: String, next: [String]? = nil) {
    (self.path, self.sign, self.next) = (path, sign, next)
  }
}

/// The kind of the one value that is a page's content; the raw value is its name in messages and bookmarks.
package enum ContentKind: String, Hashable, Sendable {
  case object, array, string, number, boolean
  /// An object whose first name is a number, as PHP writes a list whose indices have a gap.
  case indexed = "object with numbers for names"
}

// MARK: A member of a response beside its records

/// A member of an object on the path of the content, or of the content itself if that is the whole body, one object.
package struct EnvelopeMember: Hashable, Sendable {
  /// The names of the objects around it, then its own; `*` for an element of the content's path.
  package let path: [String]
  /// The member's value as compact JSON; only the first bytes of a value that is too large.
  package let text: [UInt8]
  package let isWhole: Bool
  /// True if it is in an element at a `*` of the content's path.
  package let isInner: Bool

  package init(path: [String], text: [UInt8], isWhole: Bool = true, isInner: Bool = false) {
    self.path = path
    self.text = text
    self.isWhole = isWhole
    self.isInner = isInner
  }
}

// MARK: The records of a page as hashes: what two pages have in common

/// The records of one page, to find those that are on the page before as well.
///
/// A class, since the facts about a page are copied some thirty times.
package final class PageRecords: Sendable {
  /// Hashes of the records, in order; of a large page, those of its first and its last records.
  package let hashes: [UInt64]
  /// Hashes that are there twice.
  private let doubled: Set<UInt64>
  /// Numbers of the records, from 1, by the upper bits of their hashes; 0 is a free slot.
  ///
  /// Three of four slots or more are free, so that most searches end at once.
  private let slots: [UInt32]
  private let shift: UInt64

  package init(_ hashes: [UInt64]) {
    self.hashes = hashes
    let bits = max(4, Int.bitWidth - (hashes.count * 4).leadingZeroBitCount)
    let shift = UInt64(64 - bits)
    var slots = [UInt32](repeating: 0, count: 1 << bits)
    var doubled: Set<UInt64> = []
    for index in hashes.indices {
      let slot = Self.slot(of: hashes[index], in: slots, hashes, shift)
      if slots[slot] != 0 { doubled.insert(hashes[index]) } else { slots[slot] = UInt32(truncatingIfNeeded: index + 1) }
    }
    (self.slots, self.doubled, self.shift) = (slots, doubled, shift)
  }

  /// Returns the slot of a hash, or the free slot where it would be.
  @inline(__always)
  private static func slot(of hash: UInt64, in slots: [UInt32], _ hashes: [UInt64], _ shift: UInt64) -> Int {
    var slot = Int(truncatingIfNeeded: hash >> shift)
    while slots[slot] != 0, hashes[Int(slots[slot]) &- 1] != hash { slot = (slot &+ 1) & (slots.count &- 1) }
    return slot
  }

  /// Returns the indices of the records that an earlier page has as well.
  private func indices(in earlier: PageRecords) -> [Int] {
    let (slots, others, shift) = (earlier.slots, earlier.hashes, earlier.shift)
    var indices: [Int] = []
    for index in hashes.indices where slots[Self.slot(of: hashes[index], in: slots, others, shift)] != 0 {
      indices.append(index)
    }
    return indices
  }

  /// True if a record is there twice, so that the list may have equal records.
  package var hasEqual: Bool { !doubled.isEmpty }

  /// Returns the number of records that are on an earlier page as well; 0 if that may be so in any list.
  ///
  /// A record that stands on both pages at one place, such as a pinned one, does not count, unless most of the page's do. In a
  /// list that may have equal records, only pages that are half alike count, or a record at the border.
  ///
  /// - Parameter mayBeEqual: whether an earlier page of the list had equal records.
  package func shared(with earlier: PageRecords, mayBeEqual: Bool) -> Int {
    let again = indices(in: earlier).filter { !doubled.contains(hashes[$0]) && !earlier.doubled.contains(hashes[$0]) }
    let pinned = again.count { $0 < earlier.hashes.count && earlier.hashes[$0] == hashes[$0] }
    let shared = pinned * 2 > hashes.count ? again.count : again.count - pinned
    guard shared > 0, mayBeEqual || hasEqual || earlier.hasEqual else { return shared }
    let border = hashes.first == earlier.hashes.last ? hashes.first : nil
    if let border, !doubled.contains(border), !earlier.doubled.contains(border) { return shared }
    return shared * 2 > min(hashes.count, earlier.hashes.count) ? shared : 0
  }

  /// Reports that no record of the page is missing on an earlier page.
  package func isWithin(_ earlier: PageRecords) -> Bool {
    !hashes.isEmpty && indices(in: earlier).count == hashes.count
  }
}
