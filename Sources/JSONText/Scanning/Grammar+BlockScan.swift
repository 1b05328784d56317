// Switches the pass to blocks of 64 bytes and back. A scan begins and ends between two tokens.
//
// After an error, and at the chunk's last groups, the scan returns to the offset after the last valid bracket, comma or
// colon. Between tokens, the state of the grammar is simple, so the portable pass continues from there. Only the
// portable pass reports errors.

import CJSONText

extension Grammar {
  /// Reads until the value that has begun, or begins here, has ended with `floor` brackets open; or to the chunk's end.
  ///
  /// - Parameter separator: what stands between this value and further ones that may be read as well, each of them a
  ///   record. Then it may end between two of them, in the state `value`.
  mutating func run(_ cursor: inout Cursor, floor: Int, cutAt separator: UInt8? = nil) throws(SyntaxError) {
    // A single value shorter than the kernel's probe is not worth a scan; several in a row are.
    let scanStart = kernel.isPortable ? Int.max : cursor.index + (separator == nil ? kernel.probe : 0)
    while cursor.index < cursor.end {
      let records = cursor.records
      if canScan(cursor, from: scanStart, floor: floor, cuts: separator != nil) {
        scan(&cursor, floor: floor, cutAt: separator)
        let isBetweenRecords = cursor.records > records && state == .value && depth == floor
        guard !isBetweenRecords, cursor.index < cursor.end, state != .afterValue || depth != floor else { return }
      }
      // Here a token may not lie inside the chunk, or may be wrong.
      try step(&cursor)
      if state == .afterValue, depth == floor { return }
    }
  }

  /// Least rest of a chunk: a group, and the bytes that the first stage may read after it.
  private static let leastScanned = CJSONGroup * 64 + 32

  /// True if whole groups of blocks can be read from the cursor on.
  func canScan(_ cursor: Cursor, from start: Int, floor: Int, cuts: Bool) -> Bool {
    !cursor.isIrregular && cursor.index >= start && state.rawValue <= State.afterValue.rawValue
      && cursor.end - cursor.index >= Self.leastScanned && (depth > floor || cuts)
  }

  /// Reads groups of blocks until the value has ended with `floor` brackets open, or nearly to the chunk's end.
  mutating func scan(_ cursor: inout Cursor, floor: Int, cutAt separator: UInt8?) {
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: CJSONKinds * CJSONWindow) { masks in
      guard let base = masks.baseAddress else { return }
      let deepest = deepestToken
      var tokenIndex = lendTokenIndex(cursor)
      defer { giveBack(&tokenIndex) }
      withUnsafeMutablePointers(to: &cursor, &tokenIndex) { cursor, tokenIndex in
        var walk = BlockWalk(
          &self, cursor, base, (tokenIndex, deepest), floor: floor, cuts: separator != nil)
        var carry = CJSONCarry(expecting: state, isInObject: isInObject, isBetweenLines: isLines && depth == 0)
        let first = cursor.pointee.index
        let count = (cursor.pointee.end - Self.leastScanned - first) / 64 + CJSONGroup
        walk.run(count & ~(CJSONGroup - 1)) { start, count in
          cjson_scan(
            kernel.code, isLines ? 1 : 0, &carry, cursor.pointee.input + first + start * 64, count,
            cursor.pointee.output + cursor.pointee.filled, base)
        }
        cursor.pointee.isPlain = cursor.pointee.isPlain && carry.isNotPlain == 0
        walk.leave(&self)
      }
    }
  }
}

extension CJSONCarry {
  /// Creates the carry of the token that must come first in the first block.
  fileprivate init(expecting state: Grammar.State, isInObject: Bool, isBetweenLines: Bool) {
    self.init()
    switch state {
    case .value where isBetweenLines: afterLineFeed = 1
    case .value where isInObject: afterColonOrComma = 1
    case .value, .name: (afterColonOrComma, afterCurlyOrComma) = (1, 1)
    case .firstElement: afterOpening = 1
    case .firstName: (afterOpening, afterCurlyOrComma) = (1, 1)
    case .colon: afterKey = 1
    default: break
    }
  }
}
