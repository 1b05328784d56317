// Keeps the records for which a condition holds. Records that are left out are not copied, and no record is decoded.

/// Keeps the records of lines for which a condition holds.
package struct RecordFilter: Sendable {
  /// The lines that were kept.
  package struct Kept: Sendable {
    package let lines: [UInt8]
    /// Token index of the lines, as far as it is known.
    package let tokenIndex: TokenIndex
    package let count: Int
    package let leftOutCount: Int
  }

  private let condition: Condition
  /// Clauses of the only alternative; empty if there are several, or if a path leads to several values.
  private let clauses: [Condition.Clause]
  private let tests: QuickTests
  /// Names of the members that the clauses read, if all of them are members of the record itself.
  private let names: WantedNames?
  /// Number of each clause's name.
  private let numbers: [Int]
  /// Finds the only member that the clauses read; nil if they read several, or members of members.
  private let finder: MemberFinder?
  /// Depth of records at which token positions are needed.
  package let depth: Int

  package init(_ condition: Condition) {
    self.init(condition, .best)
  }

  /// - Parameter kernel: a kernel other than the machine's best, for tests.
  init(_ condition: Condition, _ kernel: Kernel) {
    self.condition = condition
    let isFlat =
      condition.alternatives.count == 1 && condition.paths.allSatisfy { $0.steps.count == 1 && !$0.hasEvery }
    clauses = isFlat ? condition.alternatives[0] : []
    tests = QuickTests(clauses)
    var names = WantedNames()
    numbers = isFlat ? condition.paths.map { names.number(of: Array($0.steps[0].name.utf8)) } : []
    self.names = isFlat ? names : nil
    finder = isFlat && names.texts.count == 1 ? MemberFinder(names.texts[0], kernel) : nil
    depth = finder == nil ? condition.paths.map(\.steps.count).max() ?? 0 : 0
  }

  /// Returns the records for which the condition holds, in their order.
  ///
  /// - Parameters:
  ///   - lines: whole compact lines.
  ///   - tokenIndex: token index of the lines, as far as it is known.
  ///   - wantsIndex: true if the kept lines need an index even if other lines are left out.
  package func kept(of lines: [UInt8], _ tokenIndex: TokenIndex, wantsIndex: Bool = true) -> Kept {
    let runs = finder.map { search(lines, $0) } ?? names.map { walk(lines, tokenIndex, $0) } ?? walk(lines, tokenIndex)
    guard runs.leftOutCount > 0 else {
      return Kept(lines: lines, tokenIndex: tokenIndex, count: runs.count, leftOutCount: 0)
    }
    return runs.copied(from: lines, wantsIndex ? tokenIndex : TokenIndex())
  }

  /// The clauses that a missing value does not fulfil.
  package var clausesForMembers: [Condition.Clause] { condition.clausesForMembers }

  /// Returns those of some clauses that keep every alternative from holding.
  package func culprits(among clauses: [Condition.Clause]) -> [Condition.Clause] { condition.culprits(among: clauses) }

  /// Returns those of some clauses whose members no record has.
  ///
  /// - Parameter lines: whole compact lines.
  package func clauses(_ clauses: [Condition.Clause], missingIn lines: [UInt8]) -> [Condition.Clause] {
    var missing = clauses
    var records = TokenIndexedRecords(lines)
    while !missing.isEmpty, let record = records.next() { missing.removeAll { !record.values(at: $0.path).isEmpty } }
    return missing
  }

  /// Finds the member of all records in one search.
  private func search(_ lines: [UInt8], _ finder: MemberFinder) -> Runs {
    lines.withUnsafeBufferPointer { text in
      tests.withTrial { trial in
        // Each test has a loop of its own, so that it is not chosen for each record anew.
        switch trial.onlyTest {
        case .among: search(lines, text, finder, trial) { trial.isSpelled(in: text, at: $0) ? true : nil }
        case .above(let bound): search(lines, text, finder, trial) { trial.compare(text, at: $0) { bound < $0 } }
        case .below(let bound): search(lines, text, finder, trial) { trial.compare(text, at: $0) { $0 < bound } }
        case nil: search(lines, text, finder, trial) { _ in nil }
        }
      }
    }
  }

  /// - Parameters:
  ///   - text: the bytes of the lines.
  ///   - tries: returns whether the condition holds for the value at an offset; nil if the value's end must be known.
  @inline(__always)
  private func search(
    _ lines: [UInt8], _ text: UnsafeBufferPointer<UInt8>, _ finder: MemberFinder, _ trial: QuickTests.Trial,
    _ tries: (Int) -> Bool?
  ) -> Runs {
    var runs = Runs()
    let compact = CompactText(bytes: text)
    finder.forEach(in: text) { line, member in
      switch member {
      case .missing: runs.add(line, isKept: holds(trial, for: nil))
      case .value(let start): runs.add(line, isKept: tries(start) ?? holds(trial, for: compact.value(at: start)))
      case .unknown:
        let record = JSONValue(validated: lines[line.lowerBound..<max(line.lowerBound, line.upperBound - 1)])
        runs.add(line, isKept: condition.holds(for: record))
      }
    }
    return runs
  }

  /// Reports that all clauses hold for the value of the only member that they read.
  @inline(__always)
  private func holds(_ trial: QuickTests.Trial, for value: UnsafeBufferPointer<UInt8>?) -> Bool {
    for clause in numbers.indices {
      switch trial.tries(clause, value) {
      case false?: return false
      case true?: break
      case nil: if !clauses[clause].holds(value.map { JSONValue(validated: Array($0)[...]) }) { return false }
      }
    }
    return true
  }

  /// Finds the members of all records in one walk over their tokens.
  private func walk(_ lines: [UInt8], _ tokenIndex: TokenIndex, _ names: WantedNames) -> Runs {
    PlacedRecords.walk(lines, names, tokenIndex) { records in
      tests.withTrial { trial in
        numbers.withUnsafeBufferPointer { numbers in
          var runs = Runs()
          var start = 0
          let count = lines.count
          while start < count {
            if let record = records.record(at: start) {
              runs.add(start..<record.end + 2, isKept: holds(trial, for: record, numbers))
              start = record.end + 2
            } else {
              let end = lines[start...].firstLineFeed ?? lines.count
              runs.add(
                start..<min(end + 1, lines.count),
                isKept: condition.holds(for: JSONValue(validated: lines[start..<end])))
              start = end + 1
            }
          }
          return runs
        }
      }
    }
  }

  private func walk(_ lines: [UInt8], _ tokenIndex: TokenIndex) -> Runs {
    var runs = Runs()
    for record in TokenIndexedRecords(lines, tokenIndex) {
      runs.add(record.bytes.startIndex..<record.bytes.endIndex + 1, isKept: condition.holds(for: record))
    }
    return runs
  }

  @inline(__always)
  private func holds(
    _ trial: QuickTests.Trial, for record: PlacedRecord, _ numbers: UnsafeBufferPointer<Int>
  ) -> Bool {
    for clause in numbers.indices {
      let value = record.value(of: numbers[clause]).map(record.text)
      switch trial.tries(clause, value) {
      case false?: return false
      case true?: break
      case nil: if !clauses[clause].holds(value.map { JSONValue(validated: Array($0)[...]) }) { return false }
      }
    }
    return true
  }
}

