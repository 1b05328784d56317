/// Whole number and the letters after it: `30s` is 30 and `s`.
struct Quantity {
  let number: Int
  let unit: String

  /// Parses a quantity; nil if the text is not digits and then letters, or if the number does not fit.
  init?(_ text: String) {
    let digits = text.utf8.prefix { (48...57).contains($0) }
    let letters = text.utf8.dropFirst(digits.count)
    guard let number = Int(Substring(digits)), letters.allSatisfy({ ($0 | 0x20) >= 97 && ($0 | 0x20) <= 122 }) else {
      return nil
    }
    self.number = number
    self.unit = String(Substring(letters))
  }
}
