// URLs in the form that a replay compares: all spellings of a request have one key.

/// A URL that is split and normalised for comparing (RFC 3986 §6.2.2), never for sending.
///
/// Percent-encoding is undone where that can't change the URL's meaning. Browsers leave `/` in a query unencoded and
/// write `+` for a blank, where others write `%2F` and `%20`. The fragment is not part of a request.
struct ReplayURL: Hashable, Sendable {
  /// Scheme and authority, then each path segment, then each query item, with the delimiter before it.
  let parts: [String]

  init(_ url: String) {
    let url = url.prefix { $0 != "#" }
    let (location, query) = Self.split(url, at: "?")
    let authorityStart = location.firstRange(of: "://")?.upperBound ?? location.startIndex
    let pathStart = location[authorityStart...].firstIndex(of: "/") ?? location.endIndex
    var parts = [Self.origin(location[..<pathStart])]
    let path = pathStart == location.endIndex ? "/" : location[pathStart...]
    parts += path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      "/" + Self.normalised($0, keeping: Self.pathDelimiters)
    }
    if let query, !query.isEmpty {
      parts += query.split(separator: "&").map {
        "&" + Self.normalised($0, keeping: Self.queryDelimiters, blank: UInt8(ascii: "+"))
      }
    }
    self.parts = parts
  }

  /// The URL in its normalised spelling, for keys and for sorting.
  var key: String { parts.joined() }

  /// Indices of the parts in which `***` stands for an unknown value.
  var maskedParts: [Int] { parts.indices.filter { parts[$0].contains("***") } }

  /// Returns the key without the values of some parts, equal for URLs that differ only there.
  func key(without masked: [Int]) -> String? {
    guard let last = masked.last, last < parts.count else { return nil }
    var parts = parts
    for index in masked {
      let name = parts[index].first == "&" ? parts[index].prefix { $0 != "=" } : "/"
      parts[index] = name + "***"
    }
    return parts.joined()
  }

  /// Reports that this URL has one item more than the other one, which is the number of a first page.
  func isFirstPage(of other: ReplayURL) -> Bool {
    guard parts.count == other.parts.count + 1 else { return false }
    let index = zip(parts, other.parts).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? other.parts.count
    let item = parts[index].split(separator: "=", maxSplits: 1)
    guard parts[index].first == "&", item.count == 2, ["0", "1"].contains(item[1]),
      parts[(index + 1)...].elementsEqual(other.parts[index...])
    else { return false }
    let name = item[0].lowercased().filter(\.isLetter)
    return ["page", "offset", "start", "skip", "from"].contains { name.hasPrefix($0) || name.hasSuffix($0) }
  }

  /// Reports that this URL matches the other one if `***` stands for anything.
  func covers(_ other: ReplayURL) -> Bool {
    parts.count == other.parts.count && zip(parts, other.parts).allSatisfy { $1.matches(masked: $0) }
  }
}

extension String {
  /// Reports that this text is the pattern with something in place of each `***`.
  func matches(masked pattern: String) -> Bool {
    let pieces = pattern.split(separator: "***", omittingEmptySubsequences: false)
    guard pieces.count > 1, let first = pieces.first, let last = pieces.last else { return self == pattern }
    guard hasPrefix(first), hasSuffix(last), utf8.count >= first.utf8.count + last.utf8.count else { return false }
    var rest = dropFirst(first.count).dropLast(last.count)
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let found = rest.firstRange(of: piece) else { return false }
      rest = rest[found.upperBound...]
    }
    return true
  }
}

extension ReplayURL {
  /// Returns the text with percent-encoding undone and `+` as a blank; unchanged if the result is not UTF-8.
  static func decoded(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte == UInt8(ascii: "%") ? triplet(&rest) : byte)
    }
    return String(validating: bytes, as: UTF8.self) ?? String(text)
  }

  private static func origin(_ text: Substring) -> String {
    let text = text.lowercased()
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")] where text.hasPrefix(scheme) {
      return text.hasSuffix(port) ? String(text.dropLast(port.count)) : text
    }
    return text
  }

  private static func split(_ text: Substring, at delimiter: Character) -> (Substring, Substring?) {
    guard let index = text.firstIndex(of: delimiter) else { return (text, nil) }
    return (text[..<index], text[text.index(after: index)...])
  }

  /// Decodes printable ASCII except `keeping`, and encodes the rest with upper-case digits.
  private static func normalised(_ text: Substring, keeping kept: [UInt8], blank: UInt8 = 32) -> String {
    var result: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let isEncoded = byte == UInt8(ascii: "%") && hasTriplet(rest)
      let value = isEncoded ? triplet(&rest) : byte
      if value == 32 {
        result.append(blank)
      } else if !(32...126).contains(value) || isEncoded && kept.contains(value) {
        result += [UInt8(ascii: "%"), hexDigits[Int(value >> 4)], hexDigits[Int(value & 15)]]
      } else {
        result.append(value)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// Characters that have another meaning when they are encoded.
  private static let pathDelimiters = Array("/?#[]%&=+;".utf8)
  private static let queryDelimiters = Array("#%&=+;".utf8)
  private static let hexDigits = Array("0123456789ABCDEF".utf8)

  private static func hasTriplet(_ rest: Substring.UTF8View) -> Bool {
    rest.prefix(2).compactMap(digit).count == 2
  }

  /// Returns the byte that the digits after a `%` encode; `%` itself if there are no two digits.
  private static func triplet(_ rest: inout Substring.UTF8View) -> UInt8 {
    let digits = rest.prefix(2).compactMap(digit)
    guard digits.count == 2 else { return UInt8(ascii: "%") }
    rest = rest.dropFirst(2)
    return digits[0] << 4 | digits[1]
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 48...57: byte - 48
    case 65...70: byte - 55
    case 97...102: byte - 87
    default: nil
    }
  }
}
