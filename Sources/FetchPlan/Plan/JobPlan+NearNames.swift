// Misspelt names in `pages`: the first page lacks the name, and has a similar one.

import Diagnostics
import JSONText
import PipelineSpec
package import Wire

extension JobPlan {
  /// Returns a doubt if the first page lacks a name of `pages`, or of optional content, and has a similar name;
  /// otherwise nil.
  ///
  /// A default (`${body.next:-}`) or a `?` says that the name is right and may be missing.
  package func nearName(in page: PageFacts) -> String? {
    if page.body.recordCount == 0, let missing = page.body.missingContent,
      let name = misspelling(of: missing.name, in: missing.names)
    {
      return "'\(missing.name)' in 'contentIdentifier' is missing on the first page, but it has '\(name)': "
        + Self.question
    }
    guard let pages = job.pages else { return nil }
    // A page without records may well lack their number.
    let counts = [pages.totalPages, pages.totalRecords, pages.more, pages.done]
    let templates = [pages.kind.template] + (page.body.recordCount > 0 ? counts : [])
    for hole in templates.compactMap({ $0 }).flatMap(\.holes) where hole.fallback == nil && !hole.isOptional {
      let name = hole.root == .headers ? nearHeader(to: hole, page) : hole.root == .body ? near(hole.path, page) : nil
      if let name {
        return "\(hole.spelling) in 'pages' is missing on the first page, but it has \(name): \(Self.question)"
      }
    }
    guard case .link(_, let path?) = pages.kind, let name = near(path, page) else { return nil }
    return "'in: \(path.pointer)' in 'pages' leads nowhere on the first page, but it has \(name): \(Self.question)"
  }

  private static let question = "did you mean that? There may be more"

  /// Returns the member whose name is similar to the path's first missing one.
  ///
  /// Nil if there is none, or if another template of `pages` reads the member.
  private func near(_ path: JSONPath, _ page: PageFacts) -> String? {
    guard let lack = page.body.lacking[path.pointer], lack.depth < path.steps.count else { return nil }
    let parent = Array(path.steps.prefix(lack.depth))
    let known = pagerPaths.filter { Array($0.steps.prefix(lack.depth)) == parent }
      .compactMap { $0.steps.dropFirst(lack.depth).first?.name }
    let others = lack.names.filter { !known.contains($0) }
    guard let name = misspelling(of: path.steps[lack.depth].name, in: others) else { return nil }
    return parent.isEmpty ? "'\(name)'" : "'\(JSONPath(parent.map(\.name) + [name]).pointer)'"
  }

  private func nearHeader(to hole: Template.Hole, _ page: PageFacts) -> String? {
    guard let name = hole.path.steps.first?.name, page.fields[name] == nil else { return nil }
    return misspelling(of: name, in: page.fields.all.map(\.name)).map { "the header '\($0)'" }
  }
}

extension JobPlan {
  /// Returns a doubt if the first page has the status that ends the pages, and no input record can be the reason.
  package func endOnFirstPage(_ page: PageFacts) -> String? {
    guard case .status(page.status)? = job.pages?.until, page.status != 204, !job.readsRecords else { return nil }
    return "the first page has status \(page.status), at which the pages end: see whether the endpoint is right"
  }

  /// Returns a doubt if the response is a part (206), while the job has no `pages` to get the rest.
  ///
  /// Nil if the part is the whole, or if the job asks for a part.
  package func partOfMore(in page: PageFacts) -> String? {
    guard page.status == 206, job.pages == nil, !MoreSigns.isWhole(page),
      !job.headers.contains(where: { $0.name.lowercased() == "range" })
    else { return nil }
    return "the response is a part of more (206), but the job has no 'pages': there is more, see 'pages'"
  }
}
