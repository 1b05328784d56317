// Addresses that begin with a template: a base such as `${param.url}/api/`, an endpoint such as `${record.url}`.

import Diagnostics
import JSONText

extension Template {
  /// The parameter or variable at the start of a base, which supplies scheme and host.
  package var originHole: Hole? {
    guard case .hole(let hole)? = pieces.first, [.param, .env].contains(hole.root) else { return nil }
    return hole
  }

  /// True if the input record has the start of the address, so that an earlier answer gave it.
  package var isFromRecord: Bool {
    guard case .hole(let hole)? = pieces.first else { return false }
    return hole.root == .record
  }
}
