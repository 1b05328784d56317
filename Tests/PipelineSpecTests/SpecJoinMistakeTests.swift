// What is wrong with how records go into a job and out of it.

import Diagnostics
import PipelineSpec
import TestSupport
import Testing

@Suite("Mistakes in joins and input records") struct SpecJoinMistakeTests {
  @Test(
    "attach, match, count and set",
    arguments: [
      Wrong.job("«attach»: items", "'attach' in a step that reads no records"),
      Wrong.perRecord("attach: «''»", "expected a member's name, or {one: NAME}, found an empty one"),
      Wrong.perRecord("attach: «5»", "expected a member's name, or {one: NAME}, found 5"),
      Wrong.perRecord("attach: «[a]»", "expected a member's name, or {one: NAME}, found a list"),
      Wrong.perRecord("attach: «{}»", "no 'one' in 'attach'"),
      Wrong.perRecord("attach: { «on»: a }", "unknown key 'on' | did you mean 'one'?"),
      Wrong.perRecord("attach: «'${input.a}'»", "no template can stand here"),
      Wrong.perRecord("«count»: n", "'count' without 'match'"),
      Wrong.job("«match»: { a: b }", "'match' without 'attach' or 'count'"),
      Wrong.job("match: «{}»\nattach: a", "no members in 'match'"),
      Wrong.job("match: { a: «5.5» }\nattach: a", "expected a path, found 5.5"),
      Wrong.job(
        "match: { a: «'${input.b}'» }\nattach: a", "no template can stand here | write the text itself"),
      Wrong.job("match: { a: b }\nattach: n\ncount: «n»", "'attach' and 'count' use the same member"),
      Wrong.job("match: { a: b }\nattach: n\nquery: { q: '«${input.q}»' }", "'input' can't be read here"),
      Wrong.job("match: { a: b }\nattach: n\nbody: ['«${input.q?}»']", "'input' can't be read here"),
      Wrong.job(
        "match: { a: b }\nattach: n\npages: { number: p, totalPages: «input.q» }", "'input' can't be read here"),
      Wrong.job("set: «[a]»", "expected a map of members and their values, found a list"),
      Wrong.job("set: { «'${param.p}'»: 1 }", "a template in a name"),
      Wrong.job("set: { a: '«${last.id}»' }", "'last' can't be read here"),
    ])
  func joins(wrong: Wrong) { wrong.check() }

  @Test(
    "batch",
    arguments: [
      Wrong.job("query: { ids: '${inputs.id}' }\nbatch: «0»", "expected a whole number from 1 to 10000, found 0"),
      Wrong.job(
        "query: { ids: '${inputs.id}' }\nbatch: «10001»", "expected a whole number from 1 to 10000, found 10001"),
      Wrong.job(
        "query: { ids: '${inputs.id}' }\nbatch: «many»",
        "expected a whole number from 1 to 10000, found the text 'many'"),
      Wrong.job(
        "query: { ids: '«${inputs.id}»' }",
        "'inputs' without 'batch' | add 'batch: 100', the most input records of a request, or read 'input'"),
      Wrong.job(
        "match: { a: b }\nattach: c\n«batch»: 5",
        "'batch' without 'inputs' in the request | name their values: 'query: { ids: \"${inputs.id:,}\" }'"),
      Wrong.job(
        "query: { id: '«${input.id}»' }\nbatch: 5",
        "'input' can't be read here | a request of 'batch' is for many input records: '${inputs.id:,}' joins their values"
      ),
      batched(
        "set: { a: '«${input.id}»' }",
        "'input' can't be read here | 'set' is about the fetched records, which are of no one input record; the joined record is the next step's: '- set: { a: \"${input.id}\" }'"
      ),
      batched("set: { a: '«${inputs.id}»' }", "'inputs' can't be read here"),
      batched("contentIdentifier: '«${inputs.id:,}»'", "'inputs' can't be read here"),
      batched("failure: «'${inputs.id}'»", "a condition takes a path, not a template"),
      batched("pages: { number: page, totalPages: '«${inputs.id}»' }", "'inputs' can't be read here"),
      batched("auth: { bearer: '«${inputs.id:,}»' }", "'inputs' can't be read here"),
      batched("each: { id: ['«${inputs.id:,}»'] }", "'inputs' can't be read here"),
      batched("each: { is: [1, 2] }", "'each' makes no member 'id' | did you mean 'is'?", at: "${inputs.id}"),
      batched(
        "headers: { X: '«${inputs.id}»' }",
        "a list in a text | join its values, for example by commas: '${inputs.id:,}'"),
      batched("body: { a: 'b «${inputs.id}»' }", "a list in a text"),
      batched("text: '«${inputs}»'", "a list in a text"),
      batched("«attach»: a", "'attach' beside 'batch' without 'match'"),
      batched("match: { a: b }\nattach: a\nset: { c: '«${inputs.id}»' }", "'inputs' can't be read here"),
      batched("incremental: «{ mark: at, by: id }»", "'by' in a step that does not fetch for each input record"),
      batched("incremental: «'${input.at}'»", "a mark of the input record beside 'batch'"),
      batched("onError: «empty»", "'onError: empty' without 'attach'"),
      Wrong(
        "base: https://h/\nendpoint: '«${inputs.url:,}»'\nbatch: 5", "an endpoint from many records"),
      Wrong("«batch»: 5\nset: { a: 1 }", "'batch' without 'endpoint'"),
      Wrong(
        "«batch»: 5\ndownload: { url: 'https://h/${input.a}', to: '${input.a}' }", "'batch' beside 'download'"),
    ])
  func batches(wrong: Wrong) { wrong.check() }

