// Doubts about a job: legal values that its author probably did not mean.

import JSONText
package import Primitives

extension Job {
  /// Doubts about legal values that look like another notation, one sentence each.
  var doubts: [Doubt] {
    var doubts: [Doubt] = []
    if let path = contentIdentifier?.contentShape, path.steps.count > 1, path.steps[0].name == "body" {
      let rest = JSONPath(Array(path.steps.dropFirst()))
      doubts.append(
        doubt(about: "contentIdentifier", "'contentIdentifier' starts at the body: did you mean '\(rest)'?"))
    }
    let body = (ofLaterPages ?? self).body
    if case .query(let name)? = pages?.kind.items.first, let path = (try? JSONPath(name)) ?? PathError(name).likely,
      path.steps.count > 1, case .map(let members)? = body, members.contains(where: { $0.name == path.steps[0].name })
    {
      doubts.append(doubt(about: "pages", "'\(name)' of 'pages' is a query item; did you mean '{ body: \(path) }'?"))
    }
    if let base, let endpoint = endpoint?.spelling, let path = base.path, path != "/", endpoint.hasPrefix("/"),
      endpoint != "/", !endpoint.hasPrefix("//"), !endpoint.hasPrefix(path)
    {
      doubts.append(
        doubt(
          about: "endpoint",
          "endpoint '\(endpoint)' begins at the host, so '\(path)' of 'base' is not in the URL; "
            + "did you mean '\(endpoint.dropFirst())'?"))
    }
    for member in set where member.name.hasPrefix("/") {
      doubts.append(doubt(about: "set", "'\(member.name)' in 'set' is the name of one member: 'set' takes no paths"))
    }
    if poll != nil, sentMethod == "POST" {
      doubts.append(
        doubt(
          about: "poll",
          "'poll' repeats this POST: if each one starts a job, and no answer has a 'Location', "
            + "let the next step poll, by a GET"))
    }
    if let method, ["GET", "HEAD"].contains(method), self.body != nil || form != nil || text != nil {
      doubts.append(
        doubt(about: "method", "many servers ignore the body of a \(method): did you mean 'method: POST'?"))
    }
    doubts += self.doubts(about: "pages", pagerDoubts) + memberDoubts + comparisonDoubts
    doubts += self.doubts(about: "retry", laterDoubts) + self.doubts(about: "body", bodyDoubts)
    doubts += self.doubts(about: "endpoint", sameDoubts)
    doubts += self.doubts(about: "each", spanDoubts) + placeholderDoubts + quoteDoubts
    doubts += self.doubts(about: "incremental", sharedMarkDoubts) + self.doubts(about: "decode", renamedDoubts)
    return doubts + openCredentialDoubts
  }

  /// Doubts about texts in conditions that begin with an operator.
  private var comparisonDoubts: [Doubt] {
    let conditions = [("where", filter), ("when", when), ("failure", failure), ("empty", empty?.condition)]
    return conditions.flatMap { key, condition in
      (condition?.alternatives ?? []).joined().flatMap { clause in
        clause.tests.flatMap(\.texts).compactMap { text in
          NodeDecoder.likelyTest(text).map { test in
            doubt(
              about: key,
              "'\(text)' in '\(key)' is a text to be equal to; did you mean '{ \(clause.path): \(test) }'?")
          }
        }
      }
    }
  }

  /// Doubts about texts in typographic quotes, which are no quotes for YAML.
  private var quoteDoubts: [Doubt] {
    templates.filter { template in
      guard let text = template.literal, text.count > 1, let first = text.first, let last = text.last else {
        return false
      }
      return "“”„‘’".contains(first) && "“”‘’".contains(last)
    }.map {
      Doubt(
        "the typographic quotes are sent with the text; write '\"' on both sides, or nothing", at: $0.position,
        job: name)
    }
  }
}

extension Condition.Test {
  /// The texts that it compares with.
  fileprivate var texts: [String] {
    switch self {
    case .among(let values): values.compactMap(\.string)
    case .not(let tests): tests.flatMap(\.texts)
    case .above, .below, .has, .truthy, .given: []
    }
  }
}

extension Template {
  /// The path of a base, whose scheme and host may be a value; nil if it has none.
  fileprivate var path: Substring? {
    var rest = spelling[...]
    if case .hole(let hole)? = pieces.first {
      rest = rest.dropFirst(hole.spelling.count)
    } else if let colon = rest.firstIndex(of: ":") {
      rest = rest[colon...].dropFirst("://".count)
    }
    return rest.firstIndex(of: "/").map { rest[$0...] }
  }
}

// Doubts about other tools' variables and placeholders, which a run would send unchanged.

