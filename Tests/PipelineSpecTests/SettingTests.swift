import Diagnostics
import PipelineSpec
import Testing

@Suite("A job without endpoint sets members of the records that pass through") struct SettingTests {
  @Test("It reads records, whether or not a template names them, and has no endpoint")
  func reads() throws {
    let job = try job("set: { seen: true }\nbodyLimit: 1KB\nname: seen")
    #expect(job.endpoint == nil && job.readsRecords && job.name == "seen" && job.bodyLimit == 1_000)
    #expect(job.set.map { "\($0.name)=\($0.value.written)" } == ["seen=true"])
  }

  @Test("What stands beside 'steps' for requests is not its own; what is about records is")
  func defaults() throws {
    let spec = try spec(
      """
      base: https://h/
      headers: { X-Key: "${env.KEY}" }
      auth: { bearer: "${env.TOKEN}" }
      onError: skip
      bodyLimit: 2KB
      concurrency: 7
      steps:
        - each: { a: [1, 2] }
          set: { b: "${input.a}" }
        - endpoint: x/${input.b}
        - set: { c: "${input.d}" }
          onError: stop
      """)
    let (first, last) = (spec.jobs[0], spec.jobs[2])
    #expect(first.base == nil && first.headers == [] && first.auth == nil && first.concurrency == 1)
    #expect(first.environmentNames == [] && last.environmentNames == [])
    #expect(first.each?.axes.count == 1 && first.onError == .skip && first.bodyLimit == 2_000)
    #expect(last.onError == .stop && last.position == SourcePosition(line: 11, column: 5))
    #expect(spec.jobs[1].auth != nil && spec.jobs[1].concurrency == 7)
  }

  @Test(
    "Keys about requests, and what was fetched, can't stand in it",
    arguments: [
      Wrong(
        "set: { a: 1 }\n«query»: { b: c }",
        "'query' without 'endpoint' | a step without it only changes its input records; add 'endpoint', or leave 'query' out"
      ),
      Wrong(
        "«base»: https://h/\n«match»: { a: b }\nset: { a: 1 }\n«count»: n", "'base' without 'endpoint'",
        "'match' without 'endpoint'", "'count' without 'endpoint'"),
      Wrong("set: { a: 1 }\n«attach»: a\n", "'attach' without 'endpoint'"),
      Wrong("set: { a: 1 }\n«concurrency»: 2\n«zzz»: 1", "'concurrency' without 'endpoint'", "unknown key 'zzz'"),
      Wrong("set: { a: 1 }\n«incremental»: { mark: a, start: 1 }", "'incremental' without 'endpoint'"),
      Wrong("steps:\n- set: { a: 1 }\n  «auth»: netrc\n", "'auth' without 'endpoint'"),
    ])
  func keys(wrong: Wrong) { wrong.check() }

  @Test(
    "Other mistakes are those of all jobs",
    arguments: [
      Wrong("«sett»: { a: 1 }", "unknown key 'sett' | did you mean 'set'?"),
      Wrong("«endpiont»: https://h/\nset: { a: 1 }\nquery: { a: b }", "unknown key 'endpiont'"),
      Wrong("set: «5»\n", "expected a map of members and their values, found 5"),
      Wrong("set: { a: 1 }\nonError: «empty»", "'onError: empty' without 'attach'"),
      Wrong("set: { a: '«${since}»' }", "'since' without 'incremental'"),
      Wrong("set: { a: '«${input.b}»' }\neach: { c: [1] }", "'each' makes no member 'b' | did you mean 'c'?"),
    ])
  func others(wrong: Wrong) { wrong.check() }
}
