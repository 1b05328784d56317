internal import Diagnostics
internal import JSONText

struct IncrementalDraft {
  var mark: JSONPath?
  var start: JSONValue?
}
