import Foundation

/// An API as a pure value: the same request to the same catalog has the same answer, right or wrong.
struct ModelServer: Sendable {
  struct Answer: Sendable {
    var status = 200
    var fields: [(name: String, value: String)] = []
    var body: String
  }

  static let origin = "http://model.test"

  let pager: MatrixPager
  /// Whether a page is there only when it is asked for again.
  var isSlow = false
  var catalog = ModelCatalog()
  /// A list whose items nobody may see.
  var forbiddenList: String?
  /// How it is wrong about its items.
  var fault: ModelFault?
  /// Whether each page has the total of records, though no key reads it.
  var showsTotal = false
  /// Whether each page has the time of the newest record, whatever the request selects.
  var showsSync = false

  /// - Parameters:
  ///   - body: of the request, if it has one.
  ///   - isRepeated: whether there was such a request before.
  func answer(_ url: String, body: [UInt8]?, isRepeated: Bool) -> Answer {
    if isSlow, !isRepeated {
      // One kind of answer or the other.
      return url.utf8.count.isMultiple(of: 2)
        ? Answer(status: 202, fields: [("Retry-After", "3")], body: "") : Answer(body: #"{"state":"busy"}"#)
    }
    let components = URLComponents(string: url)
    var items: [String: String] = [:]
    for item in components?.queryItems ?? [] { items[item.name] = item.value }
    if let body {
      let members = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
      for (name, value) in members { items[name] = "\(value)" }
    }
    let path = components?.path ?? ""
    if let list = items["list"], list == forbiddenList { return Answer(status: 404, body: "") }
    let selected = path == "/items" ? fault?.filters(items) ?? items : items
    return page(of: records(of: path, selected), items, path, isRepeated: isRepeated)
  }

  /// All records that a request selects.
  func records(of path: String, _ filters: [String: String]) -> [ModelRecord] {
    let records = catalog.records(of: path, filters)
    return path == "/items" ? fault?.list(records) ?? records : records
  }

  /// The time of the newest record of the list that a request reads.
  func sync(of path: String, _ filters: [String: String]) -> String? {
    records(of: path, filters.filter { $0.key == "list" }).map(\.time).max()
  }

  private func page(
    of records: [ModelRecord], _ items: [String: String], _ path: String, isRepeated: Bool
  ) -> Answer {
    let fault = path == "/items" ? fault : nil
    let size = pager == .none && fault != .honoursSize ? records.count : MatrixPager.pageSize
    var page = ModelPage(
      records, first: firstIndex(in: records, items), size: size, number: items["page"].flatMap { Int($0) })
    fault?.distort(&page, pager)
    let (isLast, next) = (page.next == nil, page.lacksNext ? nil : page.next)
    var answer = Answer(body: "")
    var members = [#""items":[\#(page.records.map(\.json).joined(separator: ","))]"#]
    switch pager {
    case .none, .number, .offset, .numberShort, .offsetShort: break
    case .cursor, .cursorInBody: members.append(#""next":\#(next.map { "\"c\($0)\"" } ?? "null")"#)
    case .cursorMore:
      if let next { members.append(#""token":"c\#(next)""#) }
      members.append(#""more":\#(!isLast)"#)
    case .cursorOfLast, .numberMore: members.append(#""more":\#(!isLast)"#)
    case .numberDone: members.append(#""done":\#(isLast)"#)
    case .numberTotalPages: members.append(#""pages":\#(page.pageCount)"#)
    case .numberTotalRecords, .offsetTotalRecords: members.append(#""total":\#(page.total)"#)
    case .next: members.append(#""next":\#(next.map { "\"\(link(path, items, $0))\"" } ?? "null")"#)
    case .linkHeader:
      if let next { answer.fields.append(("Link", "<\(link(path, items, next))>; rel=\"next\"")) }
    case .linkInBody:
      let links = next.map { #"{"relation":"next","url":"\#(link(path, items, $0))"}"# } ?? ""
      members.insert(#""link":[\#(links)]"#, at: 0)
    }
    if isSlow { members.append(#""state":"done""#) }
    if showsSync, let sync = sync(of: path, items) { members.append(#""sync":"\#(sync)""#) }
    if showsTotal, !pager.readsTotal { members.append(#""total":\#(page.total)"#) }
    answer.body = "{\(members.joined(separator: ","))}"
    fault?.distort(&answer, page, pager, isRepeated: isRepeated)
    return answer
  }

  /// Where the page begins.
  private func firstIndex(in records: [ModelRecord], _ items: [String: String]) -> Int {
    if let page = items["page"] { return ((Int(page) ?? 1) - 1) * MatrixPager.pageSize }
    if let skip = items["skip"] { return Int(skip) ?? 0 }
    guard let after = items["after"], after != "<null>" else { return 0 }
    guard pager == .cursorOfLast else { return Int(after.dropFirst()) ?? 0 }
    return (records.firstIndex { "\($0.id)" == after } ?? -1) + 1
  }

  private func link(_ path: String, _ items: [String: String], _ next: Int) -> String {
    var items = items
    items["skip"] = "\(next)"
    let query = items.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    return "\(path)?\(query.joined(separator: "&"))"
  }
}
