// What is wrong with a spec, said where it stands.

import PipelineSpec
import Testing

@Suite("Mistakes in specs") struct SpecMistakeTests {
  @Test("Every mistake of a file is reported at once, in the order of places")
  func everyMistake() {
    Wrong(
      """
      base: «ftp://h/»
      concurrency: «0»
      steps:
        - endpoint: list.php
          query: { c: "${«recrod».a}" }
          timeout: «30»
        - endpoint: "filter.php?c=${input.c}"
          «pagse»: { number: page }
          onError: «ignore»
      """,
      "'ftp:' is neither http nor https", "expected a whole number from 1 to 256, found 0",
      "unknown template root 'recrod' | did you mean 'record'?", "expected a duration, found 30 | write '30s'",
      "unknown key 'pagse' | did you mean 'pages'?", "expected one of 'stop', 'skip', 'empty', found 'ignore'"
    ).check()
  }

  @Test(
    "Keys that don't belong where they stand",
    arguments: [
      Wrong("endpoint: https://h/\n«endpiont»: x", "unknown key 'endpiont' | did you mean 'endpoint'?"),
      Wrong("«endpiont»: https://h/", "unknown key 'endpiont' | did you mean 'endpoint'?"),
      Wrong("«step»:\n  - endpoint: https://h/", "unknown key 'step' | did you mean 'steps'?"),
      Wrong("endpoint: https://h/\n«zzz»: x", "unknown key 'zzz' | 'pagecat schema' prints all keys"),
      Wrong("endpoint: https://h/\n«\"\"»: x", "unknown key ''"),
      Wrong("\"\\u0065ndpoint\": https://h/\n«\"a\\u001bb\"»: x", "unknown key 'a\\u{1b}b'"),
      Wrong(
        "«endpoint»: x\nsteps:\n  - endpoint: https://h/", "'endpoint' can't stand beside 'steps' | move it into a step"
      ),
      Wrong("«attach»: x\nsteps:\n  - endpoint: https://h/", "'attach' can't stand beside 'steps'"),
      // A default that no step takes is checked, and one that all take is told once.
      Wrong(
        "read: «cvs»\nsteps:\n  - {endpoint: https://h/, read: lines}",
        "expected 'json', 'lines', 'sequence', 'csv' or {csv: {…}}, found 'cvs'"),
      Wrong(
        "pages: { «nmber»: p }\nsteps:\n  - endpoint: https://h/\n  - endpoint: https://h/${input}",
        "unknown key 'nmber' | did you mean 'number'?"),
      Wrong("«parms»: {}\nsteps:\n  - endpoint: https://h/", "unknown key 'parms' | did you mean 'params'?"),
      Wrong("«timout»: 1s\nsteps:\n  - endpoint: https://h/", "unknown key 'timout' | did you mean 'timeout'?"),
      Wrong(
        "steps:\n  - endpoint: https://h/\n    «params»: {}",
        "'params' can't stand in a step | move it to the top of the file"),
      Wrong("steps:\n  - endpoint: https://h/\n    «$schema»: a", "'$schema' can't stand in a step"),
      Wrong("«description»: a", "no 'endpoint' | add 'endpoint: ' with the URL to fetch"),
      Wrong("«query»: {}", "no 'endpoint'"),
      Wrong("steps:\n  - «method»: GET", "no 'endpoint'"),
    ])
  func keys(wrong: Wrong) { wrong.check() }

  @Test(
    "Keys of later versions do not exist yet",
    arguments: [
      "primaryKey"
    ])
  func laterKeys(key: String) {
    Wrong.job("«\(key)»: x", "unknown key '\(key)'").check()
  }

  @Test(
    "Documents that are no spec",
    arguments: [
      Wrong("«- endpoint: https://h/»", "expected a map, found a list"),
      Wrong(
        "«https://h/»",
        "expected a map, found the text 'https://h/' | a spec is a map of keys; the smallest is 'endpoint: ' with a URL"
      ),
      Wrong("«{}»", "no 'endpoint'"),
      Wrong("# nothing\n«»", "an empty spec | a spec is a map of keys; the smallest is 'endpoint: ' with a URL"),
      Wrong("«null»", "an empty spec"),
      Wrong("steps: «[]»", "no step in 'steps'"),
      Wrong("steps: «{ endpoint: x }»", "expected a list of steps, found a map"),
      Wrong(
        "steps:\n  - «text»\n  - «[]»", "expected a map, found the text 'text'", "expected a map, found an empty list"),
      Wrong("endpoint: https://h/\ndescription: «[a]»", "expected text, found a list"),
    ])
  func documents(wrong: Wrong) { wrong.check() }

