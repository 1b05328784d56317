// One spec key is one entry: the decoder, did-you-mean and the reference come from these tables.

import YAMLText

internal import Diagnostics

/// All keys of the language, table by table, in the order of the reference.
package enum SpecKeys {
  /// Keys of a file; beside them are one job's keys, or `steps` with those of `job` that may be defaults.
  package static let file: [KeyEntry] = fileKeys.map(\.entry)
  package static let job: [KeyEntry] = jobKeys.map(\.entry)
  package static let pages: [KeyEntry] = pagesKeys.map(\.entry)
  package static let link: [KeyEntry] = linkKeys.map(\.entry)
  package static let then: [KeyEntry] = thenKeys.map(\.entry)
  package static let span: [KeyEntry] = spanKeys.map(\.entry)
  package static let decode: [KeyEntry] = decodeKeys.map(\.entry)
  package static let condition: [KeyEntry] = conditionKeys.map(\.entry)
  package static let incremental: [KeyEntry] = incrementalKeys.map(\.entry)
  package static let attach: [KeyEntry] = attachKeys.map(\.entry)
  package static let poll: [KeyEntry] = pollKeys.map(\.entry)
  package static let csv: [KeyEntry] = csvKeys.map(\.entry)
  package static let download: [KeyEntry] = downloadKeys.map(\.entry)
  package static let retry: [KeyEntry] = retryKeys.map(\.entry)
  package static let auth: [KeyEntry] = authKeys.map(\.entry)
  package static let basic: [KeyEntry] = basicKeys.map(\.entry)
  package static let oauth2: [KeyEntry] = oauth2Keys.map(\.entry)
  package static let login: [KeyEntry] = loginKeys.map(\.entry)
  package static let use: [KeyEntry] = useKeys.map(\.entry)
  package static let aws: [KeyEntry] = awsKeys.map(\.entry)
  package static let tls: [KeyEntry] = tlsKeys.map(\.entry)

  static let jobKeys: [Key<JobDraft>] = requestKeys + contentKeys + joiningKeys + fetchingKeys
  static let defaultKeys: [Key<JobDraft>] = jobKeys.filter(\.entry.isDefault)
}

internal import Diagnostics

/// Key with the function that reads its value into a target.
struct Key<Target>: Sendable {
  let entry: KeyEntry
  let read: @Sendable (Node, inout Target, inout NodeDecoder) -> Void

  init(
    _ name: String, _ value: String, standard: String = "", _ summary: String,
    besideSteps: KeyEntry.BesideSteps = .content,
    isRequired: Bool = false, mayChange: Bool = false,
    read: @escaping @Sendable (Node, inout Target, inout NodeDecoder) -> Void
  ) {
    entry = KeyEntry(
      name: name, value: value, standard: standard, summary: summary, besideSteps: besideSteps, isRequired: isRequired,
      mayChange: mayChange)
    self.read = read
  }
}

internal import Diagnostics

/// Description of a key for people.
package struct KeyEntry: Hashable, Sendable {
  package let name: String
  /// Accepted values, in words that also end the sentence "expected …".
  package let value: String
  /// Value that applies if the key is not given; empty for none.
  package let standard: String
  /// One line of help.
  package let summary: String
  let besideSteps: BesideSteps
  package let isRequired: Bool
  /// True if no record depends on the value, so that a resumed run may have another value.
  package let mayChange: Bool

  /// Effect of a job's key that is written beside `steps`.
  package enum BesideSteps: Sendable, Hashable {
    /// The key can't stand there.
    case nothing
    /// Every step begins with its value.
    case setting
    /// Each step that the key fits has it, as if written there.
    case content
  }

  /// True if the key may also be beside `steps`, as a default for every step.
  package var isDefault: Bool { besideSteps != .nothing }
}

// Names of the spec's keys in other tools.

package enum BorrowedName {
  /// Returns the key that another tool's name stands for, if that key is among `names`.
  static func key(for name: String, among names: [String]) -> String? {
    let plain = name.lowercased().filter { $0.isLetter || $0.isNumber }
    return table[plain]?.split(separator: " ").map(String.init).first { names.contains($0) }
  }

  /// Keys by other tools' names, in lower case with only letters.
  ///
  /// Of several keys, the first that may stand at the place counts.
  package static let table: [String: String] = [
    "url": "endpoint tokenUrl", "uri": "endpoint tokenUrl", "href": "endpoint", "path": "endpoint", "baseurl": "base",
    "urlbase": "base", "host": "base", "verb": "method", "httpmethod": "method", "header": "headers",
    "querystring": "query", "args": "query", "queryparams": "query", "data": "body form", "json": "body",
    "payload": "body", "requestbody": "body", "formdata": "form", "bearer": "auth", "token": "auth cursor",
    "user": "auth",
    "username": "user auth", "password": "auth", "authentication": "auth", "authorization": "auth",
    "authenticator": "auth",
    "credentials": "auth", "clientid": "clientId", "clientsecret": "clientSecret", "tokenendpoint": "tokenUrl",
    "refreshtoken": "refreshToken", "tokenurl": "tokenUrl", "oauth": "oauth2 auth", "pagination": "pages",
    "paging": "pages", "paginator": "pages",
    "paginate": "pages", "select": "contentIdentifier", "jsonpath": "contentIdentifier", "jq": "contentIdentifier",
    "root": "contentIdentifier", "records": "contentIdentifier", "items": "contentIdentifier",
    "recordselector": "contentIdentifier", "dataselector": "contentIdentifier", "recordpath": "contentIdentifier",
    "content": "contentIdentifier", "filter": "where", "filters": "where", "retries": "retry",
    "maxretries": "attempts retry", "maxtime": "within", "timeoutafter": "within",
    "retrystrategy": "retry", "jobs": "steps", "stages": "steps", "tasks": "steps", "requests": "steps",
    "pipeline": "steps",
    "ratelimit": "rate", "throttle": "rate", "fields": "model", "schema": "model", "output": "model",
    "parameters": "params",
    "variables": "params", "vars": "params", "inputs": "params", "primarykey": "unique", "cursorfield": "mark",
    // In 'pages'.
    "page": "number", "pagenumber": "number", "pageparam": "number", "skip": "offset", "total": "totalRecords",
    "totalcount": "totalRecords", "pages": "totalPages", "pagecount": "totalPages", "max": "maxPages",
    "hasmore": "more", "hasnext": "more", "nexturl": "next", "nextlink": "next", "nextpage": "next",
    "nextcursor": "from",
    "cursorpath": "from", "stop": "until",
    "stopwhen": "until",
  ]
}
