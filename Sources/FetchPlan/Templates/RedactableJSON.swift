import JSONText
import PipelineSpec
import Wire

/// A JSON value and its redacted form.
struct RedactableJSON: Sendable {
  var value: JSONValue
  var redacted: JSONValue

  var isSecret: Bool { value != redacted }

  init(_ value: JSONValue, redacted: JSONValue? = nil) {
    self.value = value
    self.redacted = redacted ?? value
  }

  init(_ text: Redactable) {
    self.init(JSONValue(text.text), redacted: JSONValue(text.redacted))
  }
}
