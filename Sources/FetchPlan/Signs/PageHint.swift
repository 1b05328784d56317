// The one table of the names by which responses say something about their set.

import JSONText
import Primitives

/// A name by which a response says that there is more than it holds, that there is not, or that it is not whole.
///
/// The run, `new` and the lines to paste read this table. `PageHints` reads it for further pages, on the first and the
/// last page of a stream; `PartialHint` reads it for partial answers, on every page.
///
/// Names are compared without case and without anything but letters and digits, so that `next_page`, `nextPage` and
/// `X-Next-Page` are one name.
package struct PageHint: Hashable, Sendable {
  /// Meaning of a value, which decides which values say yes or no.
  package enum Meaning: Hashable, Sendable {
    /// Leads to the next page, as a URL, a cursor or a number. Yes: a text that is neither "" nor "0", a number above
    /// 0, an object or array with something in it. No: "", 0, null, false, `{}`.
    case next
    /// True if there is more, or how much. Yes: true, "true", "yes", a number above 0. No: false, "false", "no", 0.
    case more
    /// True if this is the end. Yes and no are reversed, and only booleans and texts of booleans count.
    case end
    /// Number of pages. Yes: above 1 and above the current page. No: the current page is the last.
    case pages
    /// Number of records. Yes: more than came so far.
    case records
    /// A cursor only where it is a text that is no number (`offset` of Airtable).
    case textOffset
    /// The response is not whole, whatever pages follow. Evidence of `partial`; the job needs a `failure`.
    case partial(Values)
  }

  /// The values of a `partial` row that say so.
  package enum Values: Hashable, Sendable {
    /// True, also as a text.
    case yes
    /// True, or a text, list or object with something in it; a number counts what the records are about.
    case filled
    /// Like `filled`, or a number above 0.
    case some
    /// A number above 0.
    case positive
    /// A text such as `incomplete`, `partial`, `timeout`.
    case words
  }

  /// The part of a member's name that the row gives.
  package enum Form: Hashable, Sendable { case whole, start, end }

  /// Location in which a name counts.
  ///
  /// A name never counts inside records, nor beside them in another list.
  package enum Scope: Int, Hashable, Sendable {
    /// In an object on the way to the content, and in objects that speak of pages (`PageHint.containers`).
    ///
    /// Rows of `partial` also count in objects that describe the response (`PageHint.reports`).
    case paging
    /// In any object on the way to the content, or beside it and at most three levels deep.
    case anywhere
  }

  /// Lower case, letters and digits only.
  package let name: String
  package let form: Form
  package let meaning: Meaning
  package let scope: Scope
  /// The request's item that takes the value, if the item's name can't be derived from the row's.
  package let item: String?
  /// Names of the only objects in which the row counts; empty for no such rule.
  package let containers: [String]

  private init(
    _ name: String, _ meaning: Meaning, _ scope: Scope, item: String? = nil, form: Form = .whole,
    in containers: [String] = []
  ) {
    (self.name, self.meaning, self.scope, self.item) = (name, meaning, scope, item)
    (self.form, self.containers) = (form, containers)
  }

  /// Weight of a sign.
  ///
  /// A stronger sign overrides weaker ones: `has_more: false` overrides a cursor, a missing next link overrides a
  /// total.
  package enum Weight: Int, Comparable, Sendable {
    case none, records, pages, next, more
    package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }

  /// True for names that often say something else: of a text, of success, of a search that took too long, or of the page
  /// itself.
  ///
  /// Such a name says that there is more, but not that there is not.
  var isWeakNo: Bool {
    [
      "truncated", "done", "finished", "eof", "isfinal", "jobcomplete", "complete", "iscomplete", "end", "pagecount",
      "limitedby", "toomanyresults", "toomanyrecords", "resultslimited",
      "limitreached",
    ].contains(name)
  }

  package var weight: Weight {
    switch meaning {
    case .next, .textOffset: .next
    case .more, .end: .more
    case .pages: .pages
    case .records: .records
    case .partial: .none
    }
  }
}

