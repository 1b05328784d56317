// Misspelt names in `pages`: the first page lacks the name, and has a similar one.

import Diagnostics
import JSONText
import PipelineSpec
package import Wire

extension JobPlan {
  /// Returns a doubt if the first page lacks a name of `pages`, or of optional content, and has a similar name;
  /// otherwise nil.
  ///
  /// A default (`"${body.next:-}"`) or a `?` says that the name is right and may be missing.
  package func nearName(in page: PageFacts) -> String? {
    if page.body.recordCount == 0, let missing = page.body.missingContent,
      let name = misspelling(of: missing.name, in: missing.names)
    {
      return "'\(missing.name)' in 'contentIdentifier' is missing on the first page, but it has '\(name)': "
        + Self.question
    }
    guard let pages = job.pages else { return nil }
    // A page without records may well lack their number.
    let counts = [pages.totalPages, pages.totalRecords]
    let templates = [pages.kind.template] + (page.body.recordCount > 0 ? counts : [])
    for path in page.body.recordCount > 0 ? pages.conditions.compactMap(\.statement) : [] {
      guard path.steps[0].name == "body", let name = near(JSONPath(Array(path.steps.dropFirst())), page) else {
        continue
      }
      return "'\(path)' in 'pages' is missing on the first page, but it has \(name): \(Self.question)"
    }
    for hole in templates.compactMap({ $0 }).flatMap(\.holes) where hole.fallback == nil && !hole.isOptional {
      let name = hole.root == .headers ? nearHeader(to: hole, page) : hole.root == .body ? near(hole.path, page) : nil
      if let name {
        return "'\(hole.spelling)' in 'pages' is missing on the first page, but it has \(name): \(Self.question)"
      }
    }
    guard case .link(_, let path?) = pages.kind, let name = near(path, page) else { return nil }
    return "'in: \(path)' in 'pages' leads nowhere on the first page, but it has \(name): \(Self.question)"
  }

  private static let question = "did you mean that? There may be more"

  /// Returns the member whose name is similar to the path's first missing one.
  ///
  /// Nil if there is none, or if another template of `pages` reads the member.
  private func near(_ path: JSONPath, _ page: PageFacts) -> String? {
    guard let lack = page.body.lacking[path.description], lack.depth < path.steps.count else { return nil }
    let parent = Array(path.steps.prefix(lack.depth))
    let known = pagerPaths.filter { Array($0.steps.prefix(lack.depth)) == parent }
      .compactMap { $0.steps.dropFirst(lack.depth).first?.name }
    let others = lack.names.filter { !known.contains($0) }
    guard let name = misspelling(of: path.steps[lack.depth].name, in: others) else { return nil }
    return "'\(JSONPath(parent).member(name))'"
  }

  /// Returns evidence if the page at which the pages end has another way to the next one than the pager reads.
  ///
  /// The last page of a list lacks the pager's value, too. So the other value must have the same name at another path, or a
  /// similar name that page one does not have.
  func otherWay(after page: PageFacts, _ pages: Pages, _ pager: Pager) -> Evidence? {
    guard let hole = pages.kind.template?.onlyHole, !hole.path.steps.isEmpty, let own = hole.path.steps.last?.name
    else {
      return nil
    }
    let path = hole.path.steps.map(\.name)
    let found: String?
    switch hole.root {
    case .body where page.body.captured[hole.path.description] == nil:
      let others = PageHints.values(beside: page.body.outline).filter { $0.value.namesSomething && $0.path != path }
      let same = others.first { other in
        PageHint.normalized(other.path.last ?? "") == PageHint.normalized(own) && leadsOn(other.path, beside: path)
      }
      let beside = others.filter { $0.path.dropLast() == path.dropLast() }.compactMap(\.path.last)
      let news = pager.names(notIn: beside)
      let near = misspelling(of: own, in: news).map { Array(path.dropLast()) + [$0] }
      found = (same?.path ?? near).map { "'\(JSONPath($0))'" }
    case .headers where page.fields[own] == nil:
      found = misspelling(of: own, in: pager.names(notIn: page.fields.all.map(\.name))).map { "the header '\($0)'" }
    default: return nil
    }
    return found.map {
      Evidence(
        .way, "'\(hole.spelling)' in 'pages' is missing on page \(page.number), but it has \($0): there may be more")
    }
  }

  /// False for a path to an earlier page or to this one, and for a value whose name means anything.
  private func leadsOn(_ path: [String], beside own: [String]) -> Bool {
    guard !["href", "url", "uri", "link", "id", "value", "name", "type"].contains(PageHint.normalized(path.last ?? ""))
    else {
      return false
    }
    let others: Set = [
      "prev", "previous", "previouspage", "prevpage", "self", "first", "firstpage", "last", "lastpage", "current",
      "before", "start", "up", "backward", "request", "query", "params",
    ]
    return !path.dropLast().contains { others.contains(PageHint.normalized($0)) && !own.contains($0) }
  }

  private func nearHeader(to hole: Template.Hole, _ page: PageFacts) -> String? {
    guard let name = hole.path.steps.first?.name, page.fields[name] == nil else { return nil }
    return misspelling(of: name, in: page.fields.all.map(\.name)).map { "the header '\($0)'" }
  }
}

extension JobPlan {
  /// Returns a doubt if the response is a part (206), while the job has no `pages` to get the rest.
  ///
  /// Nil if the part is the whole, or if the job asks for a part.
  package func partOfMore(in page: PageFacts) -> String? {
    guard page.status == 206, isWithoutPager, !PageHints.isWhole(page),
      !job.headers.contains(where: { $0.name.lowercased() == "range" })
    else { return nil }
    return "the response is a part of more (206), but the job has no 'pages': there is more, see 'pages'"
  }
}
