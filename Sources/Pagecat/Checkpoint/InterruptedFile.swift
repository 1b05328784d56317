import Files
import JSONText
import Synchronization
import Wire

/// The partial file that remains if a file could not be completed.
package struct InterruptedFile: Sendable {
  package let path: String
  package let part: String
}