extension PageHint {
  /// All signs in members and header fields.
  ///
  /// Links are signs of their own (`PageHints`).
  package static let all: [PageHint] =
    [
      "nexturl", "nexthref", "nextlink", "nexturi", "nextpath", "nextpage", "nextpageurl", "nextpagelink",
      "nextpageuri", "nextpagehref", "nextrecordsurl", "nextresultsurl", "odatanextlink", "moretopicsurl",
      "nextcursor", "nexttoken", "nextmarker", "nextkey", "nextoffset", "nextstart", "nextstartindex",
      "nextpagetoken", "nextpagecursor", "nextpageid", "nextpagekey", "nextpagenumber", "nextpagestart",
      "nextbatch", "cursornext", "paginationtoken", "continuation", "nextcontinuationtoken", "nextid", "nextrange",
      "nextposition", "nextrecordposition", "nextbookmark", "afterurl", "nextpageparams", "nextpageparameters",
      "nextparams", "nextpagequery", "nextcursormark", "nextpageoffset", "nextmaxid", "resumptiontoken", "hydranext",
      "cbafter", "sforcelocator", "nextskip", "nextindex", "scrollid", "searchafter", "nextforwardtoken", "nextresults",
      "nextrecords", "skiptoken",
    ].map { PageHint($0, .next, .anywhere) }
    + [
      PageHint("nextbefore", .next, .anywhere, item: "before"),
      PageHint("nextafter", .next, .anywhere, item: "after"),
      PageHint("continuationtoken", .next, .anywhere, item: "continuationToken"),
      PageHint("mscontinuation", .next, .anywhere, item: "x-ms-continuation"),
      PageHint("mscontinuationtoken", .next, .anywhere, item: "continuationToken"),
      PageHint("lastevaluatedkey", .next, .anywhere, item: "ExclusiveStartKey"),
      PageHint("searchcontinue", .next, .anywhere, item: "continue"),
      PageHint("next", .next, .paging), PageHint("continue", .next, .paging, item: "continue"),
      PageHint("cursor", .next, .paging, item: "cursor"), PageHint("after", .next, .paging, item: "after"),
      PageHint("pagetoken", .next, .paging, item: "pageToken"),
      PageHint("pagekey", .next, .paging, item: "pageKey"),
      PageHint("bookmark", .next, .paging, item: "bookmark"),
      PageHint("offset", .textOffset, .paging, item: "offset"),
    ]
    + [
      "hasmore", "hasnext", "hasnextpage", "hasnextpages", "hasmoreitems", "hasmoreresults", "hasmorerecords",
      "hasmorepages", "hasmoredata", "moreavailable", "moreresults", "moreresultsavailable", "morerecords",
      "moreitemsincollection", "istruncated", "exceededtransferlimit", "hasmorepage", "havemore", "havemoreresults",
      "morepages", "moreresult",
      "moredata", "hasadditional", "hasnextset", "remainingpages", "pagesremaining", "pagesleft", "remainingrecords",
      "recordsremaining", "remainingitems", "itemsremaining", "remainingresults", "resultsremaining",
      "remainingitemcount", "moreitems", "moredataavailable",
      "hasadditionalpages", "canloadmore", "limitedby", "limitreached", "toomanyresults", "toomanyrecords",
      "resultslimited",
    ].map { PageHint($0, .more, .anywhere) }
    + ["more", "truncated"].map { PageHint($0, .more, .paging) }
    + [
      "islast", "islastpage", "lastpage", "isfinalpage", "isend", "endoflist", "endofrecords", "endofresults",
      "endofstream", "nomore", "nomorepages", "nomoreresults", "allloaded",
    ].map { PageHint($0, .end, .anywhere) }
    + ["last", "done", "finished", "eof", "isfinal", "jobcomplete", "complete", "iscomplete", "end"].map {
      PageHint($0, .end, .paging)
    }
    + [
      "totalpages", "totalpagecount", "pagestotal", "pagecount", "numpages", "numberofpages", "nbpages", "lastpage",
      "totalpage", "pagescount", "maxpage", "pagetotal", "lastpageindex", "totalnumberofpages",
    ].map { PageHint($0, .pages, .anywhere) }
    + ["pages", "last", "of"].map { PageHint($0, .pages, .paging) }
    + [
      "total", "totalcount", "totalresults", "totalhits", "totalrecords", "totalelements", "totalitems", "totalsize",
      "totalentries", "totalobjects", "totaldocs", "totalmatches", "nbhits", "hitcount", "numfound", "numbermatched",
      "odatacount", "recordstotal", "count", "totalrows", "totalrow", "totalrecord", "totalitem", "totalresult",
      "totalnum", "totalnumber", "totalrecordcount", "totalresultcount", "totalresultscount", "totalitemcount",
      "totalitemscount", "totalobjectcount", "totalfound", "totalmatched", "totalavailable", "resultstotal",
      "itemstotal", "resultcount", "resultscount", "recordcount", "recordscount", "itemcount", "itemscount", "found",
      "matched", "estimatedtotalhits", "totalestimatedmatches", "opensearchtotalresults", "hydratotalitems", "nhits",
      "totalresultssize", "itotalrecords", "collectiontotal", "soda2total", "hits", "matches", "numresults",
      "numberofresults", "rowcount", "rowscount", "totalrowcount", "totalnumberofresults", "totalnumberofrecords",
      "totalnumberofitems", "recordsfiltered", "filteredcount", "totalfiltered", "itotaldisplayrecords",
      "totalfilteredcount", "totalmatching", "matchcount", "numrows", "rowsbeforelimitatleast",
    ].map { PageHint($0, .records, .paging) } + partial

