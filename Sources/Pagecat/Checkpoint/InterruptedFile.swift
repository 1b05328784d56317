import Files
import Synchronization

/// What is there instead of a file that could not be completed.
package struct InterruptedFile: Sendable {
  package let path: String
  package let part: String
}
