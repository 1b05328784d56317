// Which of the wanted values lie ahead: the paths that are still alive in each container on the way to them.

/// The content's path and those of the captures, followed together through the text.
///
/// Only containers that some path leads through have a frame. Inside all others nothing is compared.
struct Route: Sendable {
  /// A container on the way.
  private struct Frame {
    /// Indices of the paths that lead through this container.
    var paths: [Int]
    var isObject: Bool
    /// Of an array: the index of the element that comes next.
    var nextIndex = 0
    /// Whether the content's next step was found in here.
    var hasContentStep = false
    /// Of an object that the content's path leads through: the first names, as they are spelled.
    var names: [[UInt8]] = []
  }

  /// The content's path is the first.
  static let content = 0
  private static let namesShown = 20

  private let paths: [[(name: [UInt8], index: Int?)]]
  private var frames: [Frame] = []
  /// Paths that lead to or through the value that comes next.
  private var reaching: [Int]
  private(set) var missing: ContentFinding?

  init(content: JSONPath, captures: [JSONPath]) {
    paths = ([content] + captures).map { path in
      path.steps.map { (Array($0.name.utf8), $0.index) }
    }
    reaching = Array(paths.indices)
  }

  mutating func reset() {
    frames.removeAll(keepingCapacity: true)
    reaching = Array(paths.indices)
    missing = nil
  }

  /// Containers with a frame that are open.
  var depth: Int { frames.count }

  /// The paths that end at the value that begins now, and those that go on inside it.
  mutating func arrive() -> (ending: [Int], leading: [Int]) {
    if let frame = frames.last, !frame.isObject { reachElement() }
    guard !reaching.isEmpty else { return ([], []) }
    let depth = frames.count
    return (reaching.filter { paths[$0].count == depth }, reaching.filter { paths[$0].count > depth })
  }

  private mutating func reachElement() {
    let top = frames.count - 1
    let index = frames[top].nextIndex
    frames[top].nextIndex += 1
    reaching.removeAll(keepingCapacity: true)
    for path in frames[top].paths where paths[path][top].index == index { reach(path) }
  }

  /// A member's name was read; its JSON text with quotes.
  mutating func reachMember(_ quotedName: ArraySlice<UInt8>) {
    let top = frames.count - 1
    reaching.removeAll(keepingCapacity: true)
    guard !frames[top].paths.isEmpty else { return }
    let name = Self.decoded(quotedName)
    for path in frames[top].paths {
      if paths[path][top].name == name { reach(path) }
      if path == Self.content, frames[top].names.count < Self.namesShown { frames[top].names.append(name) }
    }
  }

  private mutating func reach(_ path: Int) {
    reaching.append(path)
    if path == Self.content { frames[frames.count - 1].hasContentStep = true }
  }

  private static func decoded(_ quoted: ArraySlice<UInt8>) -> [UInt8] {
    let inside = quoted.dropFirst().dropLast()
    guard inside.contains(UInt8(ascii: "\\")) else { return Array(inside) }
    return inside.withUnsafeBufferPointer { StringDecoder.decode($0).bytes }
  }

  /// A container was entered that these paths lead through.
  mutating func enter(_ leading: [Int], isObject: Bool) {
    frames.append(Frame(paths: leading, isObject: isObject))
    reaching.removeAll(keepingCapacity: true)
  }

  /// The innermost container with a frame was left.
  mutating func leave() {
    guard let frame = frames.popLast(), frame.paths.contains(Self.content), !frame.hasContentStep else { return }
    let available = frame.names.map { String(decoding: $0, as: UTF8.self) }
    miss(depth: frames.count, available, frame.isObject ? .object : .array)
  }

  /// The content's path leads into a value that has no inside.
  mutating func stop(at kind: JSONKind) {
    miss(depth: frames.count, [], kind)
  }

  /// Of several ways that end early (duplicate members) the one that led deepest counts, then the last.
  private mutating func miss(depth: Int, _ available: [String], _ kind: JSONKind) {
    if case .missing(let deepest, _, _) = missing, deepest > depth { return }
    missing = .missing(depth: depth, available: available, kind: kind)
  }
}