extension Job {
  /// Doubts about placeholders that other tools replace: `$TOKEN`, `{{token}}`, `%(token)s`, `{id}`, `:id`.
  ///
  /// Texts of credentials, header fields and query items are not quoted, since they may be secrets.
  var placeholderDoubts: [Doubt] {
    var doubts: [Doubt] = []
    let values = [
      ("auth", auth?.templates ?? []), ("headers", headers.map(\.value)),
      ("query", query.flatMap(\.values).flatMap(\.templates)),
      ("form", (form ?? []).flatMap(\.values).flatMap(\.templates)),
    ]
    for (key, templates) in values {
      for template in templates {
        guard let (spelling, likely) = template.texts.lazy.compactMap(\.foreignVariable).first else { continue }
        doubts.append(
          Doubt(
            "a '\(spelling)' in '\(key)' is sent as it stands; did you mean \(likely)?", at: template.position,
            job: name))
      }
    }
    for (name, spelling) in endpoint?.placeholders ?? [] {
      doubts.append(
        doubt(
          about: "endpoint",
          "'\(spelling)' in 'endpoint' is sent as it stands; did you mean '${input.\(name)}' or '${param.\(name)}'?"))
    }
    return doubts
  }
}

extension Template {
  /// Whole segments of a path that other tools would replace.
  var placeholders: [(name: String, spelling: String)] { text { _ in "0" }.placeholders }
}

extension Template {
  /// The texts between the holes.
  fileprivate var texts: [String] {
    pieces.compactMap { if case .text(let text) = $0 { text } else { nil } }
  }
}

