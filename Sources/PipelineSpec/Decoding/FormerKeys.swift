// Keys that the language had before its first release, and the lines to write in their place.

import YAMLText

internal import Diagnostics
internal import JSONText

/// The keys of before, by the map in which they stood: each says what is wrong, and what to write.
enum FormerKeys {
  typealias Remedy = @Sendable (_ value: String) -> (message: String, advice: String?)

  static let auth: [String: Remedy] = [
    "header": { value in
      let isMap = value == "…" || value.hasPrefix("{")
      return ("'header' is called 'headers'", "write 'headers: \(isMap ? "…" : "{ NAME: \"${env.KEY}\" }")'")
    },
    "apikey": { _ in
      (
        "'auth' has no key for API keys",
        "write 'headers: { X-Api-Key: \"${env.API_KEY}\" }', or 'query: { api_key: \"${env.API_KEY}\" }'"
      )
    },
  ]
  static let oauth2 = renamed(
    [
      "token": "tokenUrl", "id": "clientId", "secret": "clientSecret", "refresh": "refreshToken", "client": "send",
    ], showsValue: false)
  static let poll = renamed(["most": "within"])
  static let retry = renamed(["total": "within"]).merging([
    "statuses": { value in
      (
        "'retry' has no key 'statuses'",
        "write 'when: \(value)': what is retried by itself (408, 425, 429, 500, 502, 503, 504, 522, 524) stays so"
      )
    },
    "most": { _ in
      (
        "'retry' has no key 'most'",
        "leave it out: no wait is longer than 60s, or than 'wait', unless the server asks for it"
      )
    },
  ]) { $1 }

  static let job: [String: Remedy] = [
    "absent": { value in
      value == "empty"
        ? ("'absent' is part of 'empty'", "write 'empty: missing'")
        : ("'absent' is part of 'empty'", "leave it out: a missing key is an error without 'empty: missing'")
    }
  ]

  static let pages: [String: Remedy] = [
    "limit": { value in
      let number = value.filter { $0 != "\"" && $0 != "'" }
      return (
        "'pages' has no key 'limit'",
        number == "1"
          ? "write 'maxPages: 1' in the job; where one page is all there is, 'pages: one'"
          : "write 'maxPages: \(number)' in the job, beside 'pages'"
      )
    },
    "start": { value in
      (
        "'pages' has no key 'start'",
        "give the item its first value in the request, such as 'query: { page: \(value) }'"
      )
    },
    "in": { value in
      ("'in' stands in 'link'", "write 'link: { in: \(value), rel: next }'")
    },
    "done": { value in
      let condition = NodeDecoder.likelyCondition(value.filter { $0 != "\"" }) ?? "body.done"
      return ("'pages' has no key 'done'", "write 'until: \(condition)'")
    },
    "maxpages": { value in ("'maxPages' stands in the job", "write 'maxPages: \(value)' beside 'pages'") },
    "startpage": { value in
      ("'pages' has no first page", "give the item its first value in the request, such as 'query: { page: \(value) }'")
    },
    "nested": { _ in ("'pages' has no key 'nested'", "write 'ignore: nested' in the job, beside 'pages'") },
    "repeats": { _ in
      ("'pages' has no key 'repeats'", "leave it out, and write 'ignore: repeats' in the job, beside 'pages'")
    },
  ]

  /// - Parameters:
  ///   - name: the span's own name.
  ///   - step: the length of its windows, as the source writes it.
  static func span(_ name: String, step: String?) -> [String: Remedy] {
    [("end", "end"), ("before", "next")].reduce(into: [:]) { table, key in
      let (old, member) = key
      table[old] = { value in
        let isName = value.first?.isLetter == true && !["true", "false"].contains(value)
        return (
          "a span has no key '\(old)'",
          "write 'window: \(step ?? "1d")' in its place\(step == nil ? "" : " and that of 'step'"), and "
            + "'${input.\(name).\(member)}' for \(isName ? "'${input.\(value)}'" : "its \(member)")"
        )
      }
    }
  }

  private static func renamed(_ names: [String: String], showsValue: Bool = true) -> [String: Remedy] {
    names.reduce(into: [:]) { table, name in
      let (old, new) = (name.key, name.value)
      table[old] = { value in ("'\(old)' is called '\(new)'", "write '\(new): \(showsValue ? value : "…")'") }
    }
  }
}

extension NodeDecoder {
  /// Returns the messages for keys of before in a map.
  func formerKeys(_ table: [String: FormerKeys.Remedy], in node: Node) -> Hint {
    let values = (entries(of: node) ?? []).reduce(into: [:]) { $0[$1.key] = sourceText(of: $1.value) }
    return { name in
      let plain = name.lowercased().filter(\.isLetter)
      return (table[name] ?? table[plain]).map { $0(values[name] ?? "…") }
    }
  }

  /// Longest text of the source that advice repeats.
  private static let longestText = 60

  /// Returns a value as the source writes it; `…` for a long one, or one of several lines.
  func sourceText(of node: Node) -> String {
    guard node.range.count <= Self.longestText, !node.range.isEmpty, node.range.upperBound <= source.bytes.count else {
      return "…"
    }
    let text = String(decoding: source.bytes[node.range], as: UTF8.self)
    return text.contains(where: \.isNewline) ? "…" : text.printable
  }

  /// Returns the elements of a list; one value stands for a list of one.
  func elements(of node: Node) -> [Node] {
    if case .list(let nodes) = node.content { nodes } else { [node] }
  }
}
