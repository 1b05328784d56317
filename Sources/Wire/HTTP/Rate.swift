/// The highest rate of requests to an origin (`5/s`), as the time between two requests.
package struct Rate: Sendable, Hashable {
  package let interval: Duration

  package init(interval: Duration) {
    self.interval = interval
  }
}
