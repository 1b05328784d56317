// `~/.netrc`, as curl reads it (https://curl.se/docs/manpage.html#--netrc; ftp(1) for the form).

/// The logins of a netrc file, by machine.
package struct Netrc: Sendable, Hashable {
  package struct Login: Sendable, Hashable {
    package var user: String?
    package var password: String?
    /// True for `default`, which matches every host.
    package var isDefault = false

    var isWhole: Bool { user != nil && password != nil }
  }

  private var entries: [Entry] = []
  /// The syntax error at which parsing stopped; the entries before it are valid.
  private(set) var mistake: String?

  private struct Entry: Sendable, Hashable {
    /// Name of the machine; nil for `default`.
    let name: String?
    var login = Login()
  }

  /// Parses a file.
  ///
  /// White space separates words. A word in quotes ends on its line and may hold blanks, and `\"`, `\\`, `\n`, `\r` and
  /// `\t`. The case of keywords does not matter. A line that begins with `#` is a comment. A macro (`macdef`) ends at
  /// the next empty line.
  package init(_ bytes: [UInt8]) {
    var reader = NetrcReader(bytes)
    while let word = reader.next() {
      switch word.lowercased() {
      case "machine": if let name = reader.next() { entries.append(Entry(name: name)) }
      case "default": entries.append(Entry(name: nil, login: Login(isDefault: true)))
      case "login": set(\.user, reader.next())
      case "password": set(\.password, reader.next())
      case "account": _ = reader.next()
      case "macdef": reader.skipMacro()
      default: break
      }
    }
    mistake = reader.mistake
  }

  /// Returns the login of the first entry with the host's name (in any case), or of a `default` before it.
  ///
  /// A password is never taken from another entry.
  package func login(for host: String) -> Login? {
    entries.first { $0.name.map { $0.lowercased() == host.lowercased() } ?? true }?.login
  }

  private mutating func set(_ part: WritableKeyPath<Login, String?>, _ value: String?) {
    if !entries.isEmpty { entries[entries.count - 1].login[keyPath: part] = value }
  }
}

/// The words of a netrc file.
private struct NetrcReader {
  private let bytes: [UInt8]
  private var rest: ArraySlice<UInt8>
  private var isAtLineStart = true
  /// The syntax error after which there is no next word.
  private(set) var mistake: String?

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    rest = bytes[...]
  }

  mutating func next() -> String? {
    skipBlanks()
    guard let first = rest.first else { return nil }
    isAtLineStart = false
    if first == UInt8(ascii: "\"") { return quoted() }
    let word = rest.prefix { !Self.isBlank($0) }
    rest = rest[word.endIndex...]
    return String(decoding: word, as: UTF8.self)
  }

  /// Skips to the empty line that ends a macro.
  mutating func skipMacro() {
    var length = 1
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\n") {
        if length == 0 { break }
        length = 0
      } else if byte != UInt8(ascii: "\r") {
        length += 1
      }
    }
    isAtLineStart = true
  }

  private mutating func skipBlanks() {
    while let byte = rest.first {
      if byte == UInt8(ascii: "#"), isAtLineStart {
        rest = rest.drop { $0 != UInt8(ascii: "\n") }
      } else if Self.isBlank(byte) {
        isAtLineStart = byte == UInt8(ascii: "\n") || isAtLineStart
        rest.removeFirst()
      } else {
        return
      }
    }
  }

  /// Returns a word in quotes; nil if no quote closes it.
  private mutating func quoted() -> String? {
    let escapes = [UInt8(ascii: "n"): UInt8(10), UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9]
    let start = rest.startIndex
    rest.removeFirst()
    var word: [UInt8] = []
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\n") {
      if byte == UInt8(ascii: "\"") { return String(decoding: word, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\"), rest.first != UInt8(ascii: "\n"), let next = rest.popFirst() else {
        word.append(byte)
        continue
      }
      word.append(escapes[next] ?? next)
    }
    let line = bytes[..<start].count { $0 == UInt8(ascii: "\n") } + 1
    mistake = "on line \(line) of the file, a quote is not closed"
    rest = []
    return nil
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
