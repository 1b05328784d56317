// Follows the paths of all wanted values: each open container on a path has the paths that still match.

/// Follows the content's path and the captures' paths together through the text.
///
/// Only containers on some path have a frame. Inside all others nothing is compared.
///
/// Without a `*`, the content has one possible position. A `*` makes every element or member a position of its own.
/// Each position must lead to content, and none may do so twice. One position is open at a time: reaching a further `*`
/// settles the position before it.
struct PathMatcher: Sendable {
  /// Container on a path.
  private struct Frame {
    /// Index in `alive` of the first path that leads through this container.
    let firstPath: Int
    let isObject: Bool
    let leadsToContent: Bool
    /// True if the content's step in this container is `*`.
    let isEvery: Bool
    /// True if that `*` stands for several names.
    let isChoice: Bool
    /// Indices of the names that were found.
    var choices: [Int] = []
    /// Arrays only: index of the next element.
    var nextIndex = 0
    /// True if the content's next step was found in this container.
    var hasContentStep = false
    /// True if a watched path leads through it.
    let isWatched: Bool
    /// Index in `names` of the first name of an object on the content's path, or of a watched one.
    ///
    /// `nameCount` says how many names there are.
    let firstName: Int
    var nameCount = 0
    /// Objects only, if every member may have content: name of the current member.
    var memberName: [UInt8] = []
  }

  private static let namesShown = 21
  /// Limit for the names that are kept of an object that a watched path leads into.
  private static let namesWatched = 200

  private let paths: [[WantedPaths.Step]]
  /// Index of the content's last `*`, also of one that stands for several names.
  private let lastEvery: Int?
  /// Indices of the content's first and last `*` that stand for every element or member.
  private let (firstElement, lastElement): (Int?, Int?)
  private var frames: [Frame] = []
  /// Paths that lead through the containers with a frame, paths of the innermost container last.
  private var alive: [Int] = []
  /// First names of objects with a frame, as they are spelled, names of the innermost object last.
  private var names: [UInt8] = []
  /// Paths that lead to or through the next value.
  private var reaching: [Int]
  /// Paths of `reaching` that end at the current value; `leading` has the others, which lead into the value.
  private(set) var ending: [Int] = []
  private(set) var leading: [Int] = []
  /// True if the current value is at the content's last `*`.
  private(set) var isAtElement = false
  /// Number of elements or members at the content's first `*` so far.
  private(set) var elementCount = 0
  /// True if the open position has led to content.
  private var isFound = false
  /// Reason why the open position has not led to content so far.
  private var miss: ContentFinding?
  /// Reason of the first position that did not lead to content.
  private var firstMiss: ContentFinding?
  /// Number of watched paths, from 1 on: for each, the object that lacks its next member is wanted.
  private let watchedCount: Int
  /// Number of steps of each watched path that were found.
  private var foundSteps: [Int]
  /// For watched paths: the number of steps to the object that lacks the next member, and its names.
  private var lacking: [Int: (depth: Int, names: [String])] = [:]

  /// - Parameter watchedCount: number of captures, from the first on, that are watched (`lack`).
  init(_ wanted: WantedPaths, watchedCount: Int = 0) {
    self.watchedCount = watchedCount
    foundSteps = Array(repeating: 0, count: watchedCount + 1)
    (paths, lastEvery) = (wanted.all, wanted.lastEvery)
    (firstElement, lastElement) = (wanted.firstElement, wanted.lastElement)
    reaching = Array(paths.indices)
  }

  mutating func reset() {
    frames.removeAll(keepingCapacity: true)
    alive.removeAll(keepingCapacity: true)
    names.removeAll(keepingCapacity: true)
    reaching = Array(paths.indices)
    isAtElement = false
    elementCount = 0
    isFound = false
    miss = nil
    firstMiss = nil
    foundSteps = Array(repeating: 0, count: watchedCount + 1)
    lacking = [:]
  }

