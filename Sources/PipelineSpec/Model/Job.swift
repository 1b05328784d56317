package import Diagnostics
import JSONText

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
