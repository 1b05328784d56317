// A zip archive (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT) is read from its start, as it arrives: the
// header of a file, its data, and the directory at the end, which must name that file alone.

import CCurl

/// Reads the one file of a zip archive, piece by piece.
final class ZipReader: BodyDecoder, @unchecked Sendable {
  // Sendable because a body has one reader.
  private enum State {
    /// At the header of a file, or at the directory.
    case header
    case stored(Int)
    case deflated(Inflater)
    /// Behind data whose length and checksum follow them.
    case descriptor
    case directory
    /// Behind the last record of the directory.
    case end
  }

  private struct Entry {
    let name: String
    let checksum: UInt32
    let hasDescriptor: Bool
    let isFolder: Bool
  }

  /// The bytes that each part of an archive begins with, as a number.
  private enum Signature {
    static let header: UInt64 = 0x0403_4B50
    static let descriptor: UInt64 = 0x0807_4B50
    /// What the directory says of one file or folder.
    static let named: UInt64 = 0x0201_4B50
    static let end: UInt64 = 0x0605_4B50
    /// The end of a large archive's directory, and the place of that end.
    static let largeEnd: UInt64 = 0x0606_4B50
    static let largeEndLocator: UInt64 = 0x0706_4B50
  }

  /// Most bytes of the end of a large archive's directory, which is held.
  private static let mostOfEnd: UInt64 = 1 << 20
  private static let room = 64 << 10
  private static let remedy = "save it by 'download', and unpack it behind the pipe"

  /// Input that was not read yet.
  private var input: ArraySlice<UInt8> = []
  private var state = State.header
  /// The file or folder that is being read.
  private var entry: Entry?
  /// Name of the file; nil before its header.
  private var fileName: String?
  /// Number of the headers that have come, and of those entries that the directory has named.
  private var count = (headers: 0, named: 0)
  private var checksum: UInt32 = 0
  private var isBroken = false
  private(set) var problem: String?

  func give(_ bytes: [UInt8]) {
    if input.isEmpty { input = bytes[...] } else { input += bytes }
  }

  /// Returns the content of an archive's one file, or the reason why it can't be read.
  static func content(of archive: [UInt8], limit: Int) -> (content: [UInt8], problem: String?) {
    let reader = ZipReader()
    reader.give(archive)
    var content: [UInt8] = []
    while case .bytes(let bytes) = reader.next(), content.count <= limit { content += bytes }
    let isRead = reader.isWhole && content.count <= limit
    return (content, isRead ? nil : reader.problem ?? "the zip archive is damaged, cut short or too large")
  }

  func next() -> Inflater.Piece {
    while !isBroken {
      switch state {
      case .header: if !readHeader() { return isBroken ? .broken : .needsInput }
      case .stored(let left):
        if left == 0 {
          endData()
        } else if input.isEmpty {
          return .needsInput
        } else {
          let bytes = Array(input.prefix(min(left, Self.room)))
          input = input.dropFirst(bytes.count)
          state = .stored(left - bytes.count)
          return counted(bytes)
        }
      case .deflated(let inflater):
        if !input.isEmpty {
          inflater.give(input)
          input = []
        }
        switch inflater.next() {
        case .bytes(let bytes): return counted(bytes)
        case .needsInput:
          guard inflater.isWhole, inflater.hasBegun else { return .needsInput }
          input = inflater.input
          endData()
        case .broken: fail(nil)
        case .outOfMemory: return .outOfMemory
        }
      case .descriptor: if !readDescriptor() { return isBroken ? .broken : .needsInput }
      case .directory: if !readRecord() { return isBroken ? .broken : .needsInput }
      case .end:
        // NULs and line ends may follow, as behind a gzip file. A second archive would be lost.
        guard input.allSatisfy({ $0 == 0 || " \t\r\n".utf8.contains($0) }) else {
          fail("something follows the zip archive: \(Self.remedy)")
          continue
        }
        input = []
        return .needsInput
      }
    }
    return .broken
  }

  /// True if the directory is there, to its end.
  var isWhole: Bool {
    if case .end = state { !isBroken } else { false }
  }

  private func counted(_ bytes: [UInt8]) -> Inflater.Piece {
    guard entry?.isFolder == false else {
      fail(nil)
      return .broken
    }
    checksum = bytes.withUnsafeBufferPointer { ccurl_crc32(checksum, $0.baseAddress, $0.count) }
    return .bytes(bytes)
  }

  // MARK: Parts