  /// The object that lacks the next member of a watched capture, once the text is whole: the number of steps to it, and
  /// its names.
  ///
  /// Nil if all steps were found, or if they lead into no object.
  func lack(ofCapture capture: Int) -> (depth: Int, names: [String])? {
    lacking[capture + 1].flatMap { $0.depth == foundSteps[capture + 1] ? $0 : nil }
  }

  /// True if the content is one of several values, a null of which gives no record, whatever names are wanted.
  var isAtChoice: Bool { frames.last { $0.isEvery }?.isChoice == true }

  /// True if the content's path has a `*`.
  var hasEvery: Bool { lastEvery != nil }

  /// Number of open containers with a frame.
  var depth: Int { frames.count }

  /// True if no path leads through the innermost container.
  var leadsNowhere: Bool { frames.last.map { $0.firstPath == alive.count } ?? false }

  /// Reason why the content was not found, once the text is complete; nil if every position led to content.
  var missing: ContentFinding? {
    firstMiss ?? (isFound ? nil : miss ?? .missing(at: [], available: [], kind: .null))
  }

  /// Appends the spelled names of the current members at the innermost `*`s, the outermost first, each with LF.
  func appendMemberNames(ofLast count: Int, to names: inout [UInt8]) {
    if count == 1, let frame = frames.last(where: \.isEvery) {
      names += frame.memberName
      return names.append(0x0A)
    }
    for frame in frames where frame.isEvery {
      names += frame.memberName
      names.append(0x0A)
    }
  }

  /// Path of the innermost container at one of the innermost `*`s that is an array, whose elements have no names; nil if
  /// all are objects.
  func listPath(ofLast count: Int) -> JSONPath? {
    var left = count
    for index in frames.indices.reversed() where frames[index].isEvery && left > 0 {
      if !frames[index].isObject, !frames[index].isChoice { return path(depth: index) }
      left -= 1
    }
    return left == count ? path(depth: 0) : nil
  }

  // MARK: Values

  /// Sorts the paths that lead to the value that begins here.
  mutating func arrive() {
    if let frame = frames.last, !frame.isObject { reachElement() }
    ending.removeAll(keepingCapacity: true)
    leading.removeAll(keepingCapacity: true)
    for path in reaching {
      if paths[path].count == frames.count { ending.append(path) } else { leading.append(path) }
    }
  }

  private mutating func reachElement() {
    let top = frames.count - 1
    let index = frames[top].nextIndex
    frames[top].nextIndex += 1
    isAtElement = false
    if !reaching.isEmpty { reaching.removeAll(keepingCapacity: true) }
    for path in alive[frames[top].firstPath...] {
      let step = paths[path][top]
      if let choice = step.choices.firstIndex(where: { $0.index == index }) {
        reach(path, choice: choice)
      } else if step.choices.isEmpty, step.isEvery || step.index == index {
        reach(path)
      }
    }
  }

  /// Takes the name of a member, as JSON text with quotes.
  mutating func reachMember(_ quotedName: [UInt8]) {
    let top = frames.count - 1
    isAtElement = false
    reaching.removeAll(keepingCapacity: true)
    guard frames[top].firstPath < alive.count else { return }
    let hasEscape = quotedName.contains(UInt8(ascii: "\\"))
    let name = hasEscape ? Self.decoded(quotedName[...])[...] : quotedName[1..<max(1, quotedName.count - 1)]
    if frames[top].isEvery { frames[top].memberName = quotedName }
    for path in alive[frames[top].firstPath...] where paths[path][top].isEvery || paths[path][top].name[...] == name {
      guard !paths[path][top].choices.isEmpty else {
        reach(path)
        continue
      }
      if let choice = paths[path][top].choices.firstIndex(where: { $0.name[...] == name }) {
        reach(path, choice: choice)
      }
    }
    addName(quotedName, in: top)
  }

