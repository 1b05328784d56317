// The members of an envelope beside its content: the statements of an answer about its records.

/// Members of the objects on the path of the content, without the path itself.
///
/// If the content is one object at the root, these are its own members. If it is an element of an array at the root,
/// these are the objects beside it.
///
/// The size of the outline is bounded, whatever the text contains.
package struct EnvelopeOutline: Sendable {
  package struct Member: Sendable {
    /// The names of the objects around it, then its own; `*` for an element of the content's path.
    package let path: [String]
    /// The member's value, compact; only the first bytes of a value that is too large.
    package let text: [UInt8]
    package let isWhole: Bool
    /// True if it is in an element at a `*` of the content's path.
    package let isInner: Bool
  }

  private static let mostMembers = 256
  /// Limit for members in elements at a `*`, so that they leave room for those of the envelope.
  private static let mostInner = 256
  /// The largest value that is kept, and the most that all of them have together.
  private static let (largest, most) = (256 << 10, 1 << 20)
  /// Enough bytes to recognize an array of objects.
  private static let headLength = 2

  package private(set) var members: [Member] = []
  private var size = 0
  private var innerCount = 0
  private var path: [String] = []
  private var isInner = false
  private var text: [UInt8] = []
  /// Number of containers around the current value.
  private(set) var openDepth: Int?

  /// True if there is room for more members of any kind.
  var hasRoom: Bool { takes(isInner: false) || takes(isInner: true) }

  /// Reports that there is room for another member.
  ///
  /// - Parameter isInner: true for a member in an element at a `*`.
  func takes(isInner: Bool) -> Bool {
    isInner ? innerCount < Self.mostInner : members.count - innerCount < Self.mostMembers
  }

  /// A value begins.
  mutating func open(_ path: [String], isInner: Bool, at depth: Int) {
    (self.path, self.isInner) = (path, isInner)
    openDepth = depth
  }

  /// False when the value is too large: then it is not open any more.
  mutating func take(_ compact: UnsafeBufferPointer<UInt8>) -> Bool {
    guard text.count + compact.count > min(Self.largest, Self.most - size) else {
      text.append(contentsOf: compact)
      return true
    }
    text.append(contentsOf: compact.prefix(Self.headLength))
    text.removeLast(max(0, text.count - Self.headLength))
    close(isWhole: false)
    return false
  }

  mutating func close(isWhole: Bool = true) {
    members.append(Member(path: path, text: text, isWhole: isWhole, isInner: isInner))
    if isInner { innerCount += 1 }
    size += text.count
    text = []
    openDepth = nil
  }
}