  /// Signs of an answer that is not whole, also beside further pages.
  private static let partial: [PageHint] =
    [
      "partial", "timedout", "timeout", "incomplete", "preview", "ispreview", "degraded", "terminatedearly",
      "limithit", "haserrors", "searchcutoff", "islimited", "haspartialresults", "resultsaretruncated", "istimedout",
      "isdegraded",
    ].map { PageHint($0, .partial(.yes), .paging) }
    + ["truncated", "exceeded", "limitreached", "timedout", "incomplete", "ispartial"].map {
      PageHint($0, .partial(.yes), .paging, form: .end)
    }
    + ["truncatedby", "truncationreason", "partialreason", "incompletereason"].map {
      PageHint($0, .partial(.filled), .paging)
    }
    + [
      "error", "errors", "errormessages", "warnings", "warning", "warningmessages", "exception", "exceptions", "remark",
      "partialfailureerror", "failedregions",
      "unavailable", "failures",
    ].map { PageHint($0, .partial(.filled), .paging) }
    + ["partialfailure", "partialerror", "unreachable", "unprocessed"].map {
      PageHint($0, .partial(.some), .paging, form: .start)
    }
    + ["failed", "missing", "unresponsive", "unavailable"].flatMap { state in
      [
        "regions", "zones", "locations", "sources", "shards", "nodes", "clusters", "partitions", "hosts", "servers",
        "backends", "services", "providers", "keys", "items", "records", "ids", "queries",
      ].map { PageHint(state + $0, .partial(.some), .paging) }
    }
    + ["numerrors", "errorcount", "errorscount", "numberoferrors", "numfailedshards"].map {
      PageHint($0, .partial(.positive), .paging)
    }
    + ["failed", "partial", "timedout"].map {
      PageHint($0, .partial(.positive), .paging, in: ["shards", "clusters", "partitions", "nodes"])
    }
    // Elasticsearch skips shards that can't have a hit.
    + [PageHint("skipped", .partial(.positive), .paging, in: ["clusters"])]
    // After `partialfailure`, whose values are of all kinds.
    + ["ispartial", "partial", "incomplete", "isincomplete", "degraded"].map {
      PageHint($0, .partial(.yes), .paging, form: .start)
    }
    + [PageHint("truncated", .partial(.yes), .paging, in: ["manifest"])]
    + [PageHint("omitted", .partial(.filled), .paging, in: ["meta"])]
    + [
      "requeststatus", "responsestatus", "resultstatus", "querystatus", "searchstatus", "status", "completeness",
      "stopreason", "terminationreason", "completionstatus", "completionreason", "executionstatus",
    ].map { PageHint($0, .partial(.words), .paging) }

