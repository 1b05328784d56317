import CCurl
import TestSupport
import Testing

@testable import Fetching

@Suite("A zip archive of one file", .limitedConcurrency) struct ZipReaderTests {
  private static let content = Array("id,name\n1,a\n".utf8)

  /// The ways to write an archive.
  private struct Form {
    var method = 8
    var flags = 0
    /// A wrong checksum; nil for the right one.
    var checksum: UInt32?
    var hasSignature = true
    /// True if lengths and numbers have 8 bytes.
    var isLarge = false
  }

  private func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// An archive of these files, each stored or deflated.
  private func archive(_ files: [(name: String, content: [UInt8])], _ form: Form = Form()) -> [UInt8] {
    let (bytes, directory) = parts(files, form)
    return bytes + end(of: bytes, directory, count: files.count, form)
  }

  /// The files with their headers, and what the directory says of each.
  private func parts(
    _ files: [(name: String, content: [UInt8])], _ form: Form = Form()
  ) -> (bytes: [UInt8], directory: [UInt8]) {
    var bytes: [UInt8] = []
    var directory: [UInt8] = []
    for (name, content) in files {
      // A long content is one byte many times.
      let file = content.count > 1_000 ? gzip(repeating: content[0], count: content.count) : gzip(content)
      let packed = Array(file.dropFirst(10).dropLast(8))
      let data = name.hasSuffix("/") && form.method == 0 ? [] : form.method == 8 ? packed : content
      let own = Int(form.checksum ?? content.withUnsafeBufferPointer { ccurl_crc32(0, $0.baseAddress, $0.count) })
      let known = form.flags & 8 == 0
      let width = form.isLarge ? 8 : 4
      let lengths = little(data.count, width) + little(content.count, width)
      let large = little(1, 2) + little(16, 2) + little(content.count, 8) + little(data.count, 8)
      let extra = (form.isLarge ? large : []) + [9, 9, 9]
      let inHeader = form.isLarge ? little(-1, 8) : known ? lengths : little(0, 8)
      let fields =
        little(form.flags, 2) + little(form.method, 2) + little(0, 4) + little(known ? own : 0, 4) + inHeader
        + little(name.utf8.count, 2) + little(extra.count, 2)
      let offset = bytes.count
      bytes += little(0x0403_4B50, 4) + little(20, 2) + fields + Array(name.utf8) + extra + data
      if !known { bytes += (form.hasSignature ? little(0x0807_4B50, 4) : []) + little(own, 4) + lengths }
      directory +=
        little(0x0201_4B50, 4) + little(20, 2) + little(20, 2) + fields + little(0, 10) + little(offset, 4)
        + Array(name.utf8) + extra
    }
    return (bytes, directory)
  }

  /// The directory and its end.
  private func end(of bytes: [UInt8], _ directory: [UInt8], count: Int, _ form: Form = Form()) -> [UInt8] {
    let large =
      little(0x0606_4B50, 4) + little(44, 8) + little(45, 2) + little(45, 2) + little(0, 8) + little(count, 8)
      + little(count, 8) + little(directory.count, 8) + little(bytes.count, 8)
      + little(0x0706_4B50, 4) + little(0, 4) + little(bytes.count + directory.count, 8) + little(1, 4)
    let counts = form.isLarge ? little(-1, 4) : little(count, 2) + little(count, 2)
    return directory + (form.isLarge ? large : []) + little(0x0605_4B50, 4) + little(0, 4) + counts
      + little(directory.count, 4) + little(bytes.count, 4) + little(2, 2) + Array("hi".utf8)
  }

  private struct Outcome {
    var content: [UInt8] = []
    var isWhole = false
    var problem: String?
    /// Number of the pieces that came out.
    var steps = 0
  }

  private func unpacked(_ archive: [UInt8], inPiecesOf size: Int) -> Outcome { unpacked(archive) { size } }

