// Header fields of a job: the standard ones, unless the spec overrides them, and the spec's own.

import JSONText
import PipelineSpec
import Wire

extension HTTPFields {
  /// Evaluates the header fields of a job.
  ///
  /// - Parameter body: format of the body, whose type is sent unless the spec names another one; nil for no body.
  init(_ job: Job, userAgent: String, body: Request.Body.Format?, in scope: TemplateScope) throws(ParameterError) {
    var own = HTTPFields()
    for header in job.headers {
      guard let value = try header.checkedValue(in: scope) else { continue }
      own.append(header.name, value)
    }
    self.init()
    var standard = [("Accept", job.acceptedTypes), ("User-Agent", userAgent)]
    if let body { standard.append(("Content-Type", body.mediaType)) }
    for (name, value) in standard where own[name] == nil && !job.removedHeaders.contains(name.lowercased()) {
      append(name, value)
    }
    for field in own.all { append(field.name, field.value) }
  }
}

extension Job {
  /// The value of `Accept`, unless the spec has one.
  ///
  /// Some servers give JSON unless a request asks for another format. Others know one format, and refuse a request for
  /// it.
  var acceptedTypes: String {
    guard download == nil, !isPacked else { return "*/*" }
    return switch read {
    case .json: "application/json"
    case .lines: "application/x-ndjson, */*;q=0.5"
    case .csv: "text/csv, */*;q=0.5"
    }
  }
}

extension Request.Body.Format {
  fileprivate var mediaType: String {
    switch self {
    case .json: "application/json"
    case .form: "application/x-www-form-urlencoded"
    case .text: "text/plain; charset=utf-8"
    }
  }
}

extension Job.Header {
  /// Returns the value, and throws if a control character could end the field and begin another (RFC 9110 §5.5).
  func checkedValue(in scope: TemplateScope) throws(ParameterError) -> Redactable? {
    for hole in value.holes {
      guard let text = try hole.reading(in: scope)?.text, text.hasControlCharacter else { continue }
      throw scope.fault(hole, "the value has a line end or another control character, which no header can hold")
    }
    guard let text = try value.text(in: scope) else { return nil }
    guard !text.text.hasControlCharacter else {
      throw scope.fault(
        value, "the header '\(name)' has a line end or another control character, which no header can hold")
    }
    return text
  }
}

extension String {
  var hasControlCharacter: Bool {
    utf8.contains { ($0 < 0x20 && $0 != UInt8(ascii: "\t")) || $0 == 0x7F }
  }
}
