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
    case .days: keys.append("each: { from: { from: \(from), to: \"${today}\", window: 2d } }")
    case .times: keys.append("each: { from: { from: \(from), to: \"${now}\", window: 36h } }")
    case .open, .stepOpen:
      keys.append("each: { from: { from: \(from), to: \"${now}\", window: 36h } }")
    case .numbers: keys.append("each: { from: { from: \(from), to: 140, window: 10 } }")
    case .step, .attach: break
    case .batch: keys.append("batch: 2")
    case .batchAttach: keys += ["batch: 2", "match: { list: list }"]
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
    case .times, .open, .stepOpen: return "2024-01-01T00:00:00Z"
    default: return "2024-01-01"
    }
  }

  private func job(_ job: String, _ own: [String]) -> [String] {
    var lines = ["name: \(job)", "endpoint: \(ModelServer.origin)/\(job)", "contentIdentifier: items"]
    if matrixCase.isAuto {
      lines.append("pages: auto")
    } else if let pages = pager.pages {
      let until = mark == .untilKnown && job == "items" ? ", until: known }" : " }"
      lines.append("pages: \(pages.dropLast(2))\(until)")
    }
    let filters = filters(job)
    if pager.posts || !filters.isEmpty { lines.append("\(pager.posts ? "body" : "query"): { \(filters) }") }
    lines.append("retry: 2")
    if mark.jobs.contains(job) { lines.append("incremental: \(mark.incremental)") }
    lines += matrixCase.extra.keys(of: job, mark)
    if matrixCase.isUnique, job == "items" { lines.append("unique: [id]") }
    if matrixCase.concurrency > 1 { lines.append("concurrency: \(matrixCase.concurrency)") }
    return lines + own
  }

  private func filters(_ job: String) -> String {
    var filters: [String] = []
    if shape == .list || job == "items" && shape.hasSteps {
      filters.append("list: \"${\(shape.isBatch ? "inputs.list:," : "input.list")}\"")
    }
    if shape.hasWindows, job == "items" {
      let end = shape.isOpen ? "before: \"${input.from.next}\"" : "until: \"${input.from.end}\""
      filters += ["from: \"${input.from.start}\"", end]
    }
    if mark == .untilKnown { filters.append("order: desc") }
    if let limit = matrixCase.fault?.limit, job == "items" { filters.append("limit: \(limit)") }
    if mark.jobs.contains(job), !shape.hasWindows, mark.isFilter { filters.append("since: \"${since}\"") }
    return filters.joined(separator: ", ")
  }
}
