internal import Diagnostics
internal import JSONText
internal import Primitives

struct IncrementalDraft {
  var mark: Incremental.Mark?
  var start: TemplateValue?
  var form: TimeForm?
  var by: [JSONPath] = []
  var only: Incremental.Only?
}
