// `--tokens FILE`: the newest refresh token of each account.

import Primitives
import Diagnostics
import Fetching
import Files
import JSONText
import Synchronization
import Wire

/// The refresh tokens that servers gave in place of those in the specs.
///
/// The form is `{"tokens":[{"at":"https://example.com/token","of":"5d41…","refresh":"…"}]}`. The name `of` is that of
/// `RefreshTokenHolder`. Only the file's owner can read the file.
final class TokenFile: RefreshTokenStore {
  private struct Entry: Sendable {
    let url: String
    let name: String
    var token: String
  }

  private struct State: Sendable {
    var entries: [Entry]
    var isOpen = true
  }

  private let place: OutputPath
  private let calls: SystemCalls
  private let state: Locked<State>

  /// Reads the file.
  ///
  /// - Throws: `SpecError` if the file has another form, `FileError` if it can't be read.
  init(_ place: OutputPath, _ calls: SystemCalls) throws {
    self.place = place
    self.calls = calls
    guard let entries = try Self.text(place, calls).map(Self.entries) else {
      state = Locked(State(entries: []))
      return
    }
    guard let entries else {
      throw SpecError(messages: [
        "'\(place.path.printable)' is no file of tokens, which is {\"tokens\":[…]}: give another --tokens FILE"
      ])
    }
    state = Locked(State(entries: entries))
  }

  func token(for holder: RefreshTokenHolder) -> String? {
    let name = holder.name
    return state.withLock { state in state.entries.first { $0.name == name }?.token }
  }

  func keep(_ token: String, for holder: RefreshTokenHolder) throws(FileError) {
    let entry = Entry(url: holder.url.redacted, name: holder.name, token: token)
    try state.withLock { (state) throws(FileError) in
      // The lock on the file is gone: another run may have written to it.
      guard state.isOpen else { throw .failed("the run has ended") }
      var entries = state.entries.filter { $0.name != entry.name }
      entries.append(entry)
      try write(entries)
      state.entries = entries
    }
  }

  /// Refuses further tokens, before the lock on the file ends.
  func close() { state.withLock { $0.isOpen = false } }

  private func write(_ entries: [Entry]) throws(FileError) {
    let tokens = entries.map { entry in
      JSONValue(members: [
        ("at", JSONValue(entry.url)), ("of", JSONValue(entry.name)), ("refresh", JSONValue(entry.token)),
      ])
    }
    var file = try AtomicFile(private: place, calls: calls)
    try file.write(JSONValue(members: [("tokens", JSONValue(elements: tokens))]).line)
    try file.finish()
  }

  private static func text(_ place: OutputPath, _ calls: SystemCalls) throws(FileError) -> [UInt8]? {
    // Reading a pipe would wait. A file that is not regular has no tokens.
    if let kind = try OutputPath.facts(of: place.path, calls: calls)?.kind, kind != .regular { return [] }
    return try AtomicFile.contents(of: place, calls: calls)
  }

  /// Returns the tokens; nil if the text has another form.
  private static func entries(_ text: [UInt8]) -> [Entry]? {
    guard let json = try? JSONValue(parsing: text), let tokens = json["tokens"], tokens.kind == .array else {
      return nil
    }
    var entries: [Entry] = []
    for element in tokens.elements {
      guard let url = element["at"]?.string, let name = element["of"]?.string, let token = element["refresh"]?.string,
        !token.isEmpty
      else { return nil }
      entries.append(Entry(url: url, name: name, token: token))
    }
    return entries
  }
}
