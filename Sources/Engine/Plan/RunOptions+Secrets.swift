// The secrets of a run, for messages that are printed without the run.

package import PipelineSpec
import Primitives
package import Wire

extension RunOptions {
  /// Returns the values of the variables and files that the specs name.
  package func secrets(of specs: [Spec]) -> SecretStore {
    var options = self
    _ = options.readFiles(of: specs)
    let names = RunPlan.environmentNames(specs)
    return SecretStore(names.map { options.environment.text(of: $0) }.filter { !$0.isEmpty })
  }
}