  /// - Parameter choice: index of the name that leads on, of a step with several.
  private mutating func reach(_ path: Int, choice: Int? = nil) {
    reaching.append(path)
    if path <= watchedCount { foundSteps[path] = max(foundSteps[path], frames.count) }
    guard path == WantedPaths.content else { return }
    let top = frames.count - 1
    frames[top].hasContentStep = true
    guard frames[top].isEvery else { return }
    isAtElement = top == lastElement
    if top == firstElement { elementCount += 1 }
    if let choice {
      frames[top].memberName = paths[path][top].choices[choice].path
      // The position of a name that comes again is the one that it has led to.
      if frames[top].choices.contains(choice) { return }
      frames[top].choices.append(choice)
    }
    finishValue()
    isFound = false
  }

  /// Ends the open position; keeps its reason if it led to no content and is the first such position.
  private mutating func finishValue() {
    if !isFound, firstMiss == nil { firstMiss = miss }
    miss = nil
  }

  /// The path of the innermost container, if the value that begins now is a member beside the content in it; otherwise
  /// nil.
  ///
  /// If the content is the root, its own members count. Below a `*`, the path has `*` for each element.
  var pathBesideContent: [String]? {
    guard let frame = frames.last, frame.isObject else { return nil }
    let steps = paths[WantedPaths.content]
    if steps.isEmpty { return frames.count == 1 ? [] : nil }
    guard frame.leadsToContent, !frame.isEvery || frame.isChoice, !reaching.contains(WantedPaths.content) else {
      return nil
    }
    return steps.prefix(frames.count - 1).map { String(decoding: $0.name, as: UTF8.self) }
  }

  /// Index of the element that begins now, if the text is an array with the content in one of its other elements.
  var elementBesideContent: Int? {
    guard frames.count == 1, let frame = frames.last, !frame.isObject, frame.leadsToContent,
      !frame.isEvery || frame.isChoice,
      !reaching.contains(WantedPaths.content)
    else { return nil }
    return frame.nextIndex - 1
  }

  /// True if the innermost container is in an element at a `*` of the content's path.
  var isBelowEvery: Bool {
    frames.dropLast().contains(where: \.isEvery) || frames.last.map { $0.isEvery && !$0.isChoice } ?? false
  }

  /// Takes the content, or a container of it; returns false for a duplicate member, which leads to content again.
  mutating func find() -> Bool {
    defer { isFound = true }
    return !isFound
  }

  // MARK: Containers

  /// Enters a container that the paths of `leading` lead through.
  mutating func enter(isObject: Bool) {
    let leadsToContent = leading.first == WantedPaths.content
    frames.append(
      Frame(
        firstPath: alive.count, isObject: isObject, leadsToContent: leadsToContent, isEvery: isEveryNext,
        isChoice: isEveryNext && !paths[WantedPaths.content][frames.count].choices.isEmpty,
        isWatched: isObject && watchedCount > 0 && leading.contains(where: isWatched), firstName: names.count))
    alive += leading
    reaching.removeAll(keepingCapacity: true)
  }

  /// True if the content is in every element or member of the current value, should it be a container.
  var isEveryNext: Bool {
    guard let lastEvery, frames.count <= lastEvery, leading.first == WantedPaths.content else { return false }
    return paths[WantedPaths.content][frames.count].isEvery
  }

  /// Leaves the innermost container with a frame.
  mutating func leave() {
    guard let frame = frames.popLast() else { return }
    if frame.isWatched { watch(frame) }
    alive.removeLast(alive.count - frame.firstPath)
    if frame.isEvery {
      finishValue()
      if frame.isChoice, firstMiss == nil { firstMiss = missingChoice(in: frame) }
      isFound = true
    } else if frame.leadsToContent, !frame.hasContentStep {
      miss(availableIn: frame, frame.isObject ? .object : .array)
    }
    names.removeLast(names.count - frame.firstName)
  }

