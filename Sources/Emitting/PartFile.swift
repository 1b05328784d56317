// What a run has written so far, beside the file that it will become.

import JSONText

/// The file behind `-o FILE`: it grows beside FILE and becomes FILE when it is whole. Whatever ends the run before that,
/// it stays, and FILE is what it was.
package struct PartFile: ~Copyable, Sendable {
  /// How far it is good, and what stands there: enough to know it again.
  package struct Position: Hashable, Sendable {
    package let size: Int
    package let hash: Int

    package init(size: Int, hash: Int) {
      self.size = size
      self.hash = hash
    }
  }

  private let place: Place
  private let calls: SystemCalls
  private let file: Descriptor
  private var writer: LineWriter
  private var size = 0
  private var fingerprint = Fingerprint()

  /// An empty one, in place of what another run may have left.
  package init(_ place: Place, calls: SystemCalls = .system) throws(EmitFault) {
    file = try Self.made(place, calls)
    writer = LineWriter(descriptor: file.number, name: "'\(place.part)'", calls: calls)
    self.place = place
    self.calls = calls
  }

  private static func made(_ place: Place, _ calls: SystemCalls) throws(EmitFault) -> Descriptor {
    let old = try WholeFile.facts(of: place.path, calls)
    if old?.kind == .folder { throw EmitFault("write to", place.path, .isFolder) }
    try place.remove(place.part, calls)
    let file = try Descriptor(path: place.part, .new, calls: calls)
    if let old { try file.setMode(old.mode) }
    return file
  }

  /// Where it would be cut back to if the run ended now; what was written has been handed to the system.
  package var position: Position {
    let fingerprint = fingerprint
    return Position(size: size, hash: fingerprint.finalize())
  }

  package mutating func write(_ lines: [UInt8]) throws(EmitFault) {
    try writer.write(lines)
    fingerprint.combine(lines)
    size += lines.count
  }

  package mutating func flush() throws(EmitFault) {
    try writer.flush()
  }

  package mutating func sync() throws(EmitFault) {
    try writer.flush()
    try file.sync()
  }

  /// It is whole: becomes the file, or what the file ends with.
  package mutating func finish(appending: Bool) throws(EmitFault) {
    if appending, try WholeFile.facts(of: place.path, calls) != nil {
      try writer.flush()
      if size > 0 { try append() }
      return try place.remove(place.part, calls)
    }
    try sync()
    try place.put(place.part, calls)
    try place.syncFolder(calls)
  }

  /// The old file is copied (or shared, where the file system can) and not written to: so it is whole at every moment.
  private func append() throws(EmitFault) {
    var whole = try WholeFile(place, calls: calls)
    try whole.begin(with: place.path)
    try whole.add(contentsOf: place.part)
    try whole.finish()
  }

  /// Nothing of the run will be gone on with.
  package func discard() throws(EmitFault) {
    try place.remove(place.part, calls)
  }
}
