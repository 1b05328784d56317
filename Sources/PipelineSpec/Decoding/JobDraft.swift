// A job while it is decoded: its values so far, and the position of each key.

internal import Diagnostics
internal import JSONText
import YAMLText

struct JobDraft {
  var job: Job
  /// Keys of the job itself; the job's values may also come from the file's defaults.
  var own: [String: Node.Entry] = [:]
  /// Defaults beside `steps` that apply because the job does not have the key itself.
  var inherited: [String: Node.Entry] = [:]
  /// The file's own `base`, beside `steps`.
  var fileBase: Template?
  /// True if every value could be read; otherwise no diagnostic says that something is missing.
  var isWhole = true
  /// Range for diagnostics about the job as a whole.
  var range: Range<Int> = 0..<0

  init() {
    job = Job(name: "", position: SourcePosition(line: 1, column: 1))
  }

  /// Keys of the job itself, as the spec has them.
  var ownInOrder: [Node.Entry] { own.values.sorted { $0.keyRange.lowerBound < $1.keyRange.lowerBound } }

  /// Returns a step's draft, which begins with the values of this draft.
  func inheriting() -> JobDraft {
    var draft = self
    draft.inherited = own
    draft.own = [:]
    draft.fileBase = job.base
    return draft
  }

  /// Reads the keys of a map, which replace the values so far.
  mutating func read(
    _ node: Node, keys: [Key<JobDraft>], _ decoder: inout NodeDecoder, others: [String] = [],
    hint: NodeDecoder.Hint = { _ in nil }
  ) {
    let before = decoder.mistakes.count
    defer { job.fixed += decoder.takeFixed() }
    guard let entries = decoder.map(node, keys: keys, into: &self, others: others, hint: hint) else {
      isWhole = false
      return
    }
    for entry in entries {
      own[entry.key] = entry
      inherited[entry.key] = nil
    }
    job.position = decoder.source.position(at: node.range.lowerBound)
    range = entries.first?.keyRange ?? node.range
    if decoder.mistakes.count > before { isWhole = false }
  }
}

internal import Diagnostics
internal import JSONText

/// Values of a file's own keys while they are decoded.
struct FileDraft {
  var parameters: [Spec.Parameter] = []
  /// Nodes of `steps`; nil for a file without.
  var steps: [Node]?
  /// Entries of `streams`; nil for a file with one output.
  var streams: [Node.Entry]?
}

internal import Diagnostics

/// Values of `auth` while it is decoded.
struct AuthDraft {
  var kind: Job.Auth.Kind?
  var headers: [Job.Header] = []
  var items: [Job.Auth.Item] = []
  var user: Template?
  var password: Template?
}

/// Values of `oauth2` while it is decoded.
struct OAuth2Draft {
  var tokenURL: Template?
  var clientID: Template?
  var clientSecret: Template?
  var scope: Template?
  var refreshToken: Template?
  var jwt: Job.Auth.OAuth2.JWT?
  var deviceURL: Template?
  var send: Job.Auth.OAuth2.Sending?
  var others: [Job.Auth.Item]?
  var use: Job.Auth.TokenUse?
  var refused: Condition?
}

internal import Diagnostics

/// Values of `jwt` while it is decoded.
struct JWTDraft {
  var key: Template?
  var issuer: Template?
  var subject: Template?
  var audience: Template?
  var scope: Template?
}

extension NodeDecoder {
  /// Returns the keys of `jwt`.
  mutating func jwt(_ node: Node) -> Job.Auth.OAuth2.JWT? {
    var draft = JWTDraft()
    guard whole(node, keys: SpecKeys.jwtKeys, into: &draft), let key = draft.key else { return nil }
    return Job.Auth.OAuth2.JWT(
      key: key, issuer: draft.issuer, subject: draft.subject, audience: draft.audience, scope: draft.scope)
  }

