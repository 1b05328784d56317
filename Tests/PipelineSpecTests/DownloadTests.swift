import PipelineSpec
import Testing

/// A job that saves files, with those lines behind it.
private func saving(_ lines: String, _ messages: String...) -> Wrong {
  Wrong("base: https://h/\ndownload: { url: \"${input.u}\", to: x/ }\n" + lines, messages: messages)
}

private func download(_ map: String, _ messages: String...) -> Wrong {
  Wrong("hosts: [f.example.com]\ndownload: \(map)", messages: messages)
}

@Suite struct DownloadTests {
  @Test("A download's URL is the job's endpoint, and its templates read records")
  func reads() throws {
    let job = try job(
      "base: https://h/\ndownload: { url: \"a/${input.u}\", to: \"p/${input.n}.jpg\" }\nset: { x: 1 }")
    #expect(job.endpoint?.written == "a/${input.u}" && job.download?.path.written == "p/${input.n}.jpg")
    #expect(job.readsRecords && job.templates.count == 3)
  }

  @Test(
    "A path may also read records where the URL does not, and end with '/'", arguments: ["${input.n}/", "./", "a/./b"])
  func paths(path: String) throws {
    let job = try job("download: { url: \"https://h/${input.n}\", to: \"\(path)\" }")
    #expect(job.download?.path.written == path)
  }

  @Test(
    "What says what a page is can't stand beside it",
    arguments: [
      saving(
        "«method»: GET",
        "'method' beside 'download' | what it saves is a file, whatever is in it; fetch records in a step of their own"),
      saving("«body»: 1", "'body' beside 'download'"), saving("«model»: { a: any }", "'model' beside 'download'"),
      saving("«pages»: one", "'pages' beside 'download'"), saving("«attach»: a", "'attach' beside 'download'"),
      saving("«decode»: { keys: camelCase }", "'decode' beside 'download'"),
      saving("«contentIdentifier»: a", "'contentIdentifier' beside 'download'"),
      saving(
        "«contentIdentifier»: a\nempty: «missing»", "'contentIdentifier' beside 'download'",
        "'empty' of a download reads more than the head of the answer"
      ),
      saving("«failure»: body.x", "'failure' beside 'download'"),
      saving("«endpoint»: x", "'endpoint' beside 'download' | a file's URL is 'url' in 'download'"),
      saving("onError: «empty»", "'onError: empty' without 'attach'"),
    ])
  func mixes(wrong: Wrong) { wrong.check() }

  @Test(
    "URL and path",
    arguments: [
      download("«{ url: \"${input.u}\" }»", "no 'to' in 'download' | write '{ url: \"${input.url}\", to: photos/ }'"),
      download("«{ to: x }»", "no 'url' in 'download'"),
      download("{ url: \"${input.u}\", to: x, «form»: y }", "'form' stands in the step"),
      download("{ url: \"${input.u}\", to: «''» }", "an empty path"),
      download(
        "{ url: \"${input.u}\", to: «/etc/x» }",
        "an absolute path in 'to' | leave the first '/' out: files are saved below the folder of '--dir'"),
      download(
        "{ url: \"${input.u}\", to: «a/../b» }",
        "'..' in 'to' | leave it out: files are saved below the folder of '--dir'"),
      download("{ url: \"${input.u}\", to: «..» }", "'..' in 'to'"),
      download("{ url: \"${input.u}\", to: «a/.» }", "'to' ends with '.'"),
      download("{ url: \"${input.u}\", to: «a//b» }", "two '/' in a row"),
      download("{ url: \"${input.u}\", to: «'a\\b'» }", "a '\\' or a control character in a path"),
      download("{ url: \"${input.u}\", to: «\"a\\nb\"» }", "a '\\' or a control character in a path"),
      download(
        "{ url: \"${input.u}\", to: «\(String(repeating: "x", count: 256))» }", "a name of more than 255 bytes"),
      download("{ url: \"${input.u}\", to: \"«${body.x}»\" }", "'body' can't be read here"),
      download("{ url: «\"files/${input.u}\"», to: x }", "'url' is relative and there is no 'base'"),
      Wrong(
        "download: { url: «\"${input.u}\"», to: x }",
        "a URL from a record needs an origin | give 'base', or list the hosts it may lead to in 'hosts'"),
      Wrong("«download»: { url: https://h/x, to: x }", "'download' in a step that reads no records"),
    ])
  func values(wrong: Wrong) { wrong.check() }
}
