// A decoded text that knows the original range of each of its bytes.

/// The bytes of a text, perhaps decoded from another text, and their origin in that text.
struct DecodedText {
  private(set) var bytes: [UInt8]
  /// One spelling for each encoding that was undone, from the original text to this one.
  private var spellings: [Spelling] = []

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  private init(roomFor count: Int) {
    bytes = []
    bytes.reserveCapacity(count)
  }

  /// Returns the range of the original text that encodes these bytes.
  func original(_ range: Range<Int>) -> Range<Int> {
    spellings.reversed().reduce(range) { $1.spelled($0) }
  }
}

/// The way in which a text is encoded in the text that it was decoded from.
private enum Spelling {
  /// Escaped units at some indices, in order; the bytes between them stand for themselves.
  case units([Unit])
  /// Base64: `count` decoded bytes from the digit at `start`, up to the `end` of the padding.
  case base64(start: Int, count: Int, end: Int)

  /// `count` decoded bytes at `index` that `length` bytes at `place` encode.
  struct Unit {
    let index: Int
    let count: Int
    let place: Int
    let length: Int
  }

  func spelled(_ range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return range }
    return spelled(range.lowerBound).lowerBound..<spelled(range.upperBound - 1).upperBound
  }

  private func spelled(_ index: Int) -> Range<Int> {
    switch self {
    case .base64(let start, let count, let end):
      // Two digits encode the byte; its neighbours may share bits of them.
      let digit = start + index / 3 * 4 + index % 3
      return digit..<(index == count - 1 ? end : digit + 2)
    case .units(let units):
      guard let unit = Self.last(of: units, upTo: index) else { return index..<(index + 1) }
      let behind = index - unit.index - unit.count
      let place = unit.place + unit.length + behind
      return behind < 0 ? unit.place..<(unit.place + unit.length) : place..<(place + 1)
    }
  }

  private static func last(of units: [Unit], upTo index: Int) -> Unit? {
    var (low, high) = (0, units.count)
    while low < high {
      let middle = (low + high) / 2
      if units[middle].index <= index { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? units[low - 1] : nil
  }
}

extension DecodedText {
  /// The text with percent-encoding undone; nil if it has no `%XX`.
  var percentDecoded: DecodedText? {
    decoded(at: UInt8(ascii: "%")) { bytes, index in
      URLByte.escaped(bytes, at: index).map { (UInt32($0), 3) }
    } as: { byte, result in
      result.append(UInt8(truncatingIfNeeded: byte))
    }
  }

  /// The text with JSON escapes undone; nil if it has none.
  var unescaped: DecodedText? { decoded(at: UInt8(ascii: "\\"), JSONEscape.meant, as: Self.append) }

  /// The text with HTML's character references undone; nil if it has none.
  var htmlUnescaped: DecodedText? { decoded(at: UInt8(ascii: "&"), HTMLEscape.meant, as: Self.append) }

  private static func append(_ code: UInt32, to result: inout [UInt8]) {
    if code < 0x80 {
      result.append(UInt8(truncatingIfNeeded: code))
    } else if let scalar = Unicode.Scalar(code) {
      result += String(scalar).utf8
    }
  }

  /// Decodes each escape that begins with a mark; nil if there is none.
  ///
  /// - Parameters:
  ///   - meant: returns the code of the escape at an index, and its length; nil if there is no escape.
  ///   - spell: appends the bytes of a code.
  private func decoded(
    at mark: UInt8, _ meant: ([UInt8], Int) -> (code: UInt32, length: Int)?,
    as spell: (UInt32, inout [UInt8]) -> Void
  ) -> DecodedText? {
    var result: DecodedText?
    var units: [Spelling.Unit] = []
    var (copied, index) = (0, 0)
    while let place = bytes[index...].firstIndex(of: mark) {
      guard let (code, length) = meant(bytes, place) else {
        index = place + 1
        continue
      }
      index = place + length
      var text = result.take() ?? DecodedText(roomFor: bytes.count)
      text.bytes += bytes[copied..<place]
      let start = text.bytes.count
      spell(code, &text.bytes)
      units.append(.init(index: start, count: text.bytes.count - start, place: place, length: length))
      result = text
      copied = index
    }
    result?.bytes += bytes[copied...]
    result?.spellings = spellings + [.units(units)]
    return result
  }
}

extension DecodedText {
  /// Pieces that may be base64 (RFC 4648 §4, §5) of a text that is itself encoded.
  ///
  /// Letters may directly precede the encoded text, so that it may begin at any of four offsets.
  ///
  /// Base64 of a plain secret needs no decoding: `SecretMatcher` searches for that form.
  var base64Decoded: [DecodedText] {
    var pieces: [DecodedText] = []
    Base64.eachRun(in: bytes) { run in
      for start in run.lowerBound..<(run.lowerBound + 4) where Base64.mayHoldEncoded(bytes, start..<run.upperBound) {
        pieces.append(base64Decoded(start..<run.upperBound))
      }
    }
    return pieces
  }

  private func base64Decoded(_ digits: Range<Int>) -> DecodedText {
    var piece = DecodedText(roomFor: digits.count)
    Base64.decode(bytes, digits) { byte in
      piece.bytes.append(byte)
      return true
    }
    let padding = bytes[digits.upperBound...].prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
    let end = digits.upperBound + padding
    piece.spellings = spellings + [.base64(start: digits.lowerBound, count: piece.bytes.count, end: end)]
    return piece
  }
}
