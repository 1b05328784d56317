// A URL and its query items, so that items can be added and replaced.

import Wire

/// A URL without fragment, split at its `?` and `&`.
///
/// Nothing is decoded, so that unchanged parts are sent as they were.
struct SplitURL {
  private let head: Redactable
  private let hasQuery: Bool
  private(set) var items: [Redactable]

  init(_ url: Redactable) {
    let (head, query) = Self.split(url.text)
    let (shownHead, shownQuery) = Self.split(url.redacted)
    self.head = Redactable(head, redacted: shownHead)
    hasQuery = query != nil
    let texts = Self.items(query)
    let shown = Self.items(shownQuery)
    // A URL that is a secret as a whole is shown without its items.
    items = texts.indices.map { Redactable(texts[$0], redacted: shown.count == texts.count ? shown[$0] : "***") }
  }

  var url: Redactable {
    guard hasQuery || !items.isEmpty else { return head }
    var url = head
    url += Redactable("?")
    for (index, item) in items.enumerated() {
      if index > 0 { url += Redactable("&") }
      url += item
    }
    return url
  }

  /// The URL before its query.
  var path: String { head.text }

  /// Returns the values of the items with this name, as they are spelled.
  func values(of name: String) -> [Substring] {
    let wanted = Array(name.utf8)
    return items.compactMap { item in
      let parts = item.text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts[0].description.percentDecoded == wanted ? parts.dropFirst().first ?? "" : nil
    }
  }

  mutating func append(_ added: some Sequence<Redactable>) {
    for item in added {
      // `?a=1&` and `b=2` make `?a=1&b=2`.
      if items.last?.text.isEmpty == true { items.removeLast() }
      items.append(item)
    }
  }

  mutating func removeSecrets() {
    items.removeAll { $0.isSecret }
  }

  /// Returns the URL before and after the value of an item.
  ///
  /// The item replaces the first one with its name, and all others with that name are removed. Without such an item, it
  /// is appended.
  func around(_ name: String) -> (before: Redactable, after: Redactable) {
    var before = self
    let place = before.set(Redactable("\(name.percentEncoded)="), named: name)
    var after = Redactable("")
    for item in before.items[(place + 1)...] {
      after += Redactable("&")
      after += item
    }
    before.items.removeSubrange((place + 1)...)
    return (before.url, after)
  }

  /// Replaces the items with a name by one item, and returns its index.
  private mutating func set(_ item: Redactable, named name: String) -> Int {
    let wanted = Array(name.utf8)
    let isNamesake = items.map { $0.text.prefix { $0 != "=" }.description.percentDecoded == wanted }
    guard let first = isNamesake.firstIndex(of: true) else {
      append([item])
      return items.count - 1
    }
    items = zip(items.indices, items).compactMap { index, old in
      index == first ? item : isNamesake[index] ? nil : old
    }
    return first
  }

  private static func split(_ url: String) -> (head: String, query: String?) {
    guard let mark = url.firstIndex(of: "?") else { return (url, nil) }
    return (String(url[..<mark]), String(url[url.index(after: mark)...]))
  }

  private static func items(_ query: String?) -> [String] {
    guard let query, !query.isEmpty else { return [] }
    return query.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
  }
}
