// One spec key is one entry: the decoder, did-you-mean and the reference come from these tables.

import YAMLText

internal import Diagnostics

/// All keys of the language, table by table, in the order of the reference.
package enum SpecKeys {
  /// Keys of a file; beside them are one job's keys, or `steps` with those of `job` that may be defaults.
  package static let file: [KeyEntry] = fileKeys.map(\.entry)
  package static let job: [KeyEntry] = jobKeys.map(\.entry)
  package static let pages: [KeyEntry] = pagesKeys.map(\.entry)
  package static let link: [KeyEntry] = linkKeys.map(\.entry)
  package static let then: [KeyEntry] = thenKeys.map(\.entry)
  package static let span: [KeyEntry] = spanKeys.map(\.entry)
  package static let decode: [KeyEntry] = decodeKeys.map(\.entry)
  package static let condition: [KeyEntry] = conditionKeys.map(\.entry)
  package static let incremental: [KeyEntry] = incrementalKeys.map(\.entry)
  package static let attach: [KeyEntry] = attachKeys.map(\.entry)
  package static let poll: [KeyEntry] = pollKeys.map(\.entry)
  package static let csv: [KeyEntry] = csvKeys.map(\.entry)
  package static let download: [KeyEntry] = downloadKeys.map(\.entry)
  package static let retry: [KeyEntry] = retryKeys.map(\.entry)
  package static let auth: [KeyEntry] = authKeys.map(\.entry)
  package static let basic: [KeyEntry] = basicKeys.map(\.entry)
  package static let oauth2: [KeyEntry] = oauth2Keys.map(\.entry)
  package static let jwt: [KeyEntry] = jwtKeys.map(\.entry)
  package static let login: [KeyEntry] = loginKeys.map(\.entry)
  package static let use: [KeyEntry] = useKeys.map(\.entry)
  package static let aws: [KeyEntry] = awsKeys.map(\.entry)
  package static let tls: [KeyEntry] = tlsKeys.map(\.entry)

  static let jobKeys: [Key<JobDraft>] = requestKeys + contentKeys + joiningKeys + fetchingKeys
  static let defaultKeys: [Key<JobDraft>] = jobKeys.filter(\.entry.isDefault)
}

internal import Diagnostics

/// Key with the function that reads its value into a target.
struct Key<Target>: Sendable {
  let entry: KeyEntry
  let read: @Sendable (Node, inout Target, inout NodeDecoder) -> Void

  init(
    _ name: String, _ value: String, standard: String = "", _ summary: String,
    besideSteps: KeyEntry.BesideSteps = .content,
    isRequired: Bool = false, mayChange: Bool = false,
    read: @escaping @Sendable (Node, inout Target, inout NodeDecoder) -> Void
  ) {
    entry = KeyEntry(
      name: name, value: value, standard: standard, summary: summary, besideSteps: besideSteps, isRequired: isRequired,
      mayChange: mayChange)
    self.read = read
  }
}

internal import Diagnostics

/// Description of a key for people.
package struct KeyEntry: Hashable, Sendable {
  package let name: String
  /// Accepted values, in words that also end the sentence "expected …".
  package let value: String
  /// Value that applies if the key is not given; empty for none.
  package let standard: String
  /// One line of help.
  package let summary: String
  let besideSteps: BesideSteps
  package let isRequired: Bool
  /// True if no record depends on the value, so that a resumed run may have another value.
  package let mayChange: Bool

  /// Effect of a job's key that is written beside `steps`.
  package enum BesideSteps: Sendable, Hashable {
    /// The key can't stand there.
    case nothing
    /// Every step begins with its value.
    case setting
    /// Each step that the key fits has it, as if written there.
    case content
  }

  /// True if the key may also be beside `steps`, as a default for every step.
  package var isDefault: Bool { besideSteps != .nothing }
}
