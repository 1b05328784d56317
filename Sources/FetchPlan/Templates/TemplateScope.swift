// The values that templates may read.

package import JSONText
import PipelineSpec
package import Wire

/// Everything that the templates of one request may read.
package struct TemplateScope: Sendable {
  package var run: RunValues
  package var record: JSONValue?
  /// The input records of one request, for a job with `batch`.
  var inputBatch: InputBatch?
  /// The fetched page, for templates in `pages` and `failure`.
  package var page: PageFacts?
  var since: SinceValue?
  /// Name of the spec, for messages.
  package var specName: String
  /// True for validation without a record: its members read as `x`, so an error then is an error for every record.
  var isValidation = false
  /// True if a value of a record reads as a stand-in for its template.
  var showsTemplates = false

  package init(run: RunValues, record: JSONValue? = nil, page: PageFacts? = nil, specName: String = "") {
    self.run = run
    self.record = record
    self.page = page
    self.specName = specName
  }
}

extension TemplateScope {
  /// Returns the error for a hole, or for the effect of its value on the text around it.
  func fault(_ hole: Template.Hole, _ problem: String) -> ParameterError {
    let isConfiguration = ![.record, .records, .body, .headers, .last].contains(hole.root)
    return ParameterError(
      template: hole.spelling, place: "\(specName):\(hole.place)", problem: problem, isConfiguration: isConfiguration)
  }

  /// Returns the error for a whole string: its first hole that reads a record is to blame, else the spec.
  func fault(_ template: Template, _ problem: String) -> ParameterError {
    let holes = template.holes
    if let hole = holes.first(where: { [.record, .records].contains($0.root) }) ?? holes.first {
      return fault(hole, problem)
    }
    return ParameterError(
      template: template.spelling, place: "\(specName):\(template.place)", problem: problem, isConfiguration: true)
  }
}