  /// Returns false if the header is not there yet, or is wrong.
  private func readHeader() -> Bool {
    guard let signature = input.number(4, at: 0) else { return false }
    if fileName != nil, signature == Signature.named {
      state = .directory
      return true
    }
    if [Signature.end, Signature.named].contains(signature) { return fail("the zip archive has no file in it") }
    guard signature == Signature.header else { return fail(nil) }
    guard let length = input.lengths(30, [26, 28]), input.count >= length,
      let flags = input.number(2, at: 6), let method = input.number(2, at: 8),
      let checksum = input.number(4, at: 14), let size = input.number(4, at: 18),
      let nameLength = input.number(2, at: 26)
    else { return false }
    let name = String(decoding: input.dropFirst(30).prefix(Int(nameLength)), as: UTF8.self)
    let plain = String(name.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
    let shown = plain.count > 80 ? plain.prefix(80) + "…" : plain
    let extra = input.prefix(length).dropFirst(30 + Int(nameLength))
    input = input.dropFirst(length)
    count.headers += 1
    let isFolder = name.hasSuffix("/")
    if !isFolder, let fileName {
      return fail(
        "the zip archive has more files than one, such as '\(fileName)' and '\(shown)': \(Self.remedy)")
    }
    if flags & 0x2041 != 0 { return fail("the file '\(shown)' of the zip archive is encrypted") }
    entry = Entry(
      name: String(shown), checksum: UInt32(checksum), hasDescriptor: flags & 8 != 0, isFolder: isFolder)
    if !isFolder { fileName = String(shown) }
    self.checksum = 0
    switch method {
    case 8:
      guard let inflater = Inflater(ccurl_raw_deflate) else {
        return fail("zlib, which 'unpack' needs, can't be loaded on this machine")
      }
      state = .deflated(inflater)
    case 0 where flags & 8 != 0 && !isFolder:
      return fail("the file '\(shown)' of the zip archive is stored without its length, so that its end can't be found")
    case 0:
      guard let size = Int(exactly: size == 0xFFFF_FFFF ? extra.zip64Size ?? size : size) else { return fail(nil) }
      state = .stored(size)
    default:
      return fail(
        "the file '\(shown)' of the zip archive is compressed by method \(method), and only deflate (8) can be read")
    }
    return true
  }

  private func endData() {
    guard let entry else { return }
    if entry.hasDescriptor {
      state = .descriptor
    } else {
      check(entry.checksum)
    }
  }

  /// Reads the checksum and the lengths behind the data, with a signature or without, of 4 or 8 bytes each.
  private func readDescriptor() -> Bool {
    guard input.count >= 28 else { return false }
    for (start, length) in [(4, 16), (4, 24), (0, 12), (0, 20)] {
      guard start == 0 || input.number(4, at: 0) == Signature.descriptor,
        [Signature.named, Signature.header].contains(input.number(4, at: length)),
        let checksum = input.number(4, at: start)
      else { continue }
      input = input.dropFirst(length)
      check(UInt32(checksum))
      return !isBroken
    }
    return fail(nil)
  }

  private func check(_ wanted: UInt32) {
    if checksum == wanted {
      state = .header
    } else {
      fail("the file '\(entry?.name ?? "")' of the zip archive is damaged: its checksum is another one")
    }
  }

  /// Reads a record of the directory; returns false if it is not there yet, or is wrong.
  private func readRecord() -> Bool {
    guard let signature = input.number(4, at: 0) else { return false }
    let length: Int?
    switch signature {
    case Signature.named: length = input.lengths(46, [28, 30, 32])
    case Signature.end: length = input.lengths(22, [20])
    case Signature.largeEndLocator: length = 20
    case Signature.largeEnd:
      guard let size = input.number(8, at: 4) else { return false }
      guard size <= Self.mostOfEnd else { return fail(nil) }
      length = Int(size) + 12
    default: return fail(nil)
    }
    guard let length, length <= input.count else { return false }
    if signature == Signature.named { count.named += 1 }
    guard count.named <= count.headers else { return failCount() }
    if signature == Signature.end {
      // A larger number has its place in the end of a large archive's directory.
      let total = input.number(2, at: 10)
      guard count.named == count.headers, total == 0xFFFF || total == UInt64(count.named & 0xFFFF) else {
        return failCount()
      }
      state = .end
    }
    input = input.dropFirst(length)
    return true
  }

  /// Fails since an archive was changed or put together: other programs would read other files in it.
  private func failCount() -> Bool {
    fail("the directory of the zip archive does not name the files and folders that come before it: \(Self.remedy)")
  }

  @discardableResult
  private func fail(_ problem: String?) -> Bool {
    (isBroken, self.problem) = (true, problem)
    return false
  }
}

extension ArraySlice<UInt8> {
  /// Returns the number of some bytes, the lowest first; nil if they are not there.
  fileprivate func number(_ count: Int, at offset: Int) -> UInt64? {
    guard self.count >= offset + count else { return nil }
    return self[(startIndex + offset)..<(startIndex + offset + count)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Returns the length of a record whose parts have their lengths at these offsets; nil if these are not there.
  fileprivate func lengths(_ fixed: Int, _ offsets: [Int]) -> Int? {
    var length = fixed
    for offset in offsets {
      guard let part = number(2, at: offset) else { return nil }
      length += Int(part)
    }
    return count >= fixed ? length : nil
  }

  /// The length of the data, in the part of a header's extra bytes for long files.
  fileprivate var zip64Size: UInt64? {
    var rest = self
    while let id = rest.number(2, at: 0), let length = rest.number(2, at: 2) {
      if id == 1 { return length < 16 ? nil : rest.number(8, at: 12) }
      rest = rest.dropFirst(4 + Int(length))
    }
    return nil
  }
}
