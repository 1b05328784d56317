// `pagecat URL`: a spec that fetches all of what a URL shows, from one request.

package import Fetching
import Diagnostics
import Engine
import JSONText
import Wire

extension SpecDrafter {
  /// A spec, and what its first run needs.
  package struct Whole: Sendable {
    package let text: String
    /// Variables that stand for secrets in the spec, with their values.
    package let variables: [(name: String, value: String)]
    /// Answers the requests that were made by the replies that have come, once, and all others by the network.
    package let transport: any HTTPTransport
  }

  /// Makes the request, and writes the spec, with `pages: auto`.
  ///
  /// - Throws: `NetworkingError` if the answer has several lists of objects, since the records are one of them.
  package func whole() async throws -> Whole {
    var draft = start
    let (reply, first) = try await lookedAt(&draft)
    try describe(reply, &draft, error: error(of: first))
    try checkContent(of: reply, &draft)
    draft.comments = [:]
    draft.isAuto = true
    let text = draft.file
    _ = try Self.spec(text)
    return Whole(text: text, variables: variables, transport: replies.firstOnes)
  }

  /// Takes the only list of objects for the content; without one, the answer is one record.
  private func checkContent(of reply: KeptReplies.Kept, _ draft: inout SpecDraft) throws(NetworkingError) {
    guard draft.read == nil, let body = try? JSONValue(parsing: reply.bytes), body.kind != .array,
      draft.content?.columns == nil, draft.content?.nameMember == nil
    else { return }
    var names = WritableNames(without: secrets)
    let candidates = Self.candidates(in: names.keep(body), of: draft).filter { !$0.isOther }
    let lists = candidates.filter { $0.hasObjects && $0.count > 0 }
    guard lists.count < 2 else {
      let all = lists.prefix(5).map { "\($0.text)" }.joined(separator: ", ")
      throw .decodingError(
        source: secrets.redacting(reply.head.url.redacted).printable, page: 1, record: 1, keyPath: "",
        expected: "one list of records",
        found:
          "\(lists.count), which are \(secrets.redacting(all).printable); 'pagecat new URL' writes a spec in which you choose"
      )
    }
    if let list = lists.first {
      draft.content = list
    } else if let content = draft.content, candidates.contains(content), content.count > 0, content.width == 0 {
      // A list of values is a member of the record.
      draft.content = nil
    }
  }
}