  @Test(
    "Parameters",
    arguments: [
      Wrong("endpoint: https://h/\nparams: «[a]»", "expected a map of names and their defaults, found a list"),
      Wrong("endpoint: https://h/\nparams: { «a b»: 1 }", "a parameter's name is made of letters, digits, '_' and '-'"),
      Wrong("endpoint: https://h/\nparams: { «''»: 1 }", "a parameter's name is made of letters, digits, '_' and '-'"),
      Wrong(
        "endpoint: https://h/\nparams: { a: «{ b: 1 }» }",
        "expected text, a number, a boolean, a list of these, or null, found a map"),
      Wrong(
        "endpoint: https://h/\nparams: { a: [«[1]», 1, «null»] }", "expected text, a number or a boolean, found a list",
        "expected text, a number or a boolean, found nothing"),
      Wrong("endpoint: https://h/\nparams: { a: '«${since}»' }", "'since' can't be read here"),
    ])
  func parameters(wrong: Wrong) { wrong.check() }

  @Test(
    "Names and methods",
    arguments: [
      Wrong.job("name: «5»", "expected a name, found 5 | quote it: \"5\""),
      Wrong.job("name: «''»", "expected a name, found an empty one"),
      Wrong.job("name: «\"a\\nb\"»", "control characters in a name"),
      Wrong.job("name: «'${param.p}'»", "no template can stand here"),
      Wrong(
        "steps:\n- name: a\n  endpoint: https://h/\n- name: «a»\n  endpoint: https://h/${input.x}",
        "two steps with the name 'a'"),
      Wrong.job("method: «get»", "methods are upper case | write 'GET'"),
      Wrong.job("method: «GET X»", "'GET X' is not a method"),
      Wrong.job("method: «[GET]»", "expected a method such as GET or POST, found a list"),
    ])
  func names(wrong: Wrong) { wrong.check() }

  @Test(
    "A base is an absolute URL ending in '/'",
    arguments: [
      ("«https://h»", "'base' does not end in '/' | add a '/' to it"),
      ("«https://h/v1»", "'base' does not end in '/'"),
      ("«https://h/v1/?a=/»", "a query in 'base' | end 'base' with '/', and put the rest into 'endpoint'"),
      ("«https://h/#/»", "a fragment in 'base'"),
      ("«h.com/»", "'base' is not absolute | begin it with 'https://'"),
      ("«h.com:80/»", "'h.com:' is neither http nor https | begin it with 'https://'"),
      ("«//h/»", "'base' is not absolute"),
      ("«''»", "'base' is not absolute"),
      ("«https:/h/»", "no '//' after the scheme"),
      ("«https:///h/»", "no host in the URL"),
      ("«https://a:b@h/»", "a user in a URL"),
      ("«https://h:99999/»", "a port is a number from 1 to 65535"),
      ("«https://h:x/»", "a port is a number from 1 to 65535"),
      ("«https://bücher.de/»", "a host is made of ASCII letters, digits, '-' and '.'"),
      ("\"«${now}»/\"", "a template can't supply scheme and host"),
      (
        "«\"${param.p}://h/\"»",
        "no '/' after the value that supplies scheme and host | write '${param.p}/', then the path"
      ),
      ("«\"${env.URL}\"»", "no '/' after the value that supplies scheme and host"),
      ("«\"${env.URL}${param.p}/\"»", "no '/' after the value that supplies scheme and host"),
      ("«\"${env.URL}/api\"»", "'base' does not end in '/'"), ("«\"${param.p}/api/?a=/\"»", "a query in 'base'"),
      ("\"https://«${env.HOST}»/\"", "only a parameter can stand in a host | read it as '${param.name}'"),
      ("«\"https://${param.p}.h/${param.p}\"»", "'base' does not end in '/'"),
      ("\"https://h/«${input.a}»/\"", "'input' can't be read here"),
      ("«5»", "expected an absolute URL ending in '/', found 5"),
    ])
  func bases(marked: String, message: String) {
    Wrong("params: { p: a }\nbase: \(marked)\nendpoint: x", message).check()
  }

