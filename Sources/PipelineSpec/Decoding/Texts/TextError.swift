/// Error in a piece of text, without a position.
struct TextError: Error, Hashable {
  let message: String
  let advice: String?

  init(_ message: String, advice: String? = nil) {
    self.message = message
    self.advice = advice
  }
}
