/// Piece of a chunk that is being read.
struct CSVCursor {
  let input: UnsafePointer<UInt8>
  var index: Int
  var end: Int

  var byte: UInt8 { @inline(__always) get { input[index] } }

  /// Copies bytes up to one that is special in a JSON string, or is the delimiter, or up to the end.
  ///
  /// - Parameter delimiter: nil in quotes.
  @inline(__always)
  mutating func copyPlain(to writer: inout UncheckedWriter, delimiter: UInt8?) {
    while index &+ SIMDScan.stride <= end {
      let block = SIMDScan.block(input + index)
      SIMDScan.store(block, writer.place)
      var stops = SIMDScan.special(block)
      if let delimiter { stops = stops .| (block .== Block(repeating: delimiter)) }
      let lane = stops.firstLane
      index &+= lane
      writer.place += lane
      if lane < SIMDScan.stride { return }
    }
    while index < end {
      let byte = input[index]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C || byte == delimiter { return }
      writer.put(byte)
      index &+= 1
    }
  }
}
