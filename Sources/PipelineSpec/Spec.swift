// What a spec file says, as values. Nothing here has been evaluated: no parameter, no environment, no clock.

package import Diagnostics
package import JSONText

/// A spec file: what the command line may set, and the jobs in order.
package struct Spec: Sendable {
  /// As the file was named on the command line; `<stdin>` for `-`.
  package let name: String
  package let source: SourceText
  package let parameters: [Parameter]
  /// At least one. Defaults of the file's top are already in them.
  package var jobs: [Job]

  package init(name: String, source: SourceText, parameters: [Parameter], jobs: [Job]) {
    self.name = name
    self.source = source
    self.parameters = parameters
    self.jobs = jobs
  }

  /// An entry of `params`.
  package struct Parameter: Hashable, Sendable {
    package let name: String
    /// Nil when it is required (`null` in the spec). A string, number or boolean.
    package let standard: JSONValue?
    /// As the standard value is spelled in the spec.
    package let spelling: String

    package init(name: String, standard: JSONValue?, spelling: String) {
      self.name = name
      self.standard = standard
      self.spelling = spelling
    }
  }
}

/// One job: a fetch, once or once a record; or none, and records that pass through with members set.
package struct Job: Sendable {
  /// For messages: its `name`, else the file's name, or `FILE#2` for unnamed steps.
  package var name: String
  /// Where the job begins in the spec.
  package var place: SourcePosition

  package var base: Template?
  /// Nil for a job that makes no request.
  package var endpoint: Template?
  /// Upper case; nil for the default (GET, or POST where there is a body).
  package var method: String?
  package var query: [QueryItem] = []
  /// The file's and the job's own, merged without regard to case; removed ones are not here, but in `removedHeaders`.
  package var headers: [Header] = []
  /// Lower case names of default headers that `null` removes (`accept`, `user-agent`).
  package var removedHeaders: Set<String> = []
  package var body: TemplateValue?
  package var each: Each?
  /// Nil is the body itself.
  package var contentIdentifier: Template?
  package var absent: Absent = .error
  /// With a `*` over a map: the member that takes the name.
  package var key: String?
  /// Finds an error inside an answer.
  package var failure: Template?
  package var model: Model?
  package var decode: Decode = Decode()
  package var pages: Pages?
  package var attach: Attach?
  /// Fetched member to input member.
  package var match: [MatchPair] = []
  /// The member that takes the number of matching records.
  package var count: String?
  package var set: [TemplateValue.Member] = []
  /// Where files are saved; their URL is `endpoint` then.
  package var download: Download?
  package var incremental: Incremental?
  package var concurrency: Int = 1
  package var onError: OnError = .stop
  package var timeout: Duration = .seconds(30)
  package var hosts: [Host] = []
  package var bodyLimit: Int = 4_000_000_000
  package var retry = Retry()
  /// Whether the job itself has `retry`: then any method is tried again.
  package var ownsRetry = false
  package var rate: Rate?
  package var auth: Auth?

  package init(name: String, place: SourcePosition, endpoint: Template? = nil) {
    self.name = name
    self.place = place
    self.endpoint = endpoint
  }

  package struct QueryItem: Hashable, Sendable {
    package let name: String
    /// One for a plain value, several for a list (the item repeats); `null` ones are not there.
    package let values: [TemplateValue]
    package init(name: String, values: [TemplateValue]) {
      self.name = name
      self.values = values
    }
  }

  package struct Header: Hashable, Sendable {
    package let name: String
    package let value: Template
    package init(name: String, value: Template) {
      self.name = name
      self.value = value
    }
  }

  /// `hosts: [files.example.com, "http://h:8080"]`.
  package struct Host: Hashable, Sendable {
    package let scheme: String
    package let host: String
    package let port: Int
    package init(scheme: String, host: String, port: Int) {
      self.scheme = scheme
      self.host = host
      self.port = port
    }
  }

  /// `download`: a file for each record.
  package struct Download: Hashable, Sendable {
    /// Below the folder of all downloads; ends with `/` where the file is called as in its URL.
    package let path: Template
    package init(path: Template) {
      self.path = path
    }
  }

  package enum OnError: String, CaseIterable, Sendable { case stop, skip, empty }

  /// With `key`: the member of records that were no objects.
  package static let valueMember = "value"

  /// What a body without the content's key is.
  package enum Absent: String, CaseIterable, Sendable { case error, empty }

  package enum Attach: Hashable, Sendable {
    case list(String)
    case one(String)
    package var name: String {
      switch self {
      case .list(let name), .one(let name): name
      }
    }
  }

  package struct MatchPair: Hashable, Sendable {
    package let fetched: String
    package let input: String
    package init(fetched: String, input: String) {
      self.fetched = fetched
      self.input = input
    }
  }
}

