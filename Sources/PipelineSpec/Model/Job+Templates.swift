// The templates of a job, and the need for input records.

internal import Diagnostics
internal import JSONText

extension Job {
  /// True if the job needs input records.
  ///
  /// It needs them if a template names `input` or `inputs`, if it has `match`, or if it has no endpoint.
  package var readsRecords: Bool {
    endpoint == nil || !match.isEmpty
      || (fetchTemplates + set.flatMap(\.value.templates) + (incremental?.templates ?? []))
        .contains { $0.readsInput }
  }

  /// True if a first job reads standard input: it reads records, and makes none by `each`.
  package var readsInput: Bool { readsRecords && each == nil }

  /// Members of the input records that `each` made, in the run before (`--from`).
  package var membersOfEach: [String] { (eachBefore?.axes ?? []).map(\.name) }

  /// Depth to which the job reads its input records; 0 if it reads none.
  ///
  /// It is the length of the longest path in its templates, and at least 1 if it sets or matches members.
  package var recordDepth: Int {
    guard readsRecords else { return 0 }
    let paths = templates.flatMap(\.holes).filter { $0.root == .input }.map(\.path.steps.count)
    let setsInInput = !set.isEmpty && (endpoint == nil || download != nil)
    let depth = match.map(\.input.steps.count).max() ?? (setsInInput || attach != nil || download != nil ? 1 : 0)
    return max(paths.max() ?? 0, depth)
  }

  /// All templates of the job, in the order of the spec.
  package var templates: [Template] {
    (fetchTemplates + eachTemplates + (incremental?.templates ?? []) + set.flatMap(\.value.templates)).sorted {
      $0.position < $1.position
    }
  }

  /// Templates that decide what is fetched, and which part of it is content.
  var fetchTemplates: [Template] {
    [base, endpoint, download?.path].compactMap { $0 } + (contentIdentifier?.templates ?? [])
      + query.flatMap(\.values).flatMap(\.templates)
      + headers.map(\.value)
      + bodyTemplates
      + (pages?.templates ?? [])
      + (auth?.templates ?? [])
      + (tls?.templates ?? [])
      + fixed.map(\.template)
  }

  /// Templates of the request itself, without `base`.
  package var requestTemplates: [Template] {
    [endpoint].compactMap { $0 } + query.flatMap(\.values).flatMap(\.templates) + headers.map(\.value) + bodyTemplates
  }

  /// True if the request depends on the mark of the last run.
  var requestReadsSince: Bool {
    (requestTemplates + (pages?.then?.templates ?? [])).contains { $0.names(.since) }
  }

  /// Templates in the request's body, of whatever kind it is.
  package var bodyTemplates: [Template] {
    (body?.templates ?? []) + (form ?? []).flatMap(\.values).flatMap(\.templates) + [text].compactMap { $0 }
  }

  /// True if the request has a body.
  package var hasBody: Bool { body != nil || form != nil || text != nil }

  /// The request's method: the job's own, or GET or POST depending on the body.
  package var sentMethod: String { method ?? (hasBody ? "POST" : "GET") }

  /// True if a request of the job only reads, so that it may be sent again: a GET, HEAD or QUERY (RFC 10008), a request
  /// whose further pages are requested, and a query of GraphQL.
  package var isRead: Bool {
    if ["GET", "HEAD", "QUERY"].contains(sentMethod) { return true }
    return sentMethod == "POST" && (pages.map { $0.kind != .single } ?? false || asksByGraphQLQuery)
  }

  /// True if the values of `each` depend on the input record.
  package var eachReadsRecords: Bool {
    eachTemplates.contains { $0.names(.input) || $0.names(.since) && since?.incremental.by.isEmpty == false }
  }

  /// True if the job asks for what is new since the mark, or leaves out what is not.
  package var asksForNews: Bool {
    incremental?.only == .new || pages?.until.contains(.known) == true
      || (templates + eachTemplates).contains { $0.names(.since) }
  }

  var eachTemplates: [Template] {
    (each?.axes ?? []).flatMap(\.templates)
  }
}

extension Template.Hole {
  /// Name by which a value from outside is looked up: `NAME` for `env`, `file.NAME` for a file; nil for other roots.
  package var variable: String? {
    switch root {
    case .env: path.steps.first?.name
    case .file: path.steps.first.map { Self.fileStart + $0.name }
    default: nil
    }
  }

  private static let fileStart = "file."

  /// Returns the name of a file that a variable stands for; nil for one of the environment.
  package static func file(ofVariable name: String) -> String? {
    name.hasPrefix(fileStart) ? String(name.dropFirst(fileStart.count)) : nil
  }

  /// Reports that a name is that of a file directly in a folder, not a path.
  package static func isFileName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".") && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
  }
}

extension Job {
  /// Names of the variables and files in the job's templates, all of which hold secrets.
  package var environmentNames: Set<String> { environmentNames(in: templates) }

  /// Returns the names of the variables and files in some of the job's templates.
  ///
  /// The variable that supplies the origin of `base` is not included, since a requested URL is no secret.
  package func environmentNames(in templates: [Template]) -> Set<String> {
    let origin = base?.originHole
    return Set(
      templates.flatMap(\.holes).filter { $0 != origin }.compactMap(\.variable))
  }
}

extension Job {
  /// Names of the variables and files that may decide which records come, without the variable that supplies the
  /// origin of `base`.
  package var decidingVariables: Set<String> {
    let templates = decidingTemplates {
      CredentialName.isCredential(item: $0)
    } orField: {
      CredentialName.isOnlyCredential(field: $0)
    }
    return environmentNames(in: templates).filter { !CredentialName.isCredential(variable: $0) }
  }

  /// Names of the parameters that may decide which records come, also by an item such as `key` or `session`.
  package var decidingParameters: Set<String> {
    func isCredential(_ name: String) -> Bool {
      CredentialName.isCredential(item: name) && !CredentialName.isAmbiguous(name)
    }
    let templates = decidingTemplates(exceptItem: isCredential, orField: isCredential)
    return Set(templates.flatMap(\.holes).filter { $0.root == .param }.compactMap { $0.path.steps.first?.name })
  }

  /// Templates that may decide which records come.
  ///
  /// Credentials decide nothing, and may change before an interrupted run is resumed: what only `auth` and `tls` read,
  /// and variables, header fields and items with a name such as `API_KEY`.
  private func decidingTemplates(
    exceptItem isCredentialItem: (String) -> Bool, orField isCredentialField: (String) -> Bool
  ) -> [Template] {
    let then = pages?.then
    let items = (query + (form ?? []) + (then?.query ?? []) + (then?.form ?? []))
      .filter { !isCredentialItem($0.name) }
    return [base, endpoint, text, download?.path].compactMap { $0 } + (contentIdentifier?.templates ?? [])
      + items.flatMap(\.values).flatMap(\.templates)
      + headers.filter { !isCredentialField($0.name) }.map(\.value)
      + (body?.templates ?? []) + (pages?.ownTemplates ?? []) + fixed.filter { !$0.mayChange }.map(\.template)
      + [then?.endpoint, then?.text].compactMap { $0 }
      + (then?.body?.templates ?? []) + eachTemplates + set.flatMap(\.value.templates)
      + (incremental?.templates ?? [])
  }
}

extension Template {
  /// True if a hole reads the input records.
  package var readsInput: Bool { names(.input) || names(.inputs) }
}

extension [Template] {
  /// Names of the variables and files in these templates.
  package var environmentNames: Set<String> {
    Set(flatMap(\.holes).compactMap(\.variable))
  }
}