  /// A job with `batch`, with that line in it.
  private static func batched(_ line: String, _ message: String, at hole: String = "") -> Wrong {
    let ids = hole.isEmpty ? "${inputs.id}" : "«\(hole)»"
    return Wrong("endpoint: https://h/x\nbatch: 5\nquery: { ids: '\(ids)' }\n\(line)", message)
  }

  @Test(
    "onError",
    arguments: [
      Wrong.perRecord("onError: «empty»", "'onError: empty' without 'attach'"),
      Wrong.job(
        "onError: «skip»", "'onError' in a step that reads no records | leave it out: there it is always 'stop'"),
      Wrong.job("onError: «empty»", "'onError' in a step that reads no records"),
      Wrong.perRecord(
        "onError: «skipp»", "expected one of 'stop', 'skip', 'empty', found 'skipp' | did you mean 'skip'?"),
      Wrong(
        "onError: «empty»\nsteps:\n- endpoint: https://h/\n- endpoint: https://h/${input.a}",
        "'onError: empty' without 'attach'"),
    ])
  func onError(wrong: Wrong) { wrong.check() }

  @Test(
    "What a step reads is there to be read",
    arguments: [
      Wrong(
        "base: https://h/\nstreams:\n  all: {}\n  «few»: { of: all }\n",
        "a step after the first that reads no records | name a member of the input record in a template, such as "
          + "'${input.id}', or add 'match'; for a stream that requests nothing, write 'endpoint: null'"),
      Wrong(
        "steps:\n- endpoint: https://h/\n- «download»: { url: https://h/x, to: x }\n",
        "'download' in a step that reads no records"),
      Wrong.perRecord("each: { id: ['«${input.b}»'] }", "'input' can't be read here"),
      Wrong(
        "steps:\n- endpoint: https://h/?a=«${since}»\n- name: b\n  endpoint: https://h/${input.a}\n"
          + "  incremental: { mark: at, by: a }\n",
        "'since' of 'b', which has one for each of its input records ('by') | only that step can read it"),
      Wrong(
        "steps:\n- endpoint: https://h/?a=«${since}»\n- name: b\n  endpoint: https://h/${input.a}\n"
          + "  incremental: at\n- name: c\n  endpoint: https://h/${input.a}\n  incremental: at\n",
        "'since' of which step? 'b', 'c' have 'incremental'"),
    ])
  func laterSteps(wrong: Wrong) { wrong.check() }

  @Test("A step with another mistake is not told as well that it reads no records")
  func noCascade() {
    Wrong(
      "steps:\n- endpoint: https://h/\n- endpoint: https://h/${«recrod».a}\n  attach: x\n  onError: empty\n",
      "unknown template root 'recrod'"
    ).check()
  }

