// What templates may read.

package import JSONText
import PipelineSpec
package import Wire

/// Everything the templates of one request may read.
package struct TemplateScope: Sendable {
  package var run: RunValues
  package var record: JSONValue?
  /// In `pages` templates: the page that came.
  package var page: PageFacts?
  package var since: JSONValue?
  /// For places in messages.
  package var specName: String
  /// Before there are records, any of their members reads as `x`: what is wrong then is wrong for every record.
  var isValidation = false

  package init(run: RunValues, record: JSONValue? = nil, page: PageFacts? = nil, specName: String = "") {
    self.run = run
    self.record = record
    self.page = page
    self.specName = specName
  }
}

extension TemplateScope {
  /// A fault of a hole, or of what its value makes of the text around it.
  func fault(_ hole: Template.Hole, _ problem: String) -> ParameterError {
    let isConfiguration = ![.record, .body, .headers, .last].contains(hole.root)
    return ParameterError(
      template: hole.spelling, place: "\(specName):\(hole.place)", problem: problem, isConfiguration: isConfiguration)
  }

  /// A fault of a whole string: its first hole that reads a record is to blame, else the spec.
  func fault(_ template: Template, _ problem: String) -> ParameterError {
    let holes = template.holes
    if let hole = holes.first(where: { $0.root == .record }) ?? holes.first { return fault(hole, problem) }
    return ParameterError(
      template: template.spelling, place: "\(specName):\(template.place)", problem: problem, isConfiguration: true)
  }
}
