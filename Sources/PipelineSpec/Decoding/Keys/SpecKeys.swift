// One spec key is one entry: the decoder, did-you-mean and the reference come from these tables.

internal import Diagnostics

/// All keys of the language, table by table, in the order of the reference.
package enum SpecKeys {
  /// Keys of a file; beside them are one job's keys, or `steps` with those of `job` that may be defaults.
  package static let file: [KeyEntry] = fileKeys.map(\.entry)
  package static let job: [KeyEntry] = jobKeys.map(\.entry)
  package static let pages: [KeyEntry] = pagesKeys.map(\.entry)
  package static let then: [KeyEntry] = thenKeys.map(\.entry)
  package static let until: [KeyEntry] = untilKeys.map(\.entry)
  package static let span: [KeyEntry] = spanKeys.map(\.entry)
  package static let decode: [KeyEntry] = decodeKeys.map(\.entry)
  package static let condition: [KeyEntry] = conditionKeys.map(\.entry)
  package static let empty: [KeyEntry] = emptyKeys.map(\.entry)
  package static let incremental: [KeyEntry] = incrementalKeys.map(\.entry)
  package static let attach: [KeyEntry] = attachKeys.map(\.entry)
  package static let poll: [KeyEntry] = pollKeys.map(\.entry)
  package static let csv: [KeyEntry] = csvKeys.map(\.entry)
  package static let download: [KeyEntry] = downloadKeys.map(\.entry)
  package static let retry: [KeyEntry] = retryKeys.map(\.entry)
  package static let auth: [KeyEntry] = authKeys.map(\.entry)
  package static let basic: [KeyEntry] = basicKeys.map(\.entry)
  package static let oauth2: [KeyEntry] = oauth2Keys.map(\.entry)
  package static let login: [KeyEntry] = loginKeys.map(\.entry)
  package static let use: [KeyEntry] = useKeys.map(\.entry)
  package static let aws: [KeyEntry] = awsKeys.map(\.entry)
  package static let tls: [KeyEntry] = tlsKeys.map(\.entry)

  static let jobKeys: [Key<JobDraft>] = requestKeys + contentKeys + joiningKeys + fetchingKeys
  static let defaultKeys: [Key<JobDraft>] = jobKeys.filter(\.entry.isDefault)
}
