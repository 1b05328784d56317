// What a job says, and probably does not mean.

import JSONText

extension Job {
  /// Doubts about values that are legal, and read like another notation; a sentence each.
  package var doubts: [String] {
    var doubts: [String] = []
    if let text = contentIdentifier?.literal, let pointer = JSONPath.likelyPointer(for: text) {
      doubts.append("contentIdentifier '\(text)' is one key; did you mean '\(pointer)'?")
    }
    if case .query(let name)? = pages?.kind.item, let pointer = JSONPath.likelyPointer(for: name),
      case .map(let members)? = body, members.contains(where: { pointer.hasPrefix("/\($0.name)/") })
    {
      doubts.append("'\(name)' of 'pages' is a query item; did you mean '\(pointer)', which is in 'body'?")
    }
    return doubts
  }
}
