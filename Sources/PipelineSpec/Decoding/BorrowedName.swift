// Names of the spec's keys and words in other tools.

package enum BorrowedName {
  /// Returns the key that another tool's name stands for, if that key is among `names`.
  static func key(for name: String, among names: [String]) -> String? {
    table[plain(name)]?.split(separator: " ").map(String.init).first { names.contains($0) }
  }

  /// Returns the word that another tool's word stands for, if it is among `words`.
  static func word(for name: String, among words: [String]) -> String? {
    otherWords[plain(name)].flatMap { words.contains($0) ? $0 : nil }
  }

  /// Returns a name in lower case, with only letters and digits.
  static func plain(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }

  /// Keys by other tools' names, in lower case with only letters.
  ///
  /// Of several keys, the first that may stand at the place counts.
  package static let table: [String: String] = [
    "url": "endpoint tokenUrl", "uri": "endpoint tokenUrl", "href": "endpoint", "path": "endpoint", "baseurl": "base",
    "urlbase": "base", "host": "base", "verb": "method", "httpmethod": "method", "header": "headers",
    "querystring": "query", "args": "query", "queryparams": "query", "data": "body form", "json": "body",
    "payload": "body", "requestbody": "body", "formdata": "form", "token": "auth bearer cursor", "user": "auth",
    "username": "user auth", "password": "auth", "authentication": "auth", "authorization": "auth",
    "authenticator": "auth", "credentials": "auth", "clientid": "clientId", "clientsecret": "clientSecret",
    "tokenendpoint": "tokenUrl", "refreshtoken": "refreshToken", "tokenurl": "tokenUrl", "oauth": "oauth2 auth",
    "pagination": "pages", "paging": "pages", "paginator": "pages", "paginate": "pages", "select": "contentIdentifier",
    "jsonpath": "contentIdentifier", "jq": "contentIdentifier", "root": "contentIdentifier",
    "records": "contentIdentifier", "items": "contentIdentifier", "recordselector": "contentIdentifier",
    "dataselector": "contentIdentifier", "recordpath": "contentIdentifier", "content": "contentIdentifier",
    "format": "read", "filter": "where", "filters": "where", "retries": "retry", "maxretries": "attempts retry",
    "maxtime": "within", "timeoutafter": "within", "backoff": "wait retry", "retrystrategy": "retry", "jobs": "steps",
    "stages": "steps", "tasks": "steps", "requests": "steps", "pipeline": "steps", "ratelimit": "rate",
    "throttle": "rate", "fields": "model", "schema": "model",
    "parameters": "params", "variables": "params", "vars": "params", "inputs": "params", "workers": "concurrency",
    "parallel": "concurrency", "threads": "concurrency", "primarykey": "unique", "dedupe": "unique", "dedup": "unique",
    "deduplicate": "unique", "distinct": "unique", "cursorfield": "mark",
    // In 'pages'.
    "page": "number", "pagenumber": "number", "pageparam": "number", "skip": "offset", "total": "totalRecords",
    "totalcount": "totalRecords", "pages": "totalPages", "pagecount": "totalPages", "max": "maxPages attempts",
    "hasmore": "more", "hasnext": "more", "nexturl": "next", "nextlink": "next", "nextpage": "next",
    "nextcursor": "from", "nexttoken": "from", "nextpagetoken": "from", "pagetoken": "cursor", "cursorpath": "from",
    "stop": "until to", "stopwhen": "until",
    // In spans.
    "start": "from", "begin": "from", "startdate": "from", "end": "to", "enddate": "to", "until": "to",
    "interval": "step every",
    // In conditions.
    "gt": "above", "gte": "above", "greaterthan": "above", "min": "above", "after": "above", "lt": "below",
    "lte": "below", "lessthan": "below", "before": "below", "contains": "has", "includes": "has", "like": "has",
    "ne": "not", "neq": "not",
  ]

  /// Words by other tools' words.
  private static let otherWords = [
    "continue": "skip", "ignore": "skip", "pass": "skip", "fail": "stop", "raise": "stop", "abort": "stop",
    "camel": "camelCase", "snake": "snake_case", "gz": "gzip",
  ]
}
