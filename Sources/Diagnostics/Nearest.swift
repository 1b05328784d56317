// "Did you mean …?": finds the valid name that is nearest to a misspelt one.

/// Returns the candidate nearest to a misspelt name, or nil if none is near.
///
/// A candidate is near if it takes at most 2 edits, or 1 for a name of up to 4 letters, and fewer than the name has letters.
/// An edit adds, removes or replaces a letter, or swaps two neighbours. The first of several equally near candidates wins.
/// If the name has at least 3 letters and only one candidate begins with it, the result is that candidate.
package func nearest(to name: String, in candidates: some Sequence<String>) -> String? {
  let letters = Array(name.unicodeScalars)
  // Nobody misspells a name this long; the work grows with its square.
  guard letters.count <= 128 else { return nil }
  if letters.count >= 3 {
    let longer = candidates.filter { $0.unicodeScalars.starts(with: letters) }
    if longer.count == 1 { return longer[0] }
  }
  var best: (name: String, edits: Int)?
  for candidate in candidates {
    let limit = min(best?.edits ?? (letters.count > 4 ? 3 : 2), letters.count) - 1
    guard let edits = edits(from: letters, to: Array(candidate.unicodeScalars), atMost: limit) else { continue }
    best = (candidate, edits)
  }
  return best?.name
}

/// The candidate that a name may be a misspelling of: one that differs in case, `_` or `-` only, else the nearest one
/// (at most 2 edits; for names of up to 4 letters 1, after the same first letter).
///
/// Nil for none, and never the name itself.
package func misspelling(of name: String, in candidates: [String]) -> String? {
  let letters = plainLetters(of: name)
  guard letters.count >= 2, letters.count <= 128 else { return nil }
  let others = candidates.filter { $0 != name }.map { (name: $0, letters: plainLetters(of: $0)) }
  if let same = others.first(where: { $0.letters == letters }) { return same.name }
  let isShort = letters.count <= 4
  let near = others.compactMap { other -> (name: String, edits: Int)? in
    guard !isShort || other.letters.first == letters.first else { return nil }
    return edits(from: letters, to: other.letters, atMost: isShort ? 1 : 2).map { (other.name, $0) }
  }
  return near.min { $0.edits < $1.edits }?.name
}

private func plainLetters(of name: String) -> [Unicode.Scalar] {
  name.lowercased().unicodeScalars.filter { !"_-.".unicodeScalars.contains($0) }
}

/// The Damerau–Levenshtein distance (optimal string alignment), or nil when it is above the limit.
private func edits(from a: [Unicode.Scalar], to b: [Unicode.Scalar], atMost limit: Int) -> Int? {
  guard limit >= 0, abs(a.count - b.count) <= limit else { return nil }
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      var edits = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { edits = min(edits, beforeLast[j - 1] + 1) }
      row.append(edits)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count] <= limit ? last[b.count] : nil
}
