// The values of templates that are fixed for a run.

package import JSONText
package import PipelineSpec

extension RunValues {
  /// Returns the value of a template that reads only what is fixed for the run; nil if it is missing.
  package func value(of template: Template, in specName: String) -> JSONValue? {
    (try? TemplateValue.string(template).json(in: TemplateScope(run: self, specName: specName)))?.value
  }

  /// Returns the value of a parameter by its default; an empty one if that is missing.
  package func parameter(by template: Template, in specName: String) -> Parameter {
    let value = value(of: template, in: specName) ?? JSONValue("")
    return Parameter(
      value: value, text: value.string ?? value.text, isSecret: template.holes.contains { $0.variable != nil })
  }
}
