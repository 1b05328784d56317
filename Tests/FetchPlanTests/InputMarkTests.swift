import JSONText
import PipelineSpec
import Primitives
import Testing

@testable import FetchPlan

@Suite("Marks of input records")
struct InputMarkTests {
  /// The run starts at 2026-01-01T00:00:00Z.
  @Test(
    "A mark that is a time after the start of the run is cut to it, and keeps its spelling",
    arguments: [
      (nil, nil, #""2026-01-02""#, #""2026-01-01""#),
      (nil, nil, #""2026-01-01""#, #""2026-01-01""#),
      (nil, nil, #""2025-12-31""#, #""2025-12-31""#),
      (nil, nil, #""2026-01-01T01:00:00+02:00""#, #""2026-01-01T01:00:00+02:00""#),
      (nil, nil, #""2026-01-01T03:00:00+02:00""#, #""2026-01-01T00:00:00Z""#),
      (nil, nil, #""2026-01-01T00:00:00.125Z""#, #""2026-01-01T00:00:00.000Z""#),
      ("milliseconds", nil, "1767225600001", "1767225600000"), ("seconds", nil, "1767225599", "1767225599"),
      (nil, TimeForm.milliseconds, "1767312000000", "1767225600000"),
      ("%Y-%m", nil, #""2026-02""#, #""2026-01""#), ("%d.%m.%Y", nil, #""31.12.2025""#, #""31.12.2025""#),
      // No time, or none that is known for one.
      (nil, nil, "1767312000", "1767312000"), (nil, nil, #""1767312000""#, #""1767312000""#),
      (nil, nil, #""v9""#, #""v9""#),
    ] as [(String?, TimeForm?, String, String)])
  func cut(marks: String?, windows: TimeForm?, mark: String, expected: String) throws {
    let plan = try makePlan(
      makeJob("x") { job in
        job.incremental = Incremental(mark: .input("${input.from.next}"), form: marks.flatMap { TimeForm($0) })
        let span = Each.Span(from: "2025-01-01", to: "2025-01-02", isWindow: true, form: windows)
        job.each = Each(axes: [.init(name: "from", values: .span(span), position: job.position)])
      })
    #expect(try plan.inputMark(of: .record(#"{"from":{"next":\#(mark)}}"#))?.text == expected)
  }

  @Test("A member that is no window of the job's own is cut where its text is a time")
  func otherMembers() throws {
    let plan = try makePlan(makeJob("x") { $0.incremental = Incremental(mark: .input("${input.at}")) })
    #expect(try plan.inputMark(of: .record(#"{"at":"2027-01-01"}"#))?.text == #""2026-01-01""#)
    #expect(try plan.inputMark(of: .record(#"{"at":1999999999}"#))?.text == "1999999999")
  }
}
