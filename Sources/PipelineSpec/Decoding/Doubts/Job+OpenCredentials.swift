// Credentials that a job does not declare as secrets, so that nothing redacts them.

extension Job {
  /// Doubts about header fields and items with the name of a credential whose values are plain text or parameters.
  var openCredentialDoubts: [String] {
    let fields = headers.filter { CredentialName.isCredential(field: $0.name) && $0.value.isOpen }.map(\.name)
      .filter { name in
        let name = name.lowercased()
        return !Self.hiddenFields.contains(name) && !Self.otherParts.contains { name.contains($0) }
      }
    func names(_ items: [QueryItem]) -> [String] {
      items.filter { item in
        let values = item.values.flatMap(\.templates).filter(\.isOpen)
        guard CredentialName.isCredential(item: item.name), !values.isEmpty else { return false }
        return !CredentialName.isAmbiguous(item.name) || values.contains(where: \.looksRandom)
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

  /// Parts of names that contain 'key' or 'auth', but name no credential.
  private static let otherParts = ["type", "author", "idempotency", "partition", "key-id", "keyid"]
  /// Fields whose values are redacted because of their names.
  private static let hiddenFields: Set = ["authorization", "proxy-authorization", "cookie"]
}

extension Template {
  /// True if the text is redacted nowhere and is not a record's value: it has no templates besides parameters.
  fileprivate var isOpen: Bool {
    !pieces.isEmpty && holes.allSatisfy { $0.root == .param }
  }

  /// True for a long text of letters and digits.
  fileprivate var looksRandom: Bool {
    literal.map(CredentialName.looksRandom) ?? false
  }
}