  @Test(
    "An endpoint without a base is absolute",
    arguments: [
      (
        "«list.php»",
        "'endpoint' is relative and there is no 'base' | begin it with 'https://', or give the step a 'base'"
      ),
      ("«''»", "'endpoint' is relative and there is no 'base'"),
      ("«/x»", "'endpoint' is relative and there is no 'base'"),
      ("«//h/x»", "'endpoint' is relative and there is no 'base'"),
      ("«localhost:8080/x»", "'localhost:' is neither http nor https | begin it with 'http://'"),
      ("«\"file:///etc/passwd\"»", "'file:' is neither http nor https"),
      ("«\"${param.p}\"»", "a template can't supply scheme and host"),
      ("\"«${input.url}»?a=b\"", "a template can't supply scheme and host"),
      ("\"«${input.s}»://h/\"", "a template can't supply the scheme"),
      ("\"https://«${input.h}»/\"", "only a parameter can stand in a host"),
      ("\"https://h.«${input.h}»\"", "only a parameter can stand in a host"),
      (
        "«\"${input.url}\"»",
        "an endpoint from a record needs an origin | give 'base', or list the hosts it may lead to in 'hosts'"
      ),
      ("«null»", "expected a URL, found nothing"),
    ])
  func endpoints(marked: String, message: String) {
    let text = marked == "«\"${param.p}\"»" ? "\"«${param.p}»\"" : marked
    Wrong("params: { p: a }\nendpoint: \(text)", message).check()
  }

  @Test(
    "An endpoint with a base stays at its origin",
    arguments: [
      ("«documents:runQuery»", "'documents:' is neither http nor https | write './' before it if it is a path"),
      ("\"«${input.id}»:archive\"", "a template can't supply the scheme | write './' before it if it is a path"),
      ("\"//«${input.h}»/x\"", "only a parameter can stand in a host"),
    ])
  func endpointsWithBase(marked: String, message: String) {
    Wrong("base: https://h/\nendpoint: \(marked)", message).check()
  }

  @Test(
    "Query and headers",
    arguments: [
      Wrong.job("query: «[a]»", "expected a map of query items, found a list"),
      Wrong.job("query: { a: «{ b: 1 }» }", "expected a value or a list of values, found a map"),
      Wrong.job("query: { a: [«[1]»] }", "a list in a list"),
      Wrong.job("query: { «'${param.p}'»: 1 }", "a template in a name"),
      Wrong.job("headers: { «'a b'»: 1 }", "'a b' is not a header name"),
      Wrong.job("headers: { «''»: 1 }", "'' is not a header name"),
      Wrong.job("headers: { «HOST»: x }", "header 'HOST' can't be set"),
      Wrong.job("headers: { «Content-Length»: 5 }", "header 'Content-Length' can't be set"),
      Wrong.job("headers: { «transfer-encoding»: 5 }", "header 'transfer-encoding' can't be set"),
      Wrong.job("headers: { «Connection»: null }", "header 'Connection' can't be set"),
      Wrong.job("headers: { A: 1, «a»: 2 }", "header 'a' is given twice"),
      Wrong.job("headers: { A: «\"x\\r\\nB: y\"» }", "a line end or NUL in a header"),
      Wrong.job("headers: { A: «\"x\\0\"» }", "a line end or NUL in a header"),
      Wrong.job("headers: { A: «\"${env.A:-\\n}\"» }", "a line end or NUL in a header"),
      Wrong.job("headers: { A: «[x]» }", "expected a header's value, found a list"),
    ])
  func queryAndHeaders(wrong: Wrong) { wrong.check() }

