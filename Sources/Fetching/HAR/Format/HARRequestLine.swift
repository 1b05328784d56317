import JSONText

/// Method and URL of a recorded request, which every entry must have.
struct HARRequestLine {
  let method: String
  let url: String

  /// - Parameters:
  ///   - place: JSON path of the request, for messages.
  ///   - name: name of the file, for messages.
  init(_ request: JSONValue, at place: String, in name: String) throws(ReplayError) {
    guard let url = request["url"]?.string else { throw ReplayError(name, place, "a request without a URL") }
    guard let method = request["method"]?.string else {
      throw ReplayError(name, place, "a request without a method")
    }
    (self.url, self.method) = (url, method.uppercased())
  }
}
