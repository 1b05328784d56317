// The marks of a job, and the owners of marks by `by`.

package import JSONText
import PipelineSpec
package import Primitives
package import Wire

extension JobPlan {
  /// Checks that a run can start with these marks.
  ///
  /// - Parameter marks: marks by job.
  package func check(marks: [String: JSONValue]) throws(ParameterError) {
    var run = scope.run
    run.marks = marks
    _ = try JobPlan(job: job, specName: scope.specName, run: run, userAgent: userAgent)
  }

  /// Returns the value of `${since}` for a record.
  package func since(for record: JSONValue?) -> SinceValue? { marks?.value(for: record) }

  /// Returns the id under which a record's own mark is kept; nil if the job has no `by`.
  package func markID(of record: JSONValue?) throws(ParameterError) -> ExactText? {
    guard job.incremental?.by.isEmpty == false else { return nil }
    return try marks?.id(of: record)
  }

  /// Returns a hash of a record without the windows that the job's own `each` gave it, in this run or before `--from`.
  ///
  /// The windows stand for one thing, the values of a list for several.
  package func markOwner(of record: JSONValue?) -> Int {
    let axes = (job.each ?? job.eachBefore)?.axes ?? []
    let names = Set(axes.filter(\.hasWindows).map(\.name))
    let members = record.map { Array($0.members) } ?? []
    return JSONValue(members: members.filter { !names.contains($0.name) }.map { ($0.name, $0.value) }).text.hashValue
  }
}

// The mark of an input record, such as the end of a window.

extension JobPlan {
  /// Returns the mark that an input record has, or the start of the run, if `mark` is such a template.
  ///
  /// A time after the start of the run becomes the start, since later records have not been requested.
  package func inputMark(of record: JSONValue?) throws(ParameterError) -> JSONValue? {
    let template: Template
    switch job.incremental?.mark {
    case .input(let value), .run(let value): template = value
    case .member, .answer, nil: return nil
    }
    guard let hole = template.onlyHole else { return nil }
    let scope = scope(for: record)
    guard let mark = try hole.reading(in: scope)?.value else { return nil }
    if case .run = job.incremental?.mark { return mark }
    // A number may be an id.
    let form = job.incremental?.form ?? spanForm(of: hole.path.steps.first?.name)
    guard form != nil || mark.kind == .string, let written = SpelledTime(mark, as: form) else { return mark }
    guard form != nil || written.form != .seconds, written.time.seconds >= scope.run.start else { return mark }
    let zeros = [UInt8](repeating: UInt8(ascii: "0"), count: written.time.fraction.count)
    return Timestamp(seconds: scope.run.start, fraction: zeros).map(written.form.value) ?? mark
  }

  /// Returns the mark that the last page of a stream has; nil if it has none, or if the mark is of another kind.
  ///
  /// - Throws: `ParameterError` for a value that no request can carry.
  package func answerMark(in page: PageFacts) throws(ParameterError) -> JSONValue? {
    guard case .answer(let template)? = job.incremental?.mark, let hole = template.onlyHole else { return nil }
    var scope = scope
    scope.page = page
    guard let found = try hole.found(in: scope)?.value, found.string != "" else { return nil }
    guard [.string, .number].contains(found.kind) else {
      throw scope.fault(hole, "a mark is a text or a number, and this is of the kind \(found.kind.rawValue)")
    }
    return found
  }

  /// The form in which the job's `each` spells a member that it makes.
  private func spanForm(of name: String?) -> TimeForm? {
    for axis in job.each?.axes ?? [] where axis.name == name {
      if case .span(let span) = axis.values { return span.form }
    }
    return nil
  }
}

// The list that a job fetches, so that a mark is not used for another list.

extension JobPlan {
  /// Returns the job's base and endpoint as they are spelled, with parameters inserted, and the variable that supplies an origin.
  ///
  /// This text is the same in every run of the job with these parameters.
  package func subject(hiding secrets: SecretStore) -> String {
    let texts = [job.base, job.endpoint].compactMap { $0 }.map { template in
      template.text { hole in
        hole.root == .param || hole == template.originHole
          ? (try? hole.reading(in: scope))?.text ?? "" : hole.spelling
      }
    }
    return secrets.identity(of: texts.joined(separator: " "))
  }

  /// Returns what may select the job's records: the parameters in its query and body, and literal query items.
  package func choices(hiding secrets: SecretStore) -> [(name: String, value: String)] {
    let templates = job.query.flatMap(\.values).flatMap(\.templates) + job.bodyTemplates
    let names = Set(templates.flatMap(\.holes).filter { $0.root == .param }.compactMap { $0.path.steps.first?.name })
    let parameters = names.sorted().compactMap { name in
      scope.run.parameters[name].map { (name: name, value: secrets.identity(of: $0.text)) }
    }
    let literals = literalChoices.filter { !names.contains($0.name) }
    return parameters + literals.map { (name: $0.name, value: secrets.identity(of: $0.value)) }
  }

  /// Query items that change the members of records, not which records come.
  private static let shapes: Set = [
    "fields", "select", "include", "expand", "embed", "format", "attributes", "properties", "lang", "locale",
  ]

