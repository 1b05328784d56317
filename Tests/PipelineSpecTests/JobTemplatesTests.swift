// No template of a job is forgotten: what is not in `templates` has secrets that nothing masks.

import PipelineSpec
import Testing

@Suite("Templates of a job") struct JobTemplatesTests {
  /// Together they set each of a job's keys, and each case of a key that has several.
  private static let samples = [
    """
    base: "${param.a}/"
    params: { a: https://h }
    endpoint: "/${env.a}"
    method: POST
    query: { a: "${env.a}", b: ["${env.b}", "${env.c}"] }
    headers: { X: "${env.x}", accept: null }
    body: { a: "${env.d}", b: ["${env.e}"], page: 0 }
    contentIdentifier: "a.*.${env.e}.*"
    empty: [404, missing]
    key: name
    failure: body.error
    pages: { cursor: page, from: body.f, totalPages: body.g }
    maxPages: 3
    auth: { bearer: "${env.g}" }
    set: { a: "${env.s}", b: { c: ["${env.t}"] } }
    concurrency: 2
    timeout: 3s
    hosts: [other]
    bodyLimit: 1MB
    retry: 2
    rate: 2/s
    """,
    """
    endpoint: "https://h/${input.a}"
    form: { a: "${env.a}" }
    pages: { next: body.next, totalRecords: body.t }
    attach: a
    when: b
    onError: skip
    contentIdentifier: rows?
    columns: c
    where: { a: 1, b: "${input.b}" }
    unique: [id]
    least: 1
    ignore: total
    drop: [b]
    model: { a: string }
    auth: { basic: { user: "${env.u}", password: "${env.p}" } }
    """,
    """
    endpoint: https://h/
    params: { r: 5/s }
    rate: "${param.r}"
    text: "${env.a}"
    poll: { until: { body.a: 1 } }
    pages: { number: page, more: body.m }
    maxPages: "${param.r}"
    columns: [a, b]
    keep: [a]
    flatten: a
    rename: { a: c }
    incremental: "${body.token}"
    auth: { headers: { X: "${env.u}" }, query: { y: "${env.v}" } }
    """,
    """
    endpoint: https://h/
    match: { a: b }
    batch: 2
    query: { ids: "${inputs.b:,}", b: "${env.a}" }
    count: n
    pages: { offset: o, until: body.d }
    auth: { query: { a: "${env.u}" } }
    """,
    "download: { url: \"https://h/${input.url}?${env.a}\", to: \"${input.id}/\" }",
    "endpoint: https://h/\nread: csv\nunpack: gzip\ndecode: { keys: camelCase }",
    """
    endpoint: https://h/
    query: { a: "${since}", b: "${input.a}" }
    each: { a: ["${env.a}"], b: { from: "${env.b}", to: "${env.c}", window: "${env.d}" } }
    incremental: { mark: m, start: "${env.s}" }
    """,
    "endpoint: \"https://h/${input.a}?${since}\"\nincremental: { mark: \"${input.m}\", start: 0 }",
    """
    endpoint: https://h/
    auth:
      oauth2:
        tokenUrl: "https://h/${env.a}"
        clientId: "${env.b}"
        clientSecret: "${env.c}"
        scope: "${env.d}"
        refreshToken: "${env.e}"
        with: { a: "${env.f}" }
    """,
    """
    endpoint: https://h/
    auth:
      login:
        endpoint: "https://h/${env.a}"
        body: { a: "${env.b}" }
        headers: { Y: "${env.c}" }
        token: body.t
        as: { headers: { X: "${token} ${env.d}" } }
    """,
    """
    endpoint: https://h/
    auth:
      login: { endpoint: https://h/, form: { a: "${env.b}" }, token: body.t, as: { query: { X: "${token} ${env.d}" } } }
    """,
    """
    endpoint: https://h/
    auth: { aws: { id: "${env.a}", secret: "${env.b}", token: "${env.c}", region: "${env.d}", service: "${env.e}" } }
    """,
    "endpoint: https://h/\nunique: id\ndeleted: { gone: true }",
    "endpoint: https://h/\ntls: { certificate: \"${env.a}\", key: \"${env.b}\", ca: \"${env.c}\" }",
  ]

  @Test("each one in its model is in its list", arguments: samples)
  func all(sample: String) throws {
    let job = try job(sample)
    let listed = Set(job.templates)
    // `since` is another job's, which has its templates in its own list.
    for child in Mirror(reflecting: job).children where child.label != "since" {
      for template in templates(in: child.value) {
        #expect(listed.contains(template), "\(template.written) of \(child.label ?? "")")
      }
    }
  }

  @Test("a parameter that only 'where' reads decides which records come")
  func deciding() throws {
    let job = try job(
      "params: { a: x }\nendpoint: \"https://h/${input.b}\"\nwhere: { c: \"${input.b}-${param.a}\" }")
    #expect(job.decidingParameters == ["a"])
  }

  @Test("the samples set each property of a job")
  func properties() throws {
    let standard = properties(of: try job("endpoint: https://h/"))
    var others = Set(standard.keys)
    for sample in Self.samples {
      others.subtract(properties(of: try job(sample)).filter { standard[$0.key] != $0.value }.keys)
    }
    // No key sets them.
    #expect(others == ["eachBefore", "isLater", "name", "position", "savesMark"])
  }

  private func properties(of job: Job) -> [String: String] {
    Dictionary(uniqueKeysWithValues: Mirror(reflecting: job).children.map { ($0.label ?? "", "\($0.value)") })
  }

  private func templates(in value: Any) -> [Template] {
    if let template = value as? Template { return [template] }
    return Mirror(reflecting: value).children.flatMap { templates(in: $0.value) }
  }
}
