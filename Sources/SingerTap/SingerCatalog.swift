package import Engine
import Diagnostics
import JSONText

/// A Singer catalog: the selected streams of a tap, and their selected members.
package struct SingerCatalog: Sendable {
  private let streams: [JSONValue]

  /// Reads a catalog.
  ///
  /// - Throws: `SpecError` if the text is no catalog.
  package init(_ bytes: [UInt8], name: String) throws(SpecError) {
    guard let json = try? JSONValue(parsing: bytes), let streams = json["streams"], streams.kind == .array else {
      throw SpecError(messages: ["'\(name.printable)' is no catalog: it has no list 'streams'; '--discover' writes one"]
      )
    }
    self.streams = Array(streams.elements)
  }

  private func entry(_ stream: String) -> JSONValue? {
    streams.first { ($0["tap_stream_id"] ?? $0["stream"])?.string == stream }
  }

  /// Names of the streams that are selected.
  var selected: [String] { streams.compactMap { ($0["tap_stream_id"] ?? $0["stream"])?.string }.filter(selects) }

  /// Reports that the stream is in the catalog, and not deselected by `selected: false`.
  func selects(_ stream: String) -> Bool {
    guard let entry = entry(stream) else { return false }
    let root = metadata(of: entry).first { $0["breadcrumb"]?.elements.first { _ in true } == nil }?["metadata"]
    return (root?["selected"] ?? entry["schema"]?["selected"])?.boolean ?? true
  }

  /// Returns the members that are not selected, except for `automatic` members.
  func leftOut(of stream: String) -> Set<String> {
    guard let entry = entry(stream) else { return [] }
    var names: Set<String> = []
    for item in metadata(of: entry) {
      let path = (item["breadcrumb"] ?? .null).elements.compactMap(\.string)
      guard path.count == 2, path[0] == "properties", let facts = item["metadata"] else { continue }
      if facts["selected"]?.boolean == false, facts["inclusion"]?.string != "automatic" { names.insert(path[1]) }
    }
    return names
  }

  private func metadata(of entry: JSONValue) -> [JSONValue] { Array((entry["metadata"] ?? .null).elements) }
}