  /// Returns the path of a key's file; the key itself is refused, and not shown.
  mutating func keyPath(_ node: Node) -> Template? {
    guard let path = authValue(node, "a path", advice: "write the path of a file") else { return nil }
    let text = path.literal ?? ""
    guard text.contains("-----BEGIN") || text.drop(while: \.isWhitespace).hasPrefix("{") else { return path }
    refuse("the key itself stands in the spec", at: node.range, advice: "write the path of a file that has it")
    return nil
  }
}

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
    return Job.Auth.AWS(id: id, secret: secret, token: draft.token, region: region, service: service)
  }
}

internal import Diagnostics
internal import JSONText

/// Values of `login` while it is decoded.
struct LoginDraft {
  var endpoint: Template?
  var method: String?
  var body: TemplateValue?
  var form: [Job.Auth.Item]?
  /// Job of which only the headers are used.
  var job = JobDraft().job
  var token: JSONPath?
  var refreshToken: Template?
  var nextRefreshToken: JSONPath?
  var use: Job.Auth.TokenUse?
  var refused: Condition?
}

/// Values of `as` while it is decoded.
struct TokenUseDraft {
  var headers: [Job.Header] = []
  var items: [Job.Auth.Item] = []
}

internal import Diagnostics
import JSONText

/// Values of `download` while it is decoded.
struct DownloadDraft {
  var url: Template?
  var path: Template?
  var naming: Job.Download.Naming?
  var size: Template?
}

internal import Diagnostics
internal import JSONText
internal import Primitives

struct IncrementalDraft {
  var mark: Incremental.Mark?
  var start: TemplateValue?
  var form: TimeForm?
  var by: [JSONPath] = []
  var only: Incremental.Only?
  var expired: Condition?
}

internal import Diagnostics
internal import JSONText
internal import Primitives

/// Values of `{from, to, step}` while it is decoded.
struct SpanDraft {
  var from: Bound?
  var to: Bound?
  var step: Step?
  var window: Step?
  var form: TimeForm?
  var splits: Bool?

  /// Unit of a bound or a step, if it can be known before templates have values.
  enum Unit: String {
    case date = "a date"
    case time = "a time"
    case integer = "a whole number"

    /// Nil for a pattern: what reads it decides.
    init?(of form: TimeForm) {
      switch form {
      case .date: self = .date
      case .rfc3339: self = .time
      case .seconds, .milliseconds: self = .integer
      case .pattern: return nil
      }
    }

    /// Nil for other text.
    init?(dateOrTime text: String) {
      if CivilDate(text) != nil {
        self = .date
      } else if Timestamp(rfc3339: text) != nil {
        self = .time
      } else {
        return nil
      }
    }
  }

  struct Bound {
    let value: TemplateValue
    let unit: Unit?
    let range: Range<Int>
  }

  struct Step {
    let template: Template
    /// Unit as it is spelled, empty for a plain number; nil where a template decides.
    let unit: String?
    let range: Range<Int>

    init(_ template: Template, range: Range<Int> = 0..<0) {
      self.template = template
      self.range = range
      unit = template.literal.map { String($0.drop(while: \.isNumber)) }
    }
  }
}

/// Values of `pages` while it is decoded.
struct PagesDraft {
  var item: Pages.PageItem?
  var from: Template?
  /// The items that a map of `from` names.
  var cursors: [Pages.Cursor] = []
  var next: Template?
  var link: LinkDraft?
  var then: LaterRequest?
  var totalPages: Template?
  var totalRecords: Template?
  var more: Condition?
  var until: [Pages.Until] = []
  var isScroll: Bool?
  var smallest: Int?

  /// Returns the kind, or nil without the values that the kind needs.
  func kind(_ name: String) -> Pages.Kind? {
    switch name {
    case "number": item.map { .number(item: $0) }
    case "offset": item.map { .offset(item: $0) }
    case "cursor": item.flatMap { item in from.map { .cursor(item: item, from: $0) } }
    case "from": Pages.Kind(cursors: cursors)
    case "next": next.map { .next($0) }
    case "link": link.map { .link(relation: $0.relation, in: $0.path) }
    default: nil
    }
  }
}

/// Values of `link` while it is decoded.
struct LinkDraft {
  /// The relation that leads on, unless the spec names another one (RFC 8288 §3.3).
  var relation = "next"
  var path: JSONPath?
}
