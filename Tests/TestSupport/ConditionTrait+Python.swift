import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
  /// Runs a test only where there is Python, with which it compares.
  ///
  /// The package is tested with nothing but Swift, too. CI has Python, and fails where a test is not run.
  package static var needsPython: Self {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return .enabled(
      if: folders.contains { FileManager.default.isExecutableFile(atPath: $0 + "/python3") }, "there is no python3")
  }
}
