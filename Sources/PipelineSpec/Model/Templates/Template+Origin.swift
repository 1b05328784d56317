// A base whose scheme and host come from outside the spec: `${param.url}/api/`.

import Diagnostics
import JSONText

extension Template {
  /// The parameter or variable at the start of a base, which supplies scheme and host.
  package var originHole: Hole? {
    guard case .hole(let hole)? = pieces.first, [.param, .env].contains(hole.root) else { return nil }
    return hole
  }
}
