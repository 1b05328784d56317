// Quantities as a spec writes them: `30s`, `512MB`.

extension Duration {
  /// Parses `500ms`, `30s`, `2m` or `1h`; nil unless it is more than zero and at most a day.
  package init?(spelled text: String) {
    let milliseconds = ["ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000]
    guard let quantity = Quantity(text), let unit = milliseconds[quantity.unit] else { return nil }
    let (product, overflow) = quantity.number.multipliedReportingOverflow(by: unit)
    guard !overflow, (1...86_400_000).contains(product) else { return nil }
    self = .milliseconds(product)
  }
}

/// Returns the bytes of a size such as `4GB`, `64KiB` or `100B`, at least one; nil for other text.
func byteCount(spelled text: String) -> Int? {
  let units = [
    "B": 1, "KB": 1_000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
  ]
  guard let quantity = Quantity(text), let unit = units[quantity.unit] else { return nil }
  let (product, overflow) = quantity.number.multipliedReportingOverflow(by: unit)
  return overflow || product < 1 ? nil : product
}
