// The files of secrets that specs name.

import Diagnostics
import PipelineSpec
import Primitives

/// Reasons why files of secrets have no text, by the names of their variables.
struct FileReadings {
  /// Files that do not exist, or are empty.
  var missing: [String: String] = [:]
  /// Files that can't be read.
  var broken: [String: String] = [:]
}

extension RunOptions {
  /// Reads the files that the specs name into the environment.
  mutating func readFiles(of specs: [Spec]) -> FileReadings {
    let folders = SecretFiles(self)
    var readings = FileReadings()
    for name in RunPlan.environmentNames(specs) {
      guard let file = Template.Hole.file(ofVariable: name) else { continue }
      do {
        let text = try folders.text(of: file)
        environment[name] = text ?? ""
        if text?.isEmpty != false {
          readings.missing[name] =
            text == nil ? "no file '\(file.printable)' is in \(folders.list); see --secrets" : "the file is empty"
        }
      } catch {
        environment[name] = ""
        readings.broken[name] = error.problem
      }
    }
    return readings
  }
}