  private static let model = "steps:\n- { name: a, endpoint: 'https://h/', model: { id: integer, name?: string } }\n"

  @Test(
    "Members that the step before can't give",
    arguments: [
      Wrong(
        model + "- endpoint: https://h/«${input.idd}»\n",
        "no record of 'a' has a member 'idd' | did you mean 'id'?"),
      Wrong(
        model + "- { endpoint: 'https://h/${input.id}', set: { x: '«${input.parent}»' } }\n",
        "no record of 'a' has a member 'parent' | it has 'id', 'name'; or add it to the 'model' of that step"),
      Wrong(
        model + "- { endpoint: 'https://h/', query: { id: '«${inputs.od}»' }, batch: 2 }\n",
        "no record of 'a' has a member 'od' | did you mean 'id'?"),
      Wrong(
        model + "- { endpoint: 'https://h/${input.id}', attach: items }\n- endpoint: https://h/«${input.itens}»\n",
        "no record of 'file.yaml#2' has a member 'itens' | did you mean 'items'?"),
      Wrong(
        "steps:\n- { each: { day: [1] }, set: { k: '${input.day}' } }\n- endpoint: https://h/«${input.month}»\n",
        "no record of 'file.yaml#1' has a member 'month' | it has 'day', 'k'"),
      Wrong(
        model + "- { download: { url: '${input.id}', to: a/ }, base: 'https://h/' }\n"
          + "- endpoint: https://h/«${input.files}»\n",
        "no record of 'file.yaml#2' has a member 'files' | did you mean 'file'?"),
      Wrong(
        "steps:\n- { name: a, endpoint: 'https://h/', model: { id: integer, items: [any] } }\n"
          + "- { endpoint: 'https://h/${input.item}/«${input.items.0}»', each: { item: input.items } }\n",
        "'each' takes the list 'items' away | write '${input.item}', which is one of its elements"),
      Wrong(
        "steps:\n- { endpoint: 'https://h/', name: a }\n- { name: b, keep: [id] }\n- endpoint: https://h/«${input.x}»\n",
        "no record of 'b' has a member 'x' | it has 'id'"),
    ])
  func members(wrong: Wrong) { wrong.check() }

  @Test(
    "Members that the step before may give",
    arguments: [
      model + "- endpoint: https://h/${input.name}/${input.id}/${input.other:-x}/${input}\n",
      model + "- { endpoint: 'https://h/${input.id}/${input.day}', each: { day: [1] } }\n",
      model + "- endpoint: https://h/${input.id}\n- endpoint: https://h/${input.anything}\n",
      "steps:\n- { set: { a: 1 } }\n- endpoint: https://h/${input.b}\n",
    ])
  func possibleMembers(text: String) throws {
    _ = try Spec(reading: SourceText(name: "a.yaml", bytes: Array(text.utf8)))
  }

  @Test("A mistake in a default is reported once")
  func defaultOnce() {
    Wrong(
      "timeout: «5»\nsteps:\n- endpoint: https://h/\n- endpoint: https://h/${input.a}\n",
      "expected a duration, found 5"
    ).check()
  }

