import YAMLText

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
