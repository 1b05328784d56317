// Which templates a job has, and whether they read records.

internal import Diagnostics
internal import JSONText

extension Job {
  /// Whether it needs input records: a template in it names `record`, or it has `match`, or nothing else to let out.
  package var readsRecords: Bool {
    endpoint == nil || !match.isEmpty
      || (fetchTemplates + set.flatMap(\.value.templates)).contains { $0.names(.record) }
  }

  /// How deep in its input records a job looks: as deep as the longest path of its templates leads, and to the members
  /// that it sets or matches by. 0 for not at all.
  package var recordDepth: Int {
    guard readsRecords else { return 0 }
    let paths = templates.flatMap(\.holes).filter { $0.root == .record }.map(\.path.steps.count)
    return max(paths.max() ?? 0, set.isEmpty && match.isEmpty && attach == nil && download == nil ? 0 : 1)
  }

  /// All templates of the job, in the order of the spec.
  package var templates: [Template] {
    (fetchTemplates + eachTemplates + set.flatMap(\.value.templates)).sorted { $0.place < $1.place }
  }

  /// The templates that decide what is fetched and what of it is content.
  var fetchTemplates: [Template] {
    [base, endpoint, contentIdentifier, failure, download?.path].compactMap { $0 }
      + query.flatMap(\.values).flatMap(\.templates)
      + headers.map(\.value)
      + (body?.templates ?? [])
      + (pages?.templates ?? [])
      + (auth?.templates ?? [])
  }

  private var eachTemplates: [Template] {
    (each?.axes ?? []).flatMap { axis in
      switch axis.values {
      case .list(let values): values.flatMap(\.templates)
      case .span(let from, let to, _, _): from.templates + to.templates
      }
    }
  }
}

extension Job {
  /// The environment variables that a template of the job names.
  package var environmentNames: Set<String> { templates.environmentNames }
}

extension [Template] {
  /// The environment variables that one of them names.
  package var environmentNames: Set<String> {
    Set(flatMap(\.holes).filter { $0.root == .env }.compactMap(\.path.steps.first?.name))
  }
}
