// The URL of a request, from base, endpoint and query; it leads only to origins that the spec's author allowed.

import PipelineSpec
import Wire

/// The URL of a request; secrets are sent only to the job's own origin.
struct RequestURL {
  let url: Redactable

  init(_ job: Job, base: Redactable?, in scope: TemplateScope) throws(ParameterError) {
    guard let endpoint = job.endpoint else {
      throw scope.fault(Template(pieces: [], place: job.place), "a job without 'endpoint' makes no request")
    }
    let (whole, isOwnOrigin) =
      if let hole = endpoint.onlyHole {
        try Self.whole(hole, job, base, scope)
      } else {
        (try Self.resolved(endpoint, against: base, in: scope), true)
      }
    var split = SplitURL(whole)
    for item in job.query { split.append(try item.encoded(in: scope)) }
    if !isOwnOrigin { split.removeSecrets() }
    url = split.url
  }

  /// Returns the URL of a base or an endpoint that contains text.
  static func resolved(
    _ template: Template, against base: Redactable?, in scope: TemplateScope
  ) throws(ParameterError) -> Redactable {
    let reference = try EndpointText.reference(template, in: scope)
    guard let url = resolve(reference.text, against: base?.text),
      let shown = resolve(reference.redacted, against: base?.redacted)
    else { throw scope.fault(template, noURL(reference, hasBase: base != nil)) }
    return Redactable(url, redacted: shown)
  }

  /// Returns the URL of an endpoint that is a single value; its origin must be named in the spec.
  private static func whole(
    _ hole: Template.Hole, _ job: Job, _ base: Redactable?, _ scope: TemplateScope
  ) throws(ParameterError) -> (Redactable, isOwnOrigin: Bool) {
    if scope.showsTemplates, hole.root == .record { return (Redactable(StandIn.url(hole.spelling).text), true) }
    if scope.isValidation, hole.root == .record { return (base ?? Redactable("https://host/"), true) }
    guard let reading = try hole.reading(in: scope) else {
      throw scope.fault(hole, "the value is missing, and 'endpoint' is nothing else; give a default: ${…:-text}")
    }
    let reference = try hole.text(of: reading, in: scope)
    // An empty reference is the base itself (RFC 3986 §4.4), which nobody means.
    guard reference.text.contains(where: { $0 != " " }), reference.text.first != "#" else {
      throw scope.fault(hole, "the value is empty, and 'endpoint' is nothing else; give a default: ${…:-text}")
    }
    guard let url = resolve(reference.text, against: base?.text), let origin = Origin(of: url) else {
      throw scope.fault(hole, noURL(reference, hasBase: base != nil))
    }
    let shown = reference.isSecret ? "\(origin)/***" : url
    let own = base.flatMap { Origin(of: $0.text) }
    do throws(OriginPolicy.RefusalError) {
      try OriginPolicy.checkRecordURL(origin, own: own, hosts: job.allowedOrigins)
    } catch {
      throw scope.fault(hole, foreign(origin, shown, own))
    }
    return (Redactable(url, redacted: shown), origin == own)
  }

  private static func foreign(_ origin: Origin, _ url: String, _ own: Origin?) -> String {
    let place = own.map { "is on another origin than '\($0)'" } ?? "is on an origin that the spec does not name"
    return "'\(url)' \(place); add '\(origin.hostsEntry)' to 'hosts'"
  }

  private static func noURL(_ reference: Redactable, hasBase: Bool) -> String {
    let authority = reference.text.prefix { $0 != "?" && $0 != "#" }
    if authority.contains("@") && authority.contains("//") {
      return "it gives no URL that can be fetched: credentials can't stand in one, send them in 'headers'"
    }
    let isRelative = !hasBase && !authority.contains("://")
    let advice = isRelative ? "; it is relative, and there is no 'base'" : ""
    return "'\(reference.redacted)' is no http or https URL with a host of ASCII letters, digits, '-' and '.'\(advice)"
  }
}

extension Job {
  /// Origins in `hosts`, which may be requested but get no secrets.
  var allowedOrigins: Set<Origin> {
    Set(hosts.map { Origin(scheme: $0.scheme, host: $0.host, port: $0.port) })
  }
}
