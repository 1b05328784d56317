import Engine
import PipelineSpec
import TestSupport

/// Plays a run against a server that is wrong, and compares the verdict with what was written.
///
/// The oracle is the set: a run is complete exactly if the server's records are those that it wrote. Nobody can know it of
/// a server that lies without a trace.
struct FaultPlay {
  private let matrixCase: MatrixCase
  private let fault: ModelFault
  private let spec: Spec
  private let folder: TemporaryFolder
  private var server: ModelServer
  private var dice: Dice
  private(set) var problems: [String] = []
  /// The verdict of the first run that came to its end.
  private(set) var verdict: Verdict?

  init(_ matrixCase: MatrixCase, _ fault: ModelFault, _ spec: Spec) throws {
    (self.matrixCase, self.fault, self.spec) = (matrixCase, fault, spec)
    folder = try TemporaryFolder(isInMemory: true)
    server = ModelServer(pager: matrixCase.pager)
    (server.fault, server.showsTotal) = (fault, matrixCase.showsTotal)
    dice = Dice(state: matrixCase.name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) })
  }

  mutating func play() async {
    let isMarked = matrixCase.mark != .none
    let second = 5 * ModelCalendar.secondsADay + 43_200
    // Of the list of the server, whatever it says about it.
    let expected = MatrixExpectation(matrixCase, server, marks: [:], at: second)
    let wanted = expected.lines.sorted()
    var run = MatrixRun(spec: spec, server: server, start: second, hasState: isMarked)
    let disturbance = disturbance(expected.requests)
    run.disturbance = disturbance
    var ending = await run.ending(in: folder)
    // A server that gives fewer pages may never have the request that is disturbed.
    if disturbance != nil, ending.verdict != .complete {
      (run.isResumed, run.disturbance) = (true, nil)
      ending = await run.ending(in: folder)
    }
    let isComplete = ending.verdict == .complete
    judge(ending, isEqual: written(isComplete) == wanted)
    if !isComplete, folder.names.contains("state") { problems.append("a mark was saved") }
    guard isMarked, problems.isEmpty, !isComplete else { return }
    // What a run left out comes with the next one.
    server.fault = ModelFault.usual.contains(fault) ? fault : nil
    var next = MatrixRun(spec: spec, server: server, start: second, hasState: true)
    next.isAppended = true
    let last = await next.ending(in: folder)
    if server.fault == nil, last.verdict != .complete || written(true) != wanted {
      let verdict = last.verdict?.rawValue ?? "none"
      problems.append("the next run, of a server that is right, is \(verdict): \(last.messages)")
    }
  }

  private mutating func disturbance(_ requests: Int) -> ModelTransport.Disturbance? {
    let number = Int.random(in: 1...max(1, requests), using: &dice)
    return switch matrixCase.scenario {
    case .calm: nil
    case .stumbling: .fail(from: number)
    case .killed: .kill(at: number)
    }
  }

  private func written(_ isComplete: Bool) -> [String] {
    let text = (try? folder.read(isComplete ? "out" : "out.pagecat-part")) ?? ""
    return text.split(separator: "\n").map(String.init).sorted()
  }

  private mutating func judge(_ ending: MatrixRun.Ending, isEqual: Bool) {
    let isComplete = ending.verdict == .complete
    verdict = ending.verdict
    let problem: String? =
      if matrixCase.isAuto {
        // A pager that no sign makes certain may be refused.
        isComplete && (mustAlarm || !isEqual && isVisible) ? "MISS: complete, and the records differ" : nil
      } else if mustAlarm { isComplete ? "MISS: complete, though a page says otherwise" : nil } else if isEqual {
        isComplete || mayAlarm ? nil : "FALSE ALARM: all records came"
      } else if bringsAll {
        "records are missing"
      } else {
        isComplete && isVisible ? "MISS: complete, and the records differ" : nil
      }
    if let problem {
      problems.append(
        "\(problem): \(ending.verdict?.rawValue ?? "none"), \(ending.messages), by \(ending.requests)")
    }
  }

  // MARK: What can be known

  /// True if a page says so plainly that something is wrong that no run may be complete.
  private var mustAlarm: Bool {
    [.saysPartial, .multiStatus, .errorWithOK, .cutsNested, .html].contains(fault)
  }

  /// True if there is evidence though all records come.
  private var mayAlarm: Bool {
    let pager = matrixCase.pager
    switch fault {
    case .totalTooHigh, .totalTooLow: return pager.readsTotal || matrixCase.showsTotal || pager == .numberTotalPages
    // The last page again is a circle.
    case .clampsPage: return pager.isNumbered
    // A list may have as many records as the size by chance.
    case .ignoresSize, .honoursSize: return pager == .none
    // Records that came before are left out, and are evidence all the same.
    case .overlaps, .insertsAtFront, .dropsOnTies: return matrixCase.isUnique
    case .ignoresFilter: return true
    default: return false
    }
  }

  /// True if all records must come.
  private var bringsAll: Bool {
    switch fault {
    case .ignoresSize, .fullLastPage, .oneFullPage, .ranges, .htmlOnce, .cutOnce: true
    case .emptyPage:
      [.none, .cursor, .cursorInBody, .next, .linkHeader, .linkInBody, .numberTotalPages, .numberMore, .numberDone]
        .contains(matrixCase.pager)
    default: false
    }
  }

  /// True if a server that loses records shows it.
  private var isVisible: Bool {
    let pager = matrixCase.pager
    let showsTotal = pager.readsTotal || matrixCase.showsTotal && !pager.readsMore
    switch fault {
    case .ignoresFilter, .totalTooLow: return false
    // A list that moves by itself has records twice by a cursor or a URL, and loses none.
    case .insertsAtFront, .overlaps: return pager.isNumbered || pager.isOffset || pager == .cursorOfLast
    case .deletesAtFront, .emptyPage: return showsTotal
    case .lacksNext: return showsTotal || pager == .cursorMore
    case .capsList: return showsTotal || pager == .numberTotalPages
    case .dropsOnTies:
      return matrixCase.isUnique && (pager.isNumbered || pager.isOffset) || showsTotal && matrixCase.isUnique
    default: return true
    }
  }
}

extension ModelFault {
  /// Those that lose nothing.
  static let usual: [ModelFault] = [
    .ignoresSize, .fullLastPage, .oneFullPage, .ranges, .emptyPage, .clampsPage, .htmlOnce, .cutOnce,
  ]
}