  private func unpacked(_ archive: [UInt8], inPiecesOf size: () -> Int) -> Outcome {
    let reader = ZipReader()
    var outcome = Outcome()
    var rest = archive[...]
    while !rest.isEmpty {
      let piece = rest.prefix(size())
      rest = rest.dropFirst(piece.count)
      reader.give(Array(piece))
      reading: while true {
        outcome.steps += 1
        switch reader.next() {
        case .bytes(let bytes): outcome.content += bytes
        case .needsInput: break reading
        case .broken, .outOfMemory:
          outcome.problem = reader.problem
          return outcome
        }
        // Each piece that comes out has a byte at least.
        if outcome.steps > 2 * archive.count + 100_000 { return outcome }
      }
    }
    (outcome.isWhole, outcome.problem) = (reader.isWhole, reader.problem)
    return outcome
  }

  @Test("the file comes out, stored or deflated, with its length before or behind it, in pieces of any size")
  func whole() {
    let file = [("a.csv", Self.content)]
    let archives = [
      archive(file), archive(file, Form(method: 0)), archive(file, Form(flags: 8)),
      archive(file, Form(flags: 8, hasSignature: false)), archive([("dir/", []), ("dir/a.csv", Self.content)]),
      archive(file, Form(isLarge: true)), archive(file, Form(method: 0, isLarge: true)),
      archive(file, Form(flags: 8, isLarge: true)), archive(file, Form(flags: 8, hasSignature: false, isLarge: true)),
      archive(file) + [0, 0, 13, 10],
      archive([("dir/", []), ("dir/empty", [])], Form(flags: 8)), archive([("empty", [])], Form(method: 0)),
      archive([("empty", [])]),
    ]
    for (index, archive) in archives.enumerated() {
      for size in [1, 3, 31, archive.count] {
        let outcome = unpacked(archive, inPiecesOf: size)
        #expect(outcome.content == (index < 10 ? Self.content : []), "archive \(index), pieces of \(size)")
        #expect(outcome.isWhole && outcome.problem == nil, "archive \(index), pieces of \(size)")
      }
    }
  }

  @Test("an archive that is cut anywhere is not whole")
  func cuts() {
    for form in [Form(), Form(flags: 8), Form(isLarge: true)] {
      let archive = archive([("a.csv", Self.content)], form)
      for count in 0..<archive.count {
        let outcome = unpacked(Array(archive.prefix(count)), inPiecesOf: 1_000)
        #expect(!outcome.isWhole && outcome.problem == nil, "\(count) of \(archive.count)")
      }
    }
  }

  @Test(
    "what can't be read is named",
    arguments: [
      (8, 1, nil, "encrypted"), (0, 8, nil, "stored without its length"), (9, 0, nil, "method 9"),
      (8, 0, 1, "checksum"), (8, 8, 1, "checksum"),
    ] as [(Int, Int, UInt32?, String)])
  func refused(method: Int, flags: Int, checksum: UInt32?, words: String) {
    let archive = archive([("a.csv", Self.content)], Form(method: method, flags: flags, checksum: checksum))
    let outcome = unpacked(archive, inPiecesOf: 7)
    #expect(!outcome.isWhole && outcome.problem?.contains(words) == true, "\(outcome.problem ?? "none")")
  }

  @Test("more files than one, and none, are errors that say so")
  func others() {
    let two = unpacked(archive([("a.csv", Self.content), ("b.csv", Self.content)]), inPiecesOf: 50)
    #expect(two.problem?.contains("more files than one, such as 'a.csv' and 'b.csv'") == true)
    #expect(unpacked(archive([]), inPiecesOf: 50).problem?.contains("no file in it") == true)
    #expect(!unpacked(Array("PK no archive at all, but text".utf8), inPiecesOf: 50).isWhole)
  }