  @Test(
    "each",
    arguments: [
      Wrong.job("«each»: { a: [1] }", "nothing reads the records of 'each' | name one in a template: '${input.a}'"),
      Wrong(
        "endpoint: https://h/«${input.dat}»\neach: { date: [1] }",
        "'each' makes no member 'dat' | did you mean 'date'?"),
      Wrong.perRecord("each: «[1, 2]»", "expected a map of members and their values, found a list"),
      Wrong.perRecord("each: «{}»", "expected a map of members and their values, found an empty map"),
      Wrong.perRecord(
        "each: { id: «5» }",
        "expected a list, or a span, found 5 | write '[1, 2]', '{ from: 1, to: 2 }', or a list of the input record, such as 'input.items'"
      ),
      Wrong.perRecord("each: { id: ['«${input.a}»'] }", "'input' can't be read here"),
      Wrong.perRecord("each: { id: { «from»: 1 } }", "no 'to' in the span"),
      Wrong.perRecord("each: { id: { «to»: 1 } }", "no 'from' in the span"),
      Wrong.perRecord("each: { id: { from: 1, «ot»: 2 } }", "unknown key 'ot' | did you mean 'to'?"),
      Wrong.perRecord(
        "each: { id: { from: 1, to: 2, step: 2, «end»: until } }",
        "a span has no key 'end' | write 'window: 1d' for windows, and '${input.id.end}' for the end of each"),
      Wrong.perRecord("each: { id: { from: 1, «end»: 2 } }", "unknown key 'end' | did you mean 'to'?"),
      Wrong.perRecord("each: { id: { from: 1, to: 2, step: 1, «window»: 1 } }", "'window' beside 'step'"),
      Wrong(
        "endpoint: https://h/${input.a}/«${input.untli}»\neach: { a: { from: 1, to: 2 }, until: [1] }",
        "'each' makes no member 'untli' | did you mean 'until'?"),
      Wrong(
        "endpoint: https://h/«${input.a}»\neach: { a: { from: 1, to: 2, window: 1 } }",
        "'a' of 'each' is a window, and not one value | write '${input.a.start}', '${input.a.end}' or "
          + "'${input.a.next}'"),
      Wrong(
        "endpoint: https://h/«${input.a.until}»\neach: { a: { from: 1, to: 2, window: 1 } }",
        "a window has no member 'until' | its members are 'start', 'end' (the last unit before the next window) and 'next'"
      ),
      Wrong(
        "endpoint: https://h/«${input.a.start}»\neach: { a: { from: 1, to: 2 } }",
        "'a' of 'each' has points, which have no member 'start' | write 'window' in place of 'step' for windows"),
      Wrong.perRecord(
        "each: { id: { from: «0000-01-01», to: 2024-01-01 } }",
        "expected a date, a time or a whole number, found the text '0000-01-01'"),
      Wrong.perRecord(
        "each: { id: { from: «2024-02-30», to: 2024-03-01 } }",
        "expected a date, a time or a whole number, found the text '2024-02-30'"),
      Wrong.perRecord("each: { id: { from: 1, to: «2.5» } }", "expected a date, a time or a whole number, found 2.5"),
      Wrong.perRecord(
        "each: { id: { from: 1, to: «null» } }", "expected a date, a time or a whole number, found nothing"),
      Wrong.perRecord("each: { id: { from: 1, to: «2024-01-01» } }", "'from' is a whole number and 'to' is a date"),
      Wrong.perRecord("each: { id: { from: 1, to: «'${now}'» } }", "'from' is a whole number and 'to' is a time"),
      Wrong.perRecord(
        "each: { id: { from: 2024-01-01, to: '${now}', step: «1h» } }",
        "a step over dates is in days, weeks, months or years"),
      Wrong.perRecord("each: { id: { from: 1, to: 2, step: «0» } }", "expected a step, found 0"),
      Wrong.perRecord("each: { id: { from: 1, to: 2, step: «-1» } }", "expected a step, found -1"),
      Wrong.perRecord("each: { id: { from: 1, to: 2, step: «1d» } }", "a step over whole numbers has no unit"),
      Wrong.perRecord(
        "each: { id: { from: 2024-01-01, to: 2024-02-01, step: «1» } }", "a step over dates needs a unit | write '1d'"),
      Wrong.perRecord(
        "each: { id: { from: 2024-01-01, to: 2024-02-01, step: «12h» } }",
        "a step over dates is in days, weeks, months or years"),
      Wrong.perRecord(
        "each: { id: { from: 2024-01-01, to: 2024-02-01, step: «0d» } }", "expected a step, found the text '0d'"),
      Wrong.perRecord(
        "each: { id: { from: 2024-01-01, to: 2024-02-01, step: «1q» } }", "expected a step, found the text '1q'"),
      Wrong.perRecord(
        "each: { id: { from: 2024-01-01, to: 2024-02-01, step: «99999999999999999w» } }",
        "expected a step, found the text '99999999999999999w'"),
      Wrong.perRecord(
        "each: { id: { from: '2024-01-01T00:00:00Z', to: «'${now}'» } }", "a span of times needs a 'step'"),
      Wrong.perRecord(
        "each: { id: { from: '2024-01-01T00:00:00Z', to: '${now}', step: «5» } }", "a step over times needs a unit"),
    ])
  func each(wrong: Wrong) { wrong.check() }

