// A base whose scheme and host come from outside the spec: `${param.url}/api/`.

import Diagnostics
import JSONText

extension Template {
  /// Of a base, the value that supplies its scheme and host: a parameter or an environment variable in front.
  package var originHole: Hole? {
    guard case .hole(let hole)? = pieces.first, [.param, .env].contains(hole.root) else { return nil }
    return hole
  }
}
