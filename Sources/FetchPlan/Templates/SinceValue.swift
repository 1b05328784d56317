// The value of `${since}`: the saved mark, otherwise `start`.

package import JSONText
import PipelineSpec
package import Primitives
import Wire

/// The value of `${since}` in a run, or for an input record.
package struct SinceValue: Sendable {
  package let value: JSONValue
  /// Spelling of marks (`as`).
  package let form: TimeForm?
  /// True if the value is `start`, since no mark is saved.
  package var isStart = false
  /// True if `start` reads the environment.
  var isSecret = false

  init(mark: JSONValue, form: TimeForm?) {
    (value, self.form) = (mark, form)
  }

  /// Creates the value of `start`, spelled like a mark.
  ///
  /// - Returns: nil if there is no `start`.
  init?(startOf incremental: Incremental, in scope: TemplateScope) throws(ParameterError) {
    guard let start = incremental.start, let found = try start.json(in: scope), !found.value.isNull else { return nil }
    (form, isStart, isSecret) = (incremental.form, true, found.isSecret)
    guard let form, let time = SpelledTime(found.value, as: form) else {
      value = found.value
      return
    }
    value = form.value(time.time)
  }
}