  @Test(
    "incremental and since",
    arguments: [
      Wrong.job("incremental: «{}»", "'incremental' without 'mark'"),
      Wrong.job("incremental: { mark: «5.5» }", "expected a path, found 5.5"),
      Wrong.job("incremental: { mark: «/a~2» }", "'/a~2' is a JSON Pointer"),
      Wrong.job("incremental: { mark: a, start: «true» }", "expected text or a number, found true"),
      Wrong.job("incremental: { mark: a, start: '«${input.x}»' }", "'input' can't be read here"),
      Wrong.job("incremental: { mark: a, start: '«${since}»' }", "'since' can't be read here"),
      Wrong.job(
        "incremental: { mark: a, as: «dat» }",
        "expected one of 'seconds', 'milliseconds', 'rfc3339', 'date' or a pattern, found 'dat'"),
      Wrong.job("incremental: { mark: a, as: «'%d.%m.'» }", "'%d.%m.' says no year | add %Y, %y, %s or %Q"),
      Wrong.job("incremental: «{ mark: a, by: b }»", "'by' in a step that does not fetch for each input record"),
      Wrong.perRecord(
        "incremental: «{ mark: '${input.id}', only: new }»",
        "'only: new' beside a mark that is not a member of the records"),
      Wrong.job("incremental: «'${param.p}'»", "'mark' is one value of the input record, the clock or the last page"),
      Wrong.job("incremental: '«${last.id}»'", "'last' can't be read here"),
      Wrong.perRecord(
        "incremental: '«${body.next}»'",
        "a mark of the answer in a step with many answers | add 'by', which names what tells the input records apart: each "
          + "has a mark of its own"),
      Wrong.job("read: lines\nincremental: '«${body.next}»'", "'body' can't be read beside 'read'"),
      Wrong.job(
        "incremental: { mark: a, only: «since» }",
        "expected 'new' or 'all', found the text 'since'"),
      Wrong.job("incremental: { mark: a, only: «old» }", "expected 'new' or 'all', found the text 'old'"),
      Wrong.job("«pages»: { number: p, until: known }", "'until: known' without a 'mark' of the records"),
      Wrong.perRecord(
        "each: { id: { from: '«${since}»', to: 5 } }\nincremental: { mark: at, by: id, start: 1 }",
        "'since' in 'each' of a step with 'by'"),
      Wrong.job("incremental: { mark: a, «strat»: 1 }", "unknown key 'strat' | did you mean 'start'?"),
      Wrong.job("query: { q: '«${since}»' }", "'since' without 'incremental'"),
      Wrong.job("incremental: a\nquery: { q: '«${since.a»}' }", "'since' has no members"),
    ])
  func incremental(wrong: Wrong) { wrong.check() }

  @Test("A span's end on a day that its month does not have is a mistake", arguments: DateCase.all)
  func onlyDaysThereAre(date: DateCase) {
    let day = date.text.prefix(10)
    #expect(isSpec("{ from: \(day), to: \(day) }") == date.hasDay)
    #expect(isSpec("{ from: '\(date.text)', to: '\(date.text)', step: 1h }") == date.isTime)
  }

  private func isSpec(_ span: String) -> Bool {
    let text = "endpoint: https://h/${input.id}\neach: { id: \(span) }"
    return (try? Spec(reading: SourceText(name: "a.yaml", bytes: Array(text.utf8)))) != nil
  }

  /// A job with that `incremental`, and a span between `${since}` and something else.
  private static func span(_ incremental: String, _ span: String, _ message: String) -> Wrong {
    Wrong(
      "endpoint: https://h/${input.day}\nincremental: { mark: at, \(incremental) }\neach: { day: { \(span) } }",
      message)
  }

