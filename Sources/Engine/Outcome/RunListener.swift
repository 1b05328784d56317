/// Receives the events of a run, on any thread.
package struct RunListener: Sendable {
  /// The kinds of events that are made.
  let kinds: [RunEvent.Kind]
  let hear: @Sendable (RunEvent) -> Void

  package init(to kinds: [RunEvent.Kind], hear: @escaping @Sendable (RunEvent) -> Void) {
    self.kinds = kinds
    self.hear = hear
  }
}
