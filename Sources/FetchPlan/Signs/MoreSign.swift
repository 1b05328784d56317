// The one table of the names by which APIs say whether there is more.

/// A name by which responses say that there is more than they hold, or that there is not.
///
/// Names are compared without case and without anything but letters and digits, so that `next_page`, `nextPage` and
/// `X-Next-Page` are one name.
package struct MoreSign: Hashable, Sendable {
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
  }

  /// Location in which a name counts.
  ///
  /// A name never counts inside records, nor beside them in another list.
  package enum Place: Int, Hashable, Sendable {
    /// In an object on the way to the content, and in objects that speak of pages (`MoreSign.containers`).
    case paging
    /// In any object on the way to the content, or beside it and at most three levels deep.
    case anywhere
  }

  /// Lower case, letters and digits only.
  package let name: String
  package let meaning: Meaning
  package let place: Place
  /// The request's item that takes the value, if the item's name can't be derived from the sign's.
  package let item: String?

  private init(_ name: String, _ meaning: Meaning, _ place: Place, item: String? = nil) {
    (self.name, self.meaning, self.place, self.item) = (name, meaning, place, item)
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
      "truncated", "partial", "done", "finished", "eof", "isfinal", "jobcomplete", "complete", "end", "pagecount",
      "incompleteresults", "incompletesearch", "limitedby", "limitreached",
    ].contains(name)
  }

  package var weight: Weight {
    switch meaning {
    case .next, .textOffset: .next
    case .more, .end: .more
    case .pages: .pages
    case .records: .records
    }
  }
}

extension MoreSign {
  /// All signs in members and header fields.
  ///
  /// Links are signs of their own (`MoreSigns`).
  package static let all: [MoreSign] =
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
    ].map { MoreSign($0, .next, .anywhere) }
    + [
      MoreSign("nextbefore", .next, .anywhere, item: "before"),
      MoreSign("nextafter", .next, .anywhere, item: "after"),
      MoreSign("continuationtoken", .next, .anywhere, item: "continuationToken"),
      MoreSign("mscontinuation", .next, .anywhere, item: "x-ms-continuation"),
      MoreSign("mscontinuationtoken", .next, .anywhere, item: "continuationToken"),
      MoreSign("lastevaluatedkey", .next, .anywhere, item: "ExclusiveStartKey"),
      MoreSign("searchcontinue", .next, .anywhere, item: "continue"),
      MoreSign("next", .next, .paging), MoreSign("continue", .next, .paging, item: "continue"),
      MoreSign("cursor", .next, .paging, item: "cursor"), MoreSign("after", .next, .paging, item: "after"),
      MoreSign("pagetoken", .next, .paging, item: "pageToken"),
      MoreSign("pagekey", .next, .paging, item: "pageKey"),
      MoreSign("bookmark", .next, .paging, item: "bookmark"),
      MoreSign("offset", .textOffset, .paging, item: "offset"),
    ]
    + [
      "hasmore", "hasnext", "hasnextpage", "hasnextpages", "hasmoreitems", "hasmoreresults", "hasmorerecords",
      "hasmorepages", "hasmoredata", "moreavailable", "moreresults", "moreresultsavailable", "morerecords",
      "moreitemsincollection", "istruncated", "exceededtransferlimit", "hasmorepage", "havemore", "havemoreresults",
      "morepages", "moreresult",
      "moredata", "hasadditional", "hasnextset", "remainingpages", "pagesremaining", "pagesleft", "remainingrecords",
      "recordsremaining", "remainingitems", "itemsremaining", "remainingresults", "resultsremaining",
      "remainingitemcount", "moreitems", "incompletesearch", "incompleteresults", "moredataavailable",
      "hasadditionalpages", "canloadmore", "limitedby", "limitreached",
    ].map { MoreSign($0, .more, .anywhere) }
    + ["more", "truncated", "partial"].map { MoreSign($0, .more, .paging) }
    + [
      "islast", "islastpage", "lastpage", "isfinalpage", "isend", "endoflist", "endofrecords", "endofresults",
      "endofstream", "nomore", "nomorepages", "nomoreresults", "allloaded",
    ].map { MoreSign($0, .end, .anywhere) }
    + ["last", "done", "finished", "eof", "isfinal", "jobcomplete", "complete", "end"].map {
      MoreSign($0, .end, .paging)
    }
    + [
      "totalpages", "totalpagecount", "pagestotal", "pagecount", "numpages", "numberofpages", "nbpages", "lastpage",
      "totalpage", "pagescount", "maxpage", "pagetotal", "lastpageindex", "totalnumberofpages",
    ].map { MoreSign($0, .pages, .anywhere) }
    + ["pages", "last", "of"].map { MoreSign($0, .pages, .paging) }
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
      "totalnumberofitems",
    ].map { MoreSign($0, .records, .paging) }

  /// Returns the signs of a name: several if the meaning depends on the kind of the value (`last_page`).
  package static func named(_ name: String) -> [MoreSign] {
    let count = name.utf8.count
    return count < byLength.count ? byLength[count].filter { $0.name == name } : []
  }

  /// The signs by the lengths of their names: for so few, faster to build and to search than a dictionary.
  private static let byLength: [[MoreSign]] = {
    var signs: [[MoreSign]] = []
    for sign in all {
      while signs.count <= sign.name.utf8.count { signs.append([]) }
      signs[sign.name.utf8.count].append(sign)
    }
    return signs
  }()

  /// Reports that a name is a sign, or says something about one.
  ///
  /// Other members are ignored, so that they use up no room.
  static func isKnown(_ name: String) -> Bool {
    !named(name).isEmpty || currentPage.contains(name) || currentOffset.contains(name)
      || pageSize.contains(name) || besideSigns.contains(name) || firstPage.contains(name)
      || pageBefore.contains(name) || name.hasPrefix("total")
  }

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
    "hydraview", "nav", "records",
  ]

  /// Names of the page or record that a response begins with.
  static let currentPage = [
    "page", "currentpage", "pagenumber", "pageno", "pagenum", "pageindex", "number", "current",
  ]
  static let pageSize = [
    "limit", "perpage", "pagesize", "maxresults", "itemsperpage", "pagelimit", "resultsperpage",
  ]
  static let currentOffset = ["offset", "start", "startat", "startindex", "startrow", "skip", "skipcount", "from"]

  /// A name as names are compared.
  static func normalized(_ name: some StringProtocol) -> String {
    String(
      decoding: name.utf8.compactMap { byte -> UInt8? in
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte | 0x20
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): byte
        default: nil
        }
      }, as: UTF8.self)
  }
}