  @Test(
    "a span that can't run with 'start', or not again with a mark",
    arguments: [
      span(
        "start: 2024-01-01", "from: '«${since}»', to: 100",
        """
        with 'start: 2024-01-01', 'from' is a date and 'to' is a whole number | 'start', the marks and the other end are \
        all dates and times, or all whole numbers
        """),
      span(
        "start: 99", "from: 2024-01-01, to: '«${since}»'",
        "with 'start: 99', 'from' is a date and 'to' is a whole number"),
      span(
        "start: 2024-01-01", "from: '«${since}»', to: '${now}', step: 6h",
        "with 'start: 2024-01-01', a step over dates is in days, weeks, months or years | write '1d' or '1w', or times at both ends"
      ),
      span(
        "start: yesterday", "from: '«${since}»', to: '${today}'",
        """
        with 'start: yesterday', 'from' is 'yesterday', which is not a date, time or whole number | write '${since}' alone, \
        and 'start' as 2024-01-31, 2024-01-31T00:00:00Z or 1
        """),
      span(
        "start: 2024-01-01 }\ndecode: { dates: { at: rfc3339 }", "from: '«${since}»T00:00:00Z', to: '${now}', step: 1h",
        """
        with a mark such as 2024-01-31T00:00:00Z, 'from' is '2024-01-31T00:00:00ZT00:00:00Z', which is not a date, time or \
        whole number
        """),
      span(
        "start: 2024-01-01 }\ndecode: { dates: { at: seconds }", "from: '«${since}»', to: '${today}'",
        "with a mark such as 1, 'from' is a whole number and 'to' is a date"),
      span(
        "start: 2024-01-01 }\nmodel: { at: integer", "from: '«${since}»', to: '${today}'",
        "with a mark such as 1, 'from' is a whole number and 'to' is a date"),
      span(
        "start: 2024-01-01, as: '%d/%m/%Y'", "from: '«${since}»', to: '${today}'",
        "with a mark such as 31/01/2024, 'from' is '31/01/2024', which is not a date, time or whole number"),
      span(
        "start: 1 }\nmodel: { at: date", "from: '«${since}»', to: '${epoch}', step: 60",
        "with a mark such as 2024-01-31, 'from' is a date and 'to' is a whole number"),
      Wrong(
        "params: { n: 100 }\nendpoint: https://h/${input.day}\nincremental: { mark: at, start: 2024-01-01 }\n"
          + "each: { day: { from: '«${since}»', to: '${param.n}' } }",
        "with 'start: 2024-01-01', 'from' is a date and 'to' is a whole number"),
      Wrong(
        "params: { to: '2024-02-01T00:00:00Z' }\nendpoint: https://h/${input.day}\n"
          + "incremental: { mark: at, start: 2024-01-01 }\neach: { day: { from: '«${since}»', to: '${param.to}' } }",
        "with a mark such as 2024-01-31T00:00:00Z, a span of times needs a 'step' | add 'step: 1d'"),
    ])
  func twice(wrong: Wrong) { wrong.check() }

  @Test(
    "what can run again is no mistake",
    arguments: [
      "start: 2024-01-01 }\neach: { day: { from: '${since}', to: '${today}' }",
      "start: 2024-01-01 }\neach: { day: { from: '${since}', to: '${now}', step: 1d }",
      "start: '2024-01-01T00:00:00Z' }\neach: { day: { from: '${since}', to: '${today}', step: 7d }",
      "start: '2024-01-01T00:00:00Z' }\neach: { day: { from: '${since}', to: '${now}', step: 1h }",
      "start: 2024-01-01 }\neach: { day: { from: '${since}', to: '${param.to}' }",
      "start: 2024-01-01 }\neach: { day: { from: '${since}T00:00:00Z', to: '${now}', step: 1h }",
      "start: 1 }\neach: { day: { from: '${since}', to: 100, step: 10 }",
      "start: '1' }\neach: { day: { from: '${since}', to: '${epoch}', step: 10 }",
    ])
  func runsAgain(_ rest: String) throws {
    let text = "params: { to: 2024-02-01 }\nendpoint: https://h/${input.day}\nincremental: { mark: at, \(rest) }"
    #expect(try job(text).incremental != nil)
  }
}