  /// Texts by which a status says that the response is not whole, as names are compared.
  static let partialWords: Set = [
    "incomplete", "partial", "partially", "timeout", "timedout", "truncated", "degraded", "partialsuccess",
    "partialcontent", "partialresults", "partialresult", "partialfailure", "partialdata", "partiallysuccessful",
    "incompleteresults",
  ]

  /// Objects that describe the response, and not its pages, by their names.
  static let reports: Set = [
    "shards", "clusters", "responseheader", "responsestatus", "status", "responseinfo", "queryinfo", "querystatus",
    "searchinformation", "diagnostics", "extensions", "execution", "executioninfo", "header", "response",
    "manifest",
  ]

  /// Returns the signs of a name: several if the meaning depends on the kind of the value (`last_page`).
  package static func named(_ name: String) -> [PageHint] {
    let rows = listed(name)
    return rows.isEmpty && isTotalName(name) ? listed("total") : rows
  }

  private static func listed(_ name: String) -> [PageHint] {
    let count = name.utf8.count
    return count < byLength.count ? byLength[count].filter { $0.name == name } : []
  }

  /// True for a name that may give the number of the records on the page: `count`, `numberOfElements`.
  static func mayCountPage(_ name: String) -> Bool {
    ["count", "itemcount", "itemscount", "recordcount", "resultcount", "rowcount", "numresults"].contains(name)
      || listed(name).isEmpty && !name.contains("total") && !name.contains("overall") && isTotalName(name)
  }

  /// Reports that a name consists of words for a number and for records: `numberOfRecords`, `hits_total`.
  ///
  /// It has `total`, or a word for a number and one for records.
  private static func isTotalName(_ name: String) -> Bool {
    var rest = name[...]
    var (hasTotal, hasNumber, hasNoun) = (false, false, false)
    guard name.utf8.count > 4, numberWords.contains(where: name.contains) else { return false }
    while !rest.isEmpty {
      if let word = numberWords.first(where: rest.hasPrefix) {
        (hasTotal, hasNumber) = (hasTotal || word == "total" || word == "overall", true)
        rest = rest.dropFirst(word.count)
      } else if let word = nounsOfRecords.first(where: rest.hasPrefix) {
        hasNoun = true
        rest = rest.dropFirst(word.count)
      } else if let word = ["of", "all", "available", "matching"].first(where: rest.hasPrefix) {
        rest = rest.dropFirst(word.count)
      } else {
        return false
      }
    }
    return hasTotal || hasNumber && hasNoun
  }

  private static let numberWords = ["total", "overall", "count", "cnt", "number", "num", "nb", "found", "matched"]
  private static let nounsOfRecords = [
    "records", "record", "results", "result", "items", "item", "hits", "hit", "entries", "elements", "rows",
    "documents",
    "docs", "matches", "objects", "list",
  ]

  /// Returns the row of a name by which a response says that it is not whole; nil if the name has none.
  static func partial(_ name: String, in container: String) -> PageHint? {
    let count = name.utf8.count
    if count < partialByLength.count {
      let rows = partialByLength[count].filter { $0.name == name }
      if let row = rows.first(where: { $0.containers.contains(container) }) ?? rows.first(where: \.containers.isEmpty) {
        return row
      }
    }
    // `isTruncated` says that there are further pages.
    guard let row = partialPatterns.first(where: { $0.matches(name) }), !named(name).contains(where: \.isAboutPages)
    else { return nil }
    return row
  }

  private var isAboutPages: Bool { weight != .none }

  private func matches(_ other: String) -> Bool {
    switch form {
    case .whole: other == name
    case .start: other.utf8.starts(with: name.utf8)
    case .end: other.utf8.count >= name.utf8.count && other.utf8.suffix(name.utf8.count).elementsEqual(name.utf8)
    }
  }

  private static let partialPatterns = partial.filter { $0.form != .whole }
  private static let partialByLength = byLength(partial)

