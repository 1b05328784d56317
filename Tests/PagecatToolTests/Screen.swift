/// A model of the screen of a terminal: text, line ends, and the two sequences that clear.
struct Screen {
  /// What a terminal does with its text when its width changes.
  enum Resizing: CaseIterable {
    /// Wraps the lines again; the cursor stays at its character (VTE, kitty, iTerm2).
    case rewraps
    /// Cuts the rows (xterm, the Linux console).
    case cuts
  }

  private struct Row {
    var text: [Unicode.Scalar] = []
    /// True if the next row continues the line.
    var continues = false
  }

  private let resizing: Resizing
  private var columns: Int
  private var rows = [Row()]
  private var (row, column) = (0, 0)

  init(columns: Int, _ resizing: Resizing) {
    self.columns = columns
    self.resizing = resizing
  }

  /// The rows, from the top to the cursor or to the last one with text.
  var text: [String] {
    let last = max(row, rows.lastIndex { !$0.text.isEmpty } ?? 0)
    return rows[...last].map { String(String.UnicodeScalarView($0.text)) }
  }

  mutating func resize(to columns: Int) {
    self.columns = columns
    switch resizing {
    case .cuts:
      for index in rows.indices { rows[index].text = Array(rows[index].text.prefix(columns)) }
      column = min(column, columns - 1)
    case .rewraps: rewrap()
    }
  }

  private mutating func rewrap() {
    let old = rows
    let cursor = (row: row, column: column)
    var line: [Unicode.Scalar] = []
    var position: Int?
    rows = []
    for (index, part) in old.enumerated() {
      if index == cursor.row { position = line.count + cursor.column }
      line += part.text
      guard !part.continues else { continue }
      if let position { (row, column) = (rows.count + position / columns, position % columns) }
      position = nil
      rows += stride(from: 0, to: max(line.count, 1), by: columns).map { start in
        Row(text: Array(line[start..<min(start + columns, line.count)]), continues: start + columns < line.count)
      }
      line = []
    }
    while row >= rows.count { rows.append(Row()) }
  }

  mutating func show(_ text: String) {
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n": moveDown()
      case "\u{1B}":
        let sequence = String(scalars.prefix(2))
        scalars = scalars.dropFirst(2)
        clearRow()
        if sequence == "[J" { rows.removeSubrange((row + 1)...) }
        precondition(["[J", "[K"].contains(sequence), "the model lacks \(sequence)")
      default: put(scalar)
      }
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    if column == columns {
      rows[row].continues = true
      moveDown()
      column = 0
    }
    while rows[row].text.count <= column { rows[row].text.append(" ") }
    rows[row].text[column] = scalar
    column += 1
  }

  private mutating func moveDown() {
    row += 1
    if row == rows.count { rows.append(Row()) }
  }

  /// Clears from the cursor to the end of the row.
  private mutating func clearRow() {
    rows[row].text = Array(rows[row].text.prefix(column))
    rows[row].continues = false
  }
}