  @Test(
    "Limits",
    arguments: [
      Wrong.job("timeout: «30»", "expected a duration, found 30 | write '30s'"),
      Wrong.job(
        "timeout: «0s»", "expected a duration, found the text '0s' | write '30s', '500ms', '2m' or '1h', at most '24h'"),
      Wrong.job("timeout: «25h»", "expected a duration, found the text '25h'"),
      Wrong.job("timeout: «99999999999999999999h»", "expected a duration, found the text '99999999999999999999h'"),
      Wrong.job("timeout: «9223372036854775807h»", "expected a duration, found the text '9223372036854775807h'"),
      Wrong.job("timeout: «30 s»", "expected a duration, found the text '30 s'"),
      Wrong.job("timeout: «-5s»", "expected a duration, found the text '-5s'"),
      Wrong.job("bodyLimit: «4gb»", "expected a size, found the text '4gb' | write '4GB', '512MB', '64KiB' or '100B'"),
      Wrong.job("bodyLimit: «0»", "expected a size, found 0"),
      Wrong.job("bodyLimit: «1.5»", "expected a size, found 1.5"),
      Wrong.job("bodyLimit: «9223372036854775807KB»", "expected a size, found the text '9223372036854775807KB'"),
      Wrong.job("concurrency: «257»", "expected a whole number from 1 to 256, found 257 | write 256"),
      Wrong.job(
        "concurrency: «'4'»", "expected a whole number from 1 to 256, found the text '4' | write 4, without quotes"),
      Wrong.job(
        "concurrency: «99999999999999999999»", "expected a whole number from 1 to 256, found 99999999999999999999"),
      Wrong.job("hosts: «{}»", "expected a host, found an empty map | write 'files.example.com'"),
      Wrong.job("hosts: [«'*.a.com'»]", "a wildcard in 'hosts'"),
      Wrong.job("hosts: [«a.com/x»]", "a path in 'hosts'"),
      Wrong.job(
        "hosts: [«'a.com:8080'»]", "a port without a scheme | write 'https://a.com:8080' or 'http://a.com:8080'"),
      Wrong.job("hosts: [«'ftp://a.com'»]", "only http and https are fetched"),
      Wrong.job("hosts: [«'https://'»]", "no host in the URL"),
      Wrong.job("hosts: [«5»]", "expected a host, found 5"),
      Wrong.job("hosts: [«'${param.p}'»]", "no template can stand here"),
    ])
  func limits(wrong: Wrong) { wrong.check() }

  @Test(
    "Content and models",
    arguments: [
      Wrong.job("contentIdentifier: «/a~b»", "'/a~b' is a JSON Pointer"),
      Wrong.job(
        "contentIdentifier: «'/a/${param.p}~'»",
        "'/a/${param.p}~' is a JSON Pointer | write 'a[\"${param.p}~\"]'"),
      Wrong.job(
        "«key»: name\ncontentIdentifier: '[\"*\"]'",
        "'key' without a '*' in 'contentIdentifier' | 'key' takes the names of a map's members: write a path with '*' over the map, such as 'rates.*', "
          + "or a list of paths"
      ),
      Wrong.job("«key»: name", "'key' without a '*' in 'contentIdentifier'"),
      Wrong.job("contentIdentifier: rates.*\nkey: «value»", "'key: value'"),
      Wrong.job(
        "empty: «missing»",
        "'missing' without 'contentIdentifier' | leave it out: without 'contentIdentifier', the body itself is the content, and always there"
      ),
      Wrong.job(
        "failure: «errors»",
        "a path at an answer begins with its root | write 'body.errors'"),
      Wrong.job(
        "failure: «'${body.error}'»",
        "a condition takes a path, not a template | write 'body.error'"),
      Wrong.job(
        "contentIdentifier: «0.5»",
        "expected a path, found 0.5 | write '[\"0.5\"]', with single quotes around it, for a member of that name"),
      Wrong.job("model: { a: «strng» }", "unknown type 'strng' | did you mean 'string'?"),
      Wrong.job("model: { a: «int» }", "unknown type 'int' | did you mean 'integer'?"),
      Wrong.job("model: { a: «Float» }", "unknown type 'Float' | did you mean 'number'?"),
      Wrong.job(
        "model: { a: «string?» }", "'?' belongs to the member's name | write 'a?: string'"),
      Wrong.job(
        "model: { a: [«zzzz»] }",
        "unknown type 'zzzz' | types are string, integer, number, boolean, date, url, any, [T] and maps"),
      Wrong.job("model: { a: «[string, integer]» }", "a list in a model has one type"),
      Wrong.job("model: { a: «[]» }", "a list in a model has one type"),
      Wrong.job("model: { a: «5» }", "expected a type, found 5"),
      Wrong.job("model: { a: string, «a?»: string }", "member 'a' is given twice"),
      Wrong.job("model: { a: { b: «x» } }", "unknown type 'x'"),
      Wrong.job("model: «string»", "expected a map of members and their types, found the text 'string'"),
      Wrong.job(
        "decode: { keys: «snakecase» }",
        "expected one of 'camelCase', 'snake_case', found 'snakecase' | did you mean 'snake_case'?"),
      Wrong.job("decode: { «key»: camelCase }", "unknown key 'key' | did you mean 'keys'?"),
      Wrong.job(
        "decode: { dates: «seconds» }", "expected a map such as {last_updated: seconds}, found the text 'seconds'"),
      Wrong.job(
        "decode: { dates: { a: «second» } }",
        "expected one of 'seconds', 'milliseconds', 'rfc3339', 'date' or a pattern, found 'second'"),
    ])
  func content(wrong: Wrong) { wrong.check() }

