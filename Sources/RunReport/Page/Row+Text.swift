// The words of a row: its marks, its label, and the text that appears under a pointer.

import Engine
import Fetching

extension Waterfall.Row {
  /// Marks of the request, or counts of marks of the group.
  var marks: [String] {
    guard request == nil else { return request?.marks ?? [] }
    let others = figures.failures - figures.refused
    return [
      figures.refused > 0 ? "\(figures.refused)× 429" : nil, others > 0 ? "\(others)× failed" : nil,
      figures.retries > 0 ? "\(Numbers.retries(figures.retries))" : nil,
    ].compactMap { $0 }
  }

  /// Returns the label: the number of the request, its page and the end of its URL.
  func label(in lane: Waterfall.Lane) -> String {
    guard let request else { return "\(Numbers.grouped(first)) to \(Numbers.grouped(last))" }
    let page = request.page.map { $0 > 1 ? "page \($0) " : "" } ?? ""
    let method = request.method == "GET" ? "" : "\(request.method) "
    return "\(Numbers.grouped(first)) \(page)\(method)\(request.rest(after: lane.name))"
  }

  /// Everything that is known of the row, in one sentence.
  var title: String {
    let span = "from \(Numbers.time(begin)) to \(Numbers.time(end))"
    guard let request else {
      return "Requests \(Numbers.grouped(first)) to \(Numbers.grouped(last)), \(span): \(figures.sentence)"
    }
    let page = request.page.map { ", page \($0)" } ?? ""
    let phases = RecordedRequest.Phase.allCases.filter { request.times[$0.rawValue] > 0 }
      .map { "\($0.label) \(Numbers.time(request.times[$0.rawValue]))" }.joined(separator: ", ")
    let status = request.status > 0 ? "status \(request.status)" : "no answer"
    let retry = request.attempt > 1 ? ", retry \(request.attempt - 1)" : ""
    let error = request.error.map { "; \($0)" } ?? ""
    return "Request \(Numbers.grouped(first))\(page)\(retry), \(span): \(status), \(request.bytes.asSize); "
      + "\(phases)\(error); \(request.method) \(request.url)"
  }
}

extension RecordedRequest {
  /// Returns the URL without the part that its lane's name has already, or without its origin.
  func rest(after name: String) -> String {
    if url.hasPrefix(name) {
      let rest = url.dropFirst(name.count)
      return rest.isEmpty ? "/" + (url.split(separator: "/").dropFirst(2).last ?? "") : String(rest)
    }
    let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count > 3 ? "/" + parts[3] : url
  }
}

extension RequestFigures {
  /// Counts and times in a sentence; what is zero is left out.
  var sentence: String {
    let others = failures - refused
    let counts = [
      Numbers.counted(requests, "request"), retries > 0 ? Numbers.retries(retries) : nil,
      refused > 0 ? "\(Numbers.grouped(refused))× status 429" : nil,
      others > 0 ? "\(Numbers.grouped(others)) failed\(refused > 0 ? " otherwise" : "")" : nil,
    ].compactMap { $0 }
    let times =
      requests == 1
      ? Numbers.time(median) : "median \(Numbers.time(median)), slowest \(Numbers.time(slowest))"
    return "\(counts.joined(separator: ", ")); \(times); \(bytes.asSize)"
  }
}