/// `incremental`: only what is new since the last run.
package struct Incremental: Hashable, Sendable {
  /// The member whose highest value is remembered.
  package let mark: JSONPath
  /// What `${since}` is when nothing is remembered yet.
  package let start: JSONValue?

  package init(mark: JSONPath, start: JSONValue?) {
    self.mark = mark
    self.start = start
  }
}

/// `each`: input records made from the spec itself. With several names, every combination, the last name fastest.
package struct Each: Hashable, Sendable {
  package struct Axis: Hashable, Sendable {
    package let name: String
    package let values: Values
    package let place: SourcePosition
    package init(name: String, values: Values, place: SourcePosition) {
      self.name = name
      self.values = values
      self.place = place
    }

    /// The members that it gives its records.
    package var names: [String] {
      if case .span(_, _, _, let end?) = values { [name, end] } else { [name] }
    }
  }
  package enum Values: Hashable, Sendable {
    case list([TemplateValue])
    /// Both ends inclusive. `step` as written: `1d`, `15m`, or a whole number. With `end` each value is a window, which
    /// ends with that member.
    case span(from: TemplateValue, to: TemplateValue, step: String?, end: String? = nil)
  }
  package let axes: [Axis]
  package init(axes: [Axis]) { self.axes = axes }
}

/// `model`: what each record must look like.
package struct Model: Hashable, Sendable {
  package indirect enum Kind: Hashable, Sendable {
    case string, integer, number, boolean, date, url, any
    case list(Kind)
    case map(Model)
  }
  package struct Member: Hashable, Sendable {
    package let name: String
    package let kind: Kind
    package let isOptional: Bool
    package init(name: String, kind: Kind, isOptional: Bool) {
      self.name = name
      self.kind = kind
      self.isOptional = isOptional
    }
  }
  package let members: [Member]
  package init(members: [Member]) { self.members = members }
}

/// `decode`: key and date strategies.
package struct Decode: Hashable, Sendable {
  package enum Keys: String, CaseIterable, Sendable {
    case camelCase
    case snakeCase = "snake_case"
  }
  package enum DateForm: String, CaseIterable, Sendable { case seconds, milliseconds, rfc3339 }
  package var keys: Keys?
  /// Member name (after `keys`) to the form it is read in.
  package var dates: [DateField] = []
  package struct DateField: Hashable, Sendable {
    package let name: String
    package let form: DateForm
    package init(name: String, form: DateForm) {
      self.name = name
      self.form = form
    }
  }
  package init() {}
}

/// `pages`: how to get the rest.
package struct Pages: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// `{limit: 1}` alone: one request, and that is meant.
    case single
    /// The item goes up by 1.
    case number(item: PageItem, start: Int)
    /// The item goes up by the records received.
    case offset(item: PageItem, start: Int)
    /// The item carries what the template reads of the page before.
    case cursor(item: PageItem, from: Template)
    /// The URL that the template reads.
    case next(Template)
    /// The target of a relation: of the `Link` header, or of an array in the body.
    case link(relation: String, in: JSONPath?)

    package var template: Template? {
      switch self {
      case .cursor(_, let template), .next(let template): template
      case .single, .number, .offset, .link: nil
      }
    }

    package var item: PageItem? {
      switch self {
      case .number(let item, _), .offset(let item, _), .cursor(let item, _): item
      case .single, .next, .link: nil
      }
    }
  }
  /// Where the pager's item goes.
  package enum PageItem: Hashable, Sendable {
    case query(String)
    /// A JSON Pointer into the request body.
    case body(JSONPath)
  }
  package enum Until: Hashable, Sendable {
    case short
    case below(Int)
    case status(Int)
  }
  package var kind: Kind
  package var limit: Int?
  package var totalPages: Template?
  package var totalRecords: Template?
  package var more: Template?
  package var done: Template?
  package var until: Until?
  package var repeats: Bool = false
  package var place: SourcePosition

  package init(kind: Kind, place: SourcePosition) {
    self.kind = kind
    self.place = place
  }

  package var templates: [Template] { [kind.template, totalPages, totalRecords, more, done].compactMap { $0 } }
}
