/// The spec of a combination.
struct MatrixSpec {
  let matrixCase: MatrixCase

  private var shape: MatrixShape { matrixCase.shape }
  private var mark: MatrixMark { matrixCase.mark }
  private var pager: MatrixPager { matrixCase.pager }

  var text: String {
    guard shape.hasSteps else { return job("items", own).joined(separator: "\n") + "\n" }
    let jobs = [job("lists", []), job("items", own)].map { job in
      "  - " + job.joined(separator: "\n    ")
    }
    return "steps:\n\(jobs.joined(separator: "\n"))\n"
  }

  /// The keys that make the shape.
  private var own: [String] {
    var keys: [String] = []
    switch shape {
    case .alone: break
    case .list: keys.append("each: { list: [a, b, c, d] }")
    case .days: keys.append("each: { from: { from: \(from), to: \"${today}\", step: 2d, end: until } }")
    case .times: keys.append("each: { from: { from: \(from), to: \"${now}\", step: 36h, end: until } }")
    case .numbers: keys.append("each: { from: { from: \(from), to: 140, step: 10, end: until } }")
    case .step, .attach: break
    case .stepSkipping: keys.append("onError: skip")
    case .attachEmpty: keys.append("onError: empty")
    }
    if shape.attaches { keys.append("attach: items") }
    return keys
  }

  /// Where windows begin.
  private var from: String {
    if mark != .none { return "\"${since}\"" }
    switch shape {
    case .numbers: return "99"
    case .times: return "2024-01-01T00:00:00Z"
    default: return "2024-01-01"
    }
  }

  private func job(_ name: String, _ own: [String]) -> [String] {
    var lines = ["name: \(name)", "endpoint: \(ModelServer.origin)/\(name)", "contentIdentifier: items"]
    if let pages = pager.pages { lines.append("pages: \(pages)") }
    let filters = filters(name)
    if pager.posts || !filters.isEmpty { lines.append("\(pager.posts ? "body" : "query"): { \(filters) }") }
    lines.append("retry: { attempts: 2 }")
    if mark.jobs.contains(name) { lines.append("incremental: { mark: \(mark.member), start: \(mark.start) }") }
    if matrixCase.concurrency > 1 { lines.append("concurrency: \(matrixCase.concurrency)") }
    return lines + own
  }

  private func filters(_ job: String) -> String {
    var filters: [String] = []
    if shape == .list || job == "items" && shape.hasSteps { filters.append("list: \"${record.list}\"") }
    if shape.hasWindows { filters += ["from: \"${record.from}\"", "until: \"${record.until}\""] }
    if mark.jobs.contains(job), !shape.hasWindows { filters.append("since: \"${since}\"") }
    return filters.joined(separator: ", ")
  }
}