  @Test(
    "Pages",
    arguments: [
      Wrong.job(
        "pages: { «start»: 2 }",
        "'pages' has no key 'start' | give the item its first value in the request, such as 'query: { page: 2 }'"),
      Wrong.job(
        "pages: { «limit»: 5 }", "'pages' has no key 'limit' | write 'maxPages: 5' in the step, beside 'pages'"),
      Wrong.job(
        "pages: { «limit»: 1 }",
        "'pages' has no key 'limit' | write 'maxPages: 1' in the step; where one page is all there is, 'pages: one'"),
      Wrong.job("pages: { «until»: short }", "'pages' does not say how to get the next page"),
      Wrong.job(
        "pages: { number: p, «maxPages»: 5 }", "'maxPages' stands in the step | write 'maxPages: 5' beside 'pages'"),
      Wrong.job("«maxPages»: 5", "'maxPages' without 'pages' | add 'pages', which says how to get the next page"),
      Wrong.job("pages: one\n«maxPages»: 5", "'maxPages' beside 'pages: one' | leave one of them out"),
      Wrong.job("pages: «{}»", "'pages' does not say how to get the next page"),
      Wrong.job("pages: «number»", "expected 'auto', 'link', 'one' or a map, found the text 'number'"),
      Wrong.job("pages: { «nubmer»: page }", "unknown key 'nubmer' | did you mean 'number'?"),
      Wrong.job(
        "pages: { number: «''» }", "expected the name of a query item, or a map of one item, found an empty one"),
      Wrong.job("pages: { number: «'${param.p}'» }", "no template can stand here"),
      Wrong.job("pages: { number: p }\nmaxPages: «0»", "expected a whole number from 1, found 0"),
      Wrong.job("pages: { number: p }\nmaxPages: '«${input.a}»'", "'input' can't be read here"),
      Wrong.job("pages: { number: p, totalPages: «5» }", "expected a path, found 5"),
      Wrong.job(
        "pages: { number: p, totalPages: «'${body.pages}'» }",
        "'${body.pages}' alone is a path | write 'body.pages': '${…}' is for a value inside a text"),
      Wrong.job(
        "pages: { number: p, more: «'${body.more}'» }", "a condition takes a path, not a template | write 'body.more'"),
      Wrong.job(
        "pages: { number: p, until: «yes» }",
        "expected 'short', 'known', 'repeated' or a condition, found 'yes' | write 'body.yes' for a member of the answer"
      ),
      Wrong.job("pages: { number: p, until: «{ below: 1 }» }", "'until' has no 'below'"),
      Wrong.job(
        "pages: { number: p, until: «{ status: 404 }» }",
        "a status says that an answer has no records | write 'empty: 404' in the step, beside 'pages'"),
      Wrong.job(
        "pages: { number: p, until: { «belwo»: 1 } }", "a path at an answer begins with its root | write 'body.belwo'"),
      Wrong.job("pages: { number: p, «repeats»: true }", "unknown key 'repeats'"),
      Wrong.job("pages: { number: «{ body: page }» }", "'page' points into a body, and there is none"),
      Wrong.job("pages: { number: «{ body: a.page }» }\nbody: { b: 1 }", "'a.page' leads nowhere in 'body'"),
      Wrong.job("pages: { number: «{ body: a.page }» }\nbody: { a: 1 }", "'a.page' leads nowhere in 'body'"),
      Wrong.job("pages: { number: «{ body: a.1 }» }\nbody: { a: [0] }", "'a.1' leads nowhere in 'body'"),
      Wrong.job("pages: { number: «{ body: page }» }\nbody: 'a ${param.p}'", "'page' leads nowhere in 'body'"),
      Wrong.job("pages: { number: «/a~b» }", "'/a~b' is a JSON Pointer"),
    ])
  func pages(wrong: Wrong) { wrong.check() }
}
