// Keys of `aws`.

internal import Diagnostics
import YAMLText

extension SpecKeys {
  static let awsKeys: [Key<AWSDraft>] = [
    Key("id", "a text", "the access key's id", isRequired: true) { node, draft, decoder in
      draft.id = decoder.authValue(node, "a text")
    },
    Key("secret", "a text", "the secret access key; it is never sent", isRequired: true) { node, draft, decoder in
      draft.secret = decoder.authValue(node, "a text")
    },
    Key("token", "a text", standard: "none", "the session token of temporary credentials") { node, draft, decoder in
      draft.token = decoder.authValue(node, "a text")
    },
    Key("region", "a region such as us-east-1", "the region of the service", isRequired: true) { node, draft, decoder in
      draft.region = decoder.authValue(node, "a region such as us-east-1", advice: nil)
    },
    Key("service", "a name such as ce or execute-api", "the service's name in signatures", isRequired: true) {
      node, draft, decoder in
      draft.service = decoder.authValue(node, "a name such as ce or execute-api", advice: nil)
    },
  ]
}