  @Test("the directory names what came before it, no more and no less, and nothing follows it")
  func directory() {
    let file = [("a.csv", Self.content)]
    let (one, oneNamed) = parts(file)
    let (two, twoNamed) = parts([("dir/", []), ("a.csv", Self.content)])
    let archives = [
      one + end(of: one, oneNamed + oneNamed, count: 2), two + end(of: two, oneNamed, count: 1),
      one + end(of: one, oneNamed, count: 2), one + end(of: one, oneNamed, count: 0),
      two + end(of: two, twoNamed + oneNamed, count: 2),
    ]
    for (index, archive) in archives.enumerated() {
      for size in [1, 40, archive.count] {
        let outcome = unpacked(archive, inPiecesOf: size)
        #expect(!outcome.isWhole && outcome.problem?.contains("does not name") == true, "archive \(index)")
      }
    }
    let twice = unpacked(archive(file) + archive(file), inPiecesOf: 1_000)
    #expect(!twice.isWhole && twice.problem?.contains("something follows") == true)
    #expect(!unpacked(one + oneNamed + Array("what is this?".utf8), inPiecesOf: 9).isWhole)
  }

  @Test(
    "the end of a large directory has a bounded length, whatever it says", arguments: [-1, .max, 1 << 20 + 1, 1 << 32])
  func largeEnd(length: Int) {
    let (bytes, directory) = parts([("a.csv", Self.content)], Form(isLarge: true))
    let archive = bytes + directory + little(0x0606_4B50, 4) + little(length, 8) + [UInt8](repeating: 0, count: 60)
    for size in [1, archive.count] { #expect(!unpacked(archive, inPiecesOf: size).isWhole) }
  }

  @Test("2,000 archives that were changed at random give the content, or are not whole, in pieces of any size")
  func changed() {
    var dice = Dice(state: 7_464)
    let long = [UInt8](repeating: 97, count: 3_000)
    let one = [("a.csv", Self.content)]
    let forms = [
      Form(), Form(method: 0), Form(flags: 8), Form(flags: 8, hasSignature: false), Form(isLarge: true),
      Form(method: 0, isLarge: true), Form(flags: 8, isLarge: true),
    ]
    var samples: [(bytes: [UInt8], content: [UInt8]?)] = forms.map { (archive(one, $0), Self.content) }
    samples += forms.map { (archive([("d/", []), ("d/e/", []), ("d/a.csv", long)], $0), long) }
    samples += forms.map { (archive([("a.csv", Self.content), ("b.csv", long)], $0), nil) }
    var wholes = 0
    for round in 0..<2_000 {
      let (original, content) = dice.one(samples)
      let changed = changed(original, &dice)
      let most = dice.one([1, 7, 64, 5_000])
      var sizes = dice
      let outcome = unpacked(changed) { Int.random(in: 1...most, using: &sizes) }
      #expect(!outcome.isWhole || outcome.content == content, "round \(round)")
      if outcome.isWhole { wholes += 1 }
      #expect(outcome.steps <= 2 * changed.count + 100_000, "round \(round)")
    }
    #expect((100...1_000).contains(wholes), "\(wholes)")
  }

  private func changed(_ archive: [UInt8], _ dice: inout Dice) -> [UInt8] {
    var bytes = archive
    let (one, other) = (bytes.indices.randomElement(using: &dice) ?? 0, bytes.indices.randomElement(using: &dice) ?? 0)
    let range = min(one, other)..<min(max(one, other), min(one, other) + 60)
    switch dice.next() % 5 {
    case 0: bytes.removeLast(bytes.count - one)
    case 1: bytes.removeSubrange(range)
    case 2: bytes.insert(contentsOf: bytes[range], at: one)
    case 3: for index in one..<min(one + 8, bytes.count) { bytes[index] = dice.one([0, 0x7F, 0xFF]) }
    default:
      for _ in 0..<Int.random(in: 1...3, using: &dice) {
        let index = bytes.indices.randomElement(using: &dice) ?? 0
        bytes[index] = dice.one([
          0, 1, 8, 0x2F, 0x7F, 0x80, 0xFF, bytes[index] ^ 1, UInt8.random(in: 0...255, using: &dice),
        ])
      }
    }
    return bytes
  }
}
