/// `5/s`: how close to each other requests to an origin may be.
package struct Rate: Sendable, Hashable {
  package let interval: Duration

  package init(_ count: Int, per time: Duration) {
    interval = time / count
  }
}