  /// Query items that the spec has as text, and that may select records.
  private var literalChoices: [(name: String, value: String)] {
    job.query.compactMap { item in
      guard item.values.allSatisfy({ $0.templates.allSatisfy(\.holes.isEmpty) }),
        !PagesProposal.isPageSize(item.name), !Self.shapes.contains(item.name.lowercased().filter(\.isLetter))
      else { return nil }
      let texts = item.values.map { (try? $0.json(in: scope))??.value }.map { $0?.string ?? $0?.text ?? "" }
      return (item.name, texts.joined(separator: ","))
    }
  }
}

// The members that `set` adds to records.

extension JobPlan {
  /// Returns the members that `set` adds to an input record that passes through, in order, without optional templates
  /// that are missing.
  package func additions(for record: JSONValue?) throws(ParameterError) -> [(name: String, value: JSONValue)] {
    let scope = scope(for: record)
    if let record { try checkMembersOfEach(record) }
    return try additions(in: scope)
  }

  /// Throws if an input record of a request lacks a member that `each` made in the run before.
  ///
  /// - Parameter record: the record, or the list of them with `batch`; nil for a request that is about none.
  package func checkMembersOfEach(ofRequest record: JSONValue?) throws(ParameterError) {
    guard let record, !job.membersOfEach.isEmpty else { return }
    for record in job.batch == nil ? [record] : Array(record.elements) { try checkMembersOfEach(record) }
  }

  /// Throws if an input record lacks a member that `each` made in the run before.
  package func checkMembersOfEach(_ record: JSONValue) throws(ParameterError) {
    for name in job.membersOfEach where record[name] == nil {
      throw ParameterError(
        template: "each", position: "\(scope.specName):\(job.position)",
        problem:
          "the record has no member '\(name)', which 'each' makes; --from takes the records that 'each' has made, as "
          + "--rejects writes them: give one that 'each' refused to the whole pipeline again")
    }
  }

  fileprivate func additions(in scope: TemplateScope) throws(ParameterError) -> [(name: String, value: JSONValue)] {
    var additions: [(name: String, value: JSONValue)] = []
    for member in job.set {
      guard let value = try member.value.json(in: scope) else { continue }
      additions.append((member.name, value.value))
    }
    return additions
  }

  /// Members that `set` adds, if each is known in this scope or copies a member of the record; nil otherwise.
  ///
  /// - Parameter root: the root that reads the record in which the members are set.
  fileprivate func plainAdditions(
    copying root: Template.Hole.Root, in scope: TemplateScope
  ) -> [(name: String, source: MemberSetter.Source)]? {
    var additions: [(name: String, source: MemberSetter.Source)] = []
    for member in job.set {
      if case .string(let template) = member.value, let hole = template.onlyHole, hole.root == root {
        guard hole.path.steps.count == 1, hole.isVerbatim else { return nil }
        additions.append((member.name, .member(hole.path.steps[0].name)))
      } else {
        guard !member.value.templates.flatMap(\.holes).contains(where: { $0.root == root }),
          let value = try? member.value.json(in: scope)
        else { return nil }
        additions.append((member.name, .constant(value.value)))
      }
    }
    return additions
  }

  /// Members that `set` adds to input records that pass through, if each is known now or copies a member; nil otherwise.
  package var plainAdditions: [(name: String, source: MemberSetter.Source)]? {
    job.membersOfEach.isEmpty ? plainAdditions(copying: .input, in: scope) : nil
  }
}

// The members that `set` adds to fetched records.

extension JobPlan {
  /// True if `set` reads the fetched records.
  package var setsFromFetched: Bool {
    job.endpoint != nil && job.set.flatMap(\.value.templates).contains { $0.names(.record) }
  }

  /// Returns the members that `set` adds to the records of a page; nil if it adds none, or if no record comes out.
  ///
  /// - Parameters:
  ///   - record: the input record, or the list of those of a batch.
  ///   - page: the page that has the records.
  package func pageAdditions(for record: JSONValue?, on page: PageFacts) -> PageAdditions? {
    guard !job.set.isEmpty, job.endpoint != nil, job.download == nil, page.body.recordCount > page.body.leftOutCount
    else { return nil }
    var scope = scope(for: record)
    scope.page = page
    return PageAdditions(self, scope)
  }
}

/// The members that `set` adds to the records of one page.
package struct PageAdditions: Sendable {
  private let plan: JobPlan
  private let scope: TemplateScope
  /// The members, if each is the same for all records of the page, or copies a member of the record; nil otherwise.
  package let plain: [(name: String, source: MemberSetter.Source)]?

  fileprivate init(_ plan: JobPlan, _ scope: TemplateScope) {
    (self.plan, self.scope) = (plan, scope)
    plain = plan.plainAdditions(copying: .record, in: scope)
  }

  /// Returns the members for one record, in order, without optional templates that are missing.
  ///
  /// - Parameter record: the fetched record, as it came.
  package func additions(for record: JSONValue) throws(ParameterError) -> [(name: String, value: JSONValue)] {
    var scope = scope
    scope.fetched = record
    return try plan.additions(in: scope)
  }
}
