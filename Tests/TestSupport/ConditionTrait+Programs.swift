import Foundation
package import Testing

extension Trait where Self == ConditionTrait {
  /// Runs a test only where there are programs that it compares with.
  ///
  /// The package is tested with nothing but Swift, too. CI has the programs, and fails where a test is not run.
  package static func needs(_ programs: String...) -> Self {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let missing = programs.filter { program in
      !folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }
    return .enabled(if: missing.isEmpty, "there is no \(missing.joined(separator: ", no "))")
  }
}
