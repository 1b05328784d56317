// Credentials that a job does not say to be some, so that nothing hides them.

extension Job {
  /// Doubts about header fields and items with the name of a credential whose values are plain text or parameters.
  var openCredentialDoubts: [String] {
    let fields = headers.filter { CredentialName.isCredential(field: $0.name) && $0.value.isOpen }.map(\.name)
      .filter { !Self.hiddenFields.contains($0.lowercased()) && !$0.lowercased().hasSuffix("type") }
    func names(_ items: [QueryItem]) -> [String] {
      items.filter { item in
        CredentialName.isCredential(item: item.name) && item.values.flatMap(\.templates).contains(where: \.isOpen)
      }.map(\.name)
    }
    let places = [("headers", "header", fields), ("query", "query", names(query)), ("form", nil, names(form ?? []))]
    return places.flatMap { key, kind, names in
      names.map { name in
        let remedy = kind.map { "write 'auth: { \($0): { \(name): \"${env.NAME}\" } }'" } ?? "write '${env.NAME}'"
        return
          "'\(name)' in '\(key)' looks like a credential, and messages, recordings and state files show it; if it is one, "
          + remedy
      }
    }
  }

  /// Fields whose values are hidden by their names.
  private static let hiddenFields: Set = ["authorization", "proxy-authorization", "cookie"]
}

extension Template {
  /// True for a text with nothing in it that is hidden, and no record's own value.
  fileprivate var isOpen: Bool {
    !pieces.isEmpty && holes.allSatisfy { $0.root == .param }
  }
}