  /// The signs by the lengths of their names: for so few, faster to build and to search than a dictionary.
  private static let byLength = byLength(all)

  private static func byLength(_ rows: [PageHint]) -> [[PageHint]] {
    var signs: [[PageHint]] = []
    for sign in rows where sign.form == .whole {
      while signs.count <= sign.name.utf8.count { signs.append([]) }
      signs[sign.name.utf8.count].append(sign)
    }
    return signs
  }

  /// Reports that a name is a sign, or says something about one.
  ///
  /// Other members are ignored, so that they use up no room.
  static func isKnown(_ name: String) -> Bool {
    !named(name).isEmpty || currentPage.contains(name) || currentOffset.contains(name)
      || pageSize.contains(name) || besideSigns.contains(name) || firstPage.contains(name)
      || pageBefore.contains(name) || name.hasPrefix("total") || qualifiesTotal(name)
  }

  /// Reports that a member beside a total may say that the total is none of these records.
  private static func qualifiesTotal(_ name: String) -> Bool {
    sums.contains(name) || matching.contains(name)
      || ["estimat", "approx", "exhaustive", "relation"].contains { name.contains($0) }
  }

  /// Names beside which a total is a sum of money.
  static let sums: Set = ["currency", "currencycode", "subtotal", "tax", "amount", "vat"]

  /// Totals that are no sums of money, bytes or pieces, wherever they stand.
  static let plainTotals: Set = [
    "totalcount", "totalresults", "totalrecords", "totalelements", "totalhits", "totalentries", "totalobjects",
    "totaldocs", "totalmatches", "totalrows", "totalrecordcount", "totalresultcount", "totalitemcount", "odatacount",
  ]

  /// Totals of the records that match: beside one, `total` counts all records that the server has.
  static let matching: Set = [
    "recordsfiltered", "filteredcount", "filtered", "totalfiltered", "filteredtotal", "totalfilteredcount",
    "itotaldisplayrecords", "matched", "numbermatched", "totalmatched", "totalmatches", "matches", "matchcount",
  ]

  /// Names that decide the meaning of a sign beside them.
  private static let besideSigns = [
    "before", "endcursor", "lastcursor", "object", "links", "paging", "nbpages", "numberofelements",
  ]

  /// Names that say whether this page is the first one, and whether another is before it.
  static let firstPage = ["first", "isfirst", "isfirstpage", "firstpage"]
  static let pageBefore = ["hasprevious", "hasprev", "haspreviouspage", "hasprevpage"]

  /// Objects that speak of pages, by their names.
  static let containers = [
    "meta", "metadata", "pagination", "paginationinfo", "paging", "pagingmetadata", "page", "pages", "pageinfo",
    "pager", "paginator", "links", "navigation", "cursor", "cursors", "responsemetadata", "searchmetadata",
    "searchinfo",
    "resultinfo", "resultset", "listinfo", "info", "additionaldata", "context", "results", "range", "queries",
    "hydraview", "nav", "records", "resultsetmetadata", "counts", "search", "searchresult", "searchresults",
    "response",
  ]

  /// Names of the page or record that a response begins with.
  static let currentPage = [
    "page", "currentpage", "pagenumber", "pageno", "pagenum", "pageindex", "number", "current",
  ]
  static let pageSize = [
    "limit", "perpage", "pagesize", "maxresults", "itemsperpage", "pagelimit", "resultsperpage", "hitsperpage",
  ]
  static let currentOffset = ["offset", "start", "startat", "startindex", "startrow", "skip", "skipcount", "from"]

  /// Names of the place or size of a page that are seldom those of something else, also inside of records.
  static let places: Set = [
    "maxresults", "pagesize", "perpage", "itemsperpage", "resultsperpage", "limit", "startat", "startindex", "offset",
    "skip", "page", "currentpage", "pagenumber",
  ]

  /// A name as names are compared.
  static func normalized(_ name: some StringProtocol) -> String {
    String(
      // A digit has this bit in any case.
      decoding: name.utf8.compactMap { $0.isLetterOrDigit ? $0 | 0x20 : nil }, as: UTF8.self)
  }
}
