// Doubts about a job: legal values that its author probably did not mean.

import JSONText

extension Job {
  /// Doubts about legal values that look like another notation, one sentence each.
  package var doubts: [String] {
    var doubts: [String] = []
    if let text = contentIdentifier?.literal, let pointer = JSONPath.likelyPointer(for: text) {
      doubts.append("contentIdentifier '\(text)' is one key; did you mean '\(pointer)'?")
    }
    let body = (ofLaterPages ?? self).body
    if case .query(let name)? = pages?.kind.item, let pointer = JSONPath.likelyPointer(for: name),
      case .map(let members)? = body, members.contains(where: { pointer.hasPrefix("/\($0.name)/") })
    {
      doubts.append("'\(name)' of 'pages' is a query item; did you mean '\(pointer)', which is in 'body'?")
    }
    if let base, let endpoint = endpoint?.spelling, let path = base.path, path != "/", endpoint.hasPrefix("/"),
      endpoint != "/", !endpoint.hasPrefix("//"), !endpoint.hasPrefix(path)
    {
      doubts.append(
        "endpoint '\(endpoint)' begins at the host, so '\(path)' of 'base' is not in the URL; "
          + "did you mean '\(endpoint.dropFirst())'?")
    }
    for member in set where member.name.hasPrefix("/") {
      doubts.append("'\(member.name)' in 'set' is the name of one member: 'set' takes no JSON Pointers")
    }
    if poll != nil, sentMethod == "POST" {
      doubts.append(
        "'poll' repeats this POST: if each one starts a job, and no answer has a 'Location', "
          + "let the next step poll, by a GET")
    }
    return doubts + pagerDoubts + replacedItemDoubts + memberDoubts + laterDoubts + bodyDoubts + spanDoubts
      + placeholderDoubts
      + sharedMarkDoubts + renamedDoubts + openCredentialDoubts
  }
}

extension Template {
  /// The path of a base, whose scheme and host may be a value; nil if it has none.
  fileprivate var path: Substring? {
    var rest = spelling[...]
    if case .hole(let hole)? = pieces.first {
      rest = rest.dropFirst(hole.spelling.count)
    } else if let colon = rest.firstIndex(of: ":") {
      rest = rest[colon...].dropFirst("://".count)
    }
    return rest.firstIndex(of: "/").map { rest[$0...] }
  }
}
