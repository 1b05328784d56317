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
    "url": "endpoint token", "uri": "endpoint token", "href": "endpoint", "path": "endpoint", "baseurl": "base",
    "urlbase": "base", "host": "base", "verb": "method", "httpmethod": "method", "header": "headers",
    "querystring": "query", "args": "query", "queryparams": "query", "data": "body form", "json": "body",
    "payload": "body", "requestbody": "body", "formdata": "form", "bearer": "auth", "token": "auth cursor",
    "user": "auth",
    "username": "user auth", "password": "auth", "authentication": "auth", "authorization": "auth",
    "authenticator": "auth",
    "credentials": "auth", "oauth": "oauth2 auth", "pagination": "pages", "paging": "pages", "paginator": "pages",
    "paginate": "pages", "select": "contentIdentifier", "jsonpath": "contentIdentifier", "jq": "contentIdentifier",
    "root": "contentIdentifier", "records": "contentIdentifier", "items": "contentIdentifier",
    "recordselector": "contentIdentifier", "dataselector": "contentIdentifier", "recordpath": "contentIdentifier",
    "content": "contentIdentifier", "filter": "where", "filters": "where", "retries": "retry",
    "maxretries": "attempts retry",
    "retrystrategy": "retry", "jobs": "steps", "stages": "steps", "tasks": "steps", "requests": "steps",
    "pipeline": "steps",
    "ratelimit": "rate", "throttle": "rate", "fields": "model", "schema": "model", "output": "model",
    "parameters": "params",
    "variables": "params", "vars": "params", "inputs": "params", "primarykey": "unique", "cursorfield": "mark",
    // In 'pages'.
    "page": "number", "pagenumber": "number", "pageparam": "number", "skip": "offset", "total": "totalRecords",
    "totalcount": "totalRecords", "pages": "totalPages", "pagecount": "totalPages", "maxpages": "limit", "max": "limit",
    "hasmore": "more", "hasnext": "more", "nexturl": "next", "nextlink": "next", "nextpage": "next",
    "nextcursor": "from",
    "cursorpath": "from", "first": "start", "initial": "start", "startpage": "start", "stop": "until",
    "stopwhen": "until",
  ]
}