extension String {
  /// The notation of another tool's variable in the text, and what to write; nil for none.
  ///
  /// The name is shown only if it is a root, or one in upper case that is the whole text: other texts may be secrets.
  fileprivate var foreignVariable: (spelling: String, likely: String)? {
    if hasShellVariable {
      let name = dropFirst()
      let isAll = hasPrefix("$") && name.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == 0x5F }
      return ("$NAME", "'${env.\(isAll ? String(name) : "NAME")}'")
    }
    for (opening, closing, spelling) in [("{{", "}}", "{{name}}"), ("%(", ")s", "%(name)s")] {
      guard let start = firstRange(of: opening), let end = self[start.upperBound...].firstRange(of: closing) else {
        continue
      }
      let name = self[start.upperBound..<end.lowerBound].filter { $0 != " " }
      if Template.Hole.Root(rawValue: name) != nil { return (spelling, "'${\(name)}'") }
      return (spelling, "'${env.NAME}' or '${param.name}'")
    }
    return nil
  }

  /// True for text with a `$` before a name in upper case, as a shell spells its variables.
  ///
  /// OData has `$filter`, in lower case.
  private var hasShellVariable: Bool {
    split(separator: "$", omittingEmptySubsequences: false).dropFirst().contains { rest in
      let name = rest.utf8.prefix { (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
      return name.count > 2 && (0x41...0x5A).contains(name.first ?? 0)
    }
  }

  /// Whole segments of a path that are `{name}`, `{{name}}` or `:name`.
  fileprivate var placeholders: [(name: String, spelling: String)] {
    prefix { $0 != "?" }.split(separator: "/").compactMap { segment in
      let name =
        segment.hasPrefix(":")
        ? segment.dropFirst()
        : segment.hasPrefix("{") && segment.hasSuffix("}") ? segment.drop { $0 == "{" }.prefix { $0 != "}" } : ""
      let isName =
        name.first?.isLetter == true && name.utf8.allSatisfy(\.isWord)
      return isName ? (String(name), String(segment)) : nil
    }
  }
}

// Doubts about member names that no record has after `decode.keys`.

internal import JSONText

extension Job {
  /// Doubts about names in `model`, `dates` and `types` that `keys` renames.
  ///
  /// A run prints them too, since an optional member of `model` would be missing without an error.
  package var renamedDoubts: [String] {
    guard let keys = decode.keys else { return [] }
    let read = decode.paths.flatMap { member in member.path.steps.map { (member.key, $0.name) } }
    let names = (model?.names ?? []).map { ("model", $0) } + read
    return names.filter { keys.renames($0.1) }.map { key, name in
      "no record has the member '\(name)' of '\(key)', since 'keys: \(keys.rawValue)' renames it: write the new name"
    }
  }
}

extension Model {
  /// Names of the members at every depth.
  fileprivate var names: [String] { members.flatMap { [$0.name] + $0.kind.names } }
}

extension Model.Kind {
  fileprivate var names: [String] {
    switch self {
    case .list(let kind): kind.names
    case .map(let model): model.names
    case .string, .integer, .number, .boolean, .date, .url, .any: []
    }
  }
}

extension Decode.Keys {
  fileprivate func renames(_ name: String) -> Bool {
    switch self {
    case .camelCase: name.split(separator: "_").count > 1
    case .snakeCase: name != name.lowercased()
    }
  }
}

// Time windows with inclusive ends in whole seconds, minutes or hours: an event in the last one may be in no window.

internal import Diagnostics
internal import JSONText

extension Job {
  /// A warning for each span of `each` that is certain to have such windows.
  package var lossyWindows: [String] {
    (each?.axes ?? []).compactMap { axis in
      guard case .span(let span) = axis.values, inclusiveWindows.contains(axis.name), isLossy(span) else { return nil }
      return Self.warning(ofLossyWindows: axis.name, span.form)
    }
  }

  /// Windows of which the request has the inclusive end, and not the start of the next one.
  package var inclusiveWindows: Set<String> {
    let paths = fetchTemplates.flatMap(\.holes).filter { $0.root == .input }.map { $0.path.steps.map(\.name) }
    let names = (each?.axes ?? []).filter(\.isWindow).map(\.name).filter { name in
      paths.contains([name, Each.windowMembers.end]) && !paths.contains([name, Each.windowMembers.next])
    }
    return Set(names)
  }

  /// - Parameters:
  ///   - name: the member with each window.
  ///   - form: spelling of the windows; nil for the spelling of `from` and `to`.
  package static func warning(ofLossyWindows name: String, _ form: TimeForm?) -> String {
    let unit =
      switch form?.smallestUnit {
      case .minute: "minute"
      case .hour: "hour"
      default: "second"
      }
    let lost = unit == "second" ? "in the fractions of that second" : "within that \(unit)"
    // A form has its own number of digits, whatever `from` has.
    let remedy = form == nil ? ", else give 'from' a fraction, such as 2024-01-01T00:00:00.000Z" : ""
    return "'${input.\(name.printable).end}' is one \(unit) before the next window starts, so that records \(lost) "
      + "may be missing: write '${input.\(name.printable).next}' if the API's upper end is exclusive" + remedy
  }

  private func isLossy(_ span: Each.Span) -> Bool {
    if let form = span.form { return !form.isOfDays && form.fractionDigits == 0 }
    return [span.from, span.to].allSatisfy { bound in
      guard case .string(let template) = bound else { return false }
      if let text = template.literal { return template.spanUnit == .time && !text.contains(".") }
      guard template.onlyHole?.root == .since, template.onlyHole?.form == nil else { return template.spanUnit == .time }
      let samples = since.map { SinceSample.all(of: $0, incremental == nil ? nil : self) } ?? []
      return !samples.isEmpty
        && samples.allSatisfy { SpanDraft.Unit(dateOrTime: $0.text) == .time && !$0.text.contains(".") }
    }
  }
}

// Credentials that a job does not declare as secrets, so that nothing redacts them.

extension Job {
  /// Doubts about header fields and items with the name of a credential whose values are plain text or parameters, and
  /// about plain text in `auth`.
  var openCredentialDoubts: [Doubt] {
    let fields = headers.filter { CredentialName.isCredential(field: $0.name) && $0.value.isOpen }.filter { field in
      !Self.hiddenFields.contains(field.name.lowercased()) && !CredentialName.namesOther(field: field.name)
    }
    func items(_ items: [QueryItem]) -> [(name: String, position: SourcePosition)] {
      items.compactMap { item in
        let values = item.values.flatMap(\.templates).filter(\.isOpen)
        guard CredentialName.isCredential(item: item.name), let first = values.first else { return nil }
        let isNamed = !CredentialName.isAmbiguous(item.name) || values.contains(where: \.looksRandom)
        return isNamed ? (item.name, first.position) : nil
      }
    }
    let parts = [
      ("headers", "headers", fields.map { ($0.name, $0.value.position) }), ("query", "query", items(query)),
      ("form", nil, items(form ?? [])),
    ]
    let plain = (auth?.secrets ?? []).filter { $0.literal?.contains("/") == false && $0.looksRandom }.map { template in
      Doubt(
        "a credential stands in the file as plain text; write '${env.TOKEN}', and give it by the environment",
        at: template.position, job: name)
    }
    return plain
      + parts.flatMap { key, kind, found in
        found.map { field, position in
          let remedy = kind.map { "write 'auth: { \($0): { \(field): \"${env.NAME}\" } }'" } ?? "write '${env.NAME}'"
          let isHidden = key == "headers" && CredentialName.isSecret(field: field)
          let readers =
            isHidden
            ? "whoever reads the spec or the command line sees it" : "messages, recordings and state files show it"
          return Doubt(
            "'\(field)' in '\(key)' looks like a credential, and \(readers); if it is one, \(remedy)", at: position,
            job: name)
        }
      }
  }

  /// Fields whose values are redacted because of their names.
  private static let hiddenFields: Set = ["authorization", "proxy-authorization", "cookie"]
}

extension Job.Auth {
  /// The values that nobody else may know.
  fileprivate var secrets: [Template] {
    switch kind {
    case .bearer(let token): [token]
    case .basic(_, let password): [password].compactMap { $0 }
    case .named(let headers, let items): headers.map(\.value) + items.map(\.value)
    case .oauth2(let oauth2): [oauth2.clientSecret, oauth2.refreshToken].compactMap { $0 }
    case .aws(let aws): [aws.secret]
    case .login(let login): [login.refreshToken].compactMap { $0 }
    case .netrc: []
    }
  }
}

extension Template {
  /// True if the text is redacted nowhere and is not a record's value: it has no templates besides parameters.
  fileprivate var isOpen: Bool {
    !pieces.isEmpty && holes.allSatisfy { $0.root == .param }
  }

  /// True for a long text of letters and digits.
  fileprivate var looksRandom: Bool {
    literal.map(CredentialName.looksRandom) ?? false
  }
}
