import YAMLText

internal import Diagnostics

/// Values of `aws` while it is decoded.
struct AWSDraft {
  var id: Template?
  var secret: Template?
  var token: Template?
  var region: Template?
  var service: Template?
}

extension NodeDecoder {
  mutating func aws(_ node: Node) -> Job.Auth.AWS? {
    var draft = AWSDraft()
    guard whole(node, keys: SpecKeys.awsKeys, into: &draft) else { return nil }
    guard let id = draft.id, let secret = draft.secret, let region = draft.region, let service = draft.service else {
      return nil
    }
    var aws = Job.Auth.AWS(id: id, secret: secret, region: region, service: service)
    aws.token = draft.token
    return aws
  }
}