  private func isWatched(_ path: Int) -> Bool { path > WantedPaths.content && path <= watchedCount }

  /// Keeps the names of an object that was left, for the watched paths whose next member it lacks.
  private mutating func watch(_ frame: Frame) {
    let depth = frames.count
    let paths = alive[frame.firstPath...].filter { isWatched($0) && foundSteps[$0] == depth }
    guard !paths.isEmpty else { return }
    let found = Self.strings(in: names[frame.firstName...])
    for path in paths { lacking[path] = (depth, found) }
  }

  /// Returns the finding for a container that was left, if it lacks one of several names that it must have, or all.
  private func missingChoice(in frame: Frame) -> ContentFinding? {
    let choices = paths[WantedPaths.content][frames.count].choices
    let missing = choices.indices.filter { !frame.choices.contains($0) }
    guard let choice = missing.first(where: { !choices[$0].isOptional }) ?? (frame.choices.isEmpty ? 0 : nil) else {
      return nil
    }
    let available = Self.strings(in: names[frame.firstName...]).prefix(Self.namesShown)
    return .missing(
      at: path(depth: frames.count), available: Array(available), kind: frame.isObject ? .object : .array,
      choice: choice)
  }

  /// The content's path leads into a value that has no inside.
  mutating func stop(at kind: JSONKind) {
    miss(availableIn: nil, kind)
  }

  // MARK: Missing content

  /// Keeps the reason of the path that led deepest; of equally deep ones (duplicate members), the last.
  private mutating func miss(availableIn frame: Frame?, _ kind: JSONKind) {
    if firstMiss != nil || isFound { return }
    if case .missing(let deepest, _, _, _) = miss, deepest.steps.count > frames.count { return }
    let available = frame.map { Self.strings(in: names[$0.firstName...]).prefix(Self.namesShown) } ?? []
    miss = .missing(at: path(depth: frames.count), available: Array(available), kind: kind)
  }

  /// Returns the path of the open containers, with indices and names in place of each `*`.
  private func path(depth: Int) -> JSONPath {
    JSONPath(
      zip(frames, paths[WantedPaths.content]).prefix(depth).map { frame, step in
        guard step.isEvery else { return String(decoding: step.name, as: UTF8.self) }
        if let choice = frame.choices.last {
          return String(decoding: step.choices[choice].name, as: UTF8.self)
        }
        guard frame.isObject else { return String(frame.nextIndex - 1) }
        return String(decoding: Self.decoded(frame.memberName[...]), as: UTF8.self)
      })
  }

  /// Keeps a name for the message in case that the right name does not come.
  private mutating func addName(_ quotedName: [UInt8], in top: Int) {
    if frames[top].isWatched {
      guard frames[top].nameCount < (quotedName.count <= 128 ? Self.namesWatched : Self.namesShown) else { return }
    } else {
      guard frames[top].leadsToContent, !frames[top].isEvery || frames[top].isChoice, firstMiss == nil else { return }
      guard frames[top].nameCount < Self.namesShown else { return }
    }
    frames[top].nameCount += 1
    names += quotedName
  }

  /// Returns the decoded names of a sequence of quoted names.
  private static func strings(in quoted: ArraySlice<UInt8>) -> [String] {
    quoted.withUnsafeBufferPointer { bytes in
      var strings: [String] = []
      var start = 0
      while start < bytes.count {
        let end = CompactText(bytes: bytes).string(at: start).end
        strings.append(String(decoding: decoded(quoted.dropFirst(start).prefix(end - start)), as: UTF8.self))
        start = end
      }
      return strings
    }
  }

  private static func decoded(_ quoted: ArraySlice<UInt8>) -> [UInt8] {
    let inside = quoted.dropFirst().dropLast()
    guard inside.contains(UInt8(ascii: "\\")) else { return Array(inside) }
    return inside.withUnsafeBufferPointer { StringDecoder.decode($0).bytes }
  }
}