/// Adjacent lines that are kept, as ranges.
private struct Runs {
  private var ended: [Range<Int>] = []
  /// The last range.
  private var last = 0..<0
  private(set) var count = 0
  private(set) var leftOutCount = 0

  @inline(__always)
  mutating func add(_ line: Range<Int>, isKept: Bool) {
    guard isKept else { return leftOutCount &+= 1 }
    count &+= 1
    if last.upperBound == line.lowerBound {
      last = last.lowerBound..<line.upperBound
    } else {
      if !last.isEmpty { ended.append(last) }
      last = line
    }
  }

  func copied(from lines: [UInt8], _ tokenIndex: TokenIndex) -> RecordFilter.Kept {
    let ranges = last.isEmpty ? ended : ended + [last]
    var kept: [UInt8] = []
    kept.reserveCapacity(ranges.reduce(0) { $0 + $1.count })
    var keptIndex = TokenIndex(depth: tokenIndex.depth)
    for range in ranges {
      if !tokenIndex.isEmpty {
        let numbers = tokenIndex.number(after: range.lowerBound)..<tokenIndex.number(after: range.upperBound)
        keptIndex.add(numbers, of: tokenIndex, movedBy: kept.count - range.lowerBound, in: lines)
      }
      kept.append(range, of: lines)
    }
    return RecordFilter.Kept(lines: kept, tokenIndex: keptIndex, count: count, leftOutCount: leftOutCount)
  }
}
