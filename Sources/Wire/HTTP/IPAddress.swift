// IP addresses in every spelling that a resolver accepts, to recognize private ones.

import Primitives

/// Reports that an address is loopback, private, link-local, or reserved.
///
/// - Parameter text: the address of a connection's peer: IPv6 without brackets, perhaps with its zone.
package func isPrivateAddress(_ text: String) -> Bool {
  IPAddress.bare(String(text.prefix { $0 != "%" }))?.isPrivate ?? false
}

/// Reports that two hosts (IPv6 without brackets) are one address, in any spelling.
package func isSameAddress(_ one: String, _ other: String) -> Bool {
  let (one, other) = (IPAddress.bare(one), IPAddress.bare(other))
  return one != nil && one == other
}

/// An IPv4 or IPv6 address as it may appear as the host of a URL.
enum IPAddress: Equatable {
  case v4(UInt32)
  /// The eight groups of the address.
  case v6([UInt16])

  /// Parses `127.0.0.1`, `127.1`, `0x7f000001`, `017700000001` or `[::1]`; nil for a name.
  init?(_ host: some StringProtocol) {
    if host.hasPrefix("[") {
      guard host.hasSuffix("]"), let groups = Self.groups(host.dropFirst().dropLast()) else { return nil }
      self = .v6(groups)
    } else {
      guard let number = Self.number(host) else { return nil }
      self = .v4(number)
    }
  }

  /// Parses a host without brackets.
  static func bare(_ host: String) -> IPAddress? { IPAddress(host.contains(":") ? "[\(host)]" : host) }

  /// True if the address is loopback, private, shared, link-local or reserved, or leads to such an address.
  var isPrivate: Bool {
    switch self {
    case .v4(let address): Self.isPrivate(address)
    case .v6(let groups): Self.isPrivate(groups)
    }
  }

  /// True for 127.0.0.0/8 and `::1`.
  var isLoopback: Bool {
    switch self {
    case .v4(let address): address >> 24 == 127
    case .v6(let groups): groups == [0, 0, 0, 0, 0, 0, 0, 1]
    }
  }

  // These ranges are not globally reachable, according to the IANA's special-purpose address registries (RFC 6890).
  // Ranges with single reachable addresses (192.0.0.9, AS112 and the like) count as a whole, since no API is there.

  /// "This network", private use, shared space, loopback, link-local, IETF protocols, documentation (3), benchmarking,
  /// reserved and broadcast.
  private static let privateRanges: [(first: UInt32, bits: UInt32)] = [
    (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16), (0xAC10_0000, 12),
    (0xC000_0000, 24), (0xC000_0200, 24), (0xC633_6400, 24), (0xCB00_7100, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
    (0xF000_0000, 4),
  ]

  /// Ranges by their upper half: unique local (RFC 4193), link-local and site-local of old, local translation (RFC 8215),
  /// discard-only, IETF protocols (benchmarking and Teredo among them), documentation (2), segment routing (RFC 9602).
  private static let privatePrefixes: [(first: UInt64, bits: UInt64)] = [
    (0xFC00_0000_0000_0000, 7), (0xFE80_0000_0000_0000, 9), (0x0064_FF9B_0001_0000, 48), (0x0100_0000_0000_0000, 63),
    (0x2001_0000_0000_0000, 23), (0x2001_0DB8_0000_0000, 32), (0x3FFF_0000_0000_0000, 20), (0x5F00_0000_0000_0000, 16),
  ]

  private static func isPrivate(_ address: UInt32) -> Bool {
    privateRanges.contains { ($0.first ^ address) >> (32 - $0.bits) == 0 }
  }

  private static func isPrivate(_ groups: [UInt16]) -> Bool {
    let half = groups.prefix(4).reduce(0 as UInt64) { $0 << 16 | UInt64($1) }
    if privatePrefixes.contains(where: { ($0.first ^ half) >> (64 - $0.bits) == 0 }) { return true }
    return embedded(groups).map { isPrivate($0) } ?? false
  }

  /// Returns the IPv4 address that an IPv6 address leads to.
  ///
  /// The address is mapped or compatible (RFC 4291 §2.5.5; `::` and `::1` have that form), translated (RFC 6052 §2.1)
  /// or 6to4 (RFC 3056 §2).
  private static func embedded(_ groups: [UInt16]) -> UInt32? {
    func join(_ index: Int) -> UInt32 { UInt32(groups[index]) << 16 | UInt32(groups[index + 1]) }
    if groups[0] == 0x2002 { return join(1) }
    if groups[0] == 0x64, groups[1] == 0xFF9B, groups[2..<6].allSatisfy({ $0 == 0 }) { return join(6) }
    let isMapped = groups[..<5].allSatisfy { $0 == 0 } && (groups[5] == 0 || groups[5] == 0xFFFF)
    return isMapped ? join(6) : nil
  }

  /// Parses an IPv4 address as `inet_aton` does.
  ///
  /// It has one to four parts, decimal, octal or hexadecimal. The last part fills the remaining bytes.
  private static func number(_ text: some StringProtocol) -> UInt32? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard (1...4).contains(parts.count) else { return nil }
    var address: UInt64 = 0
    for (index, part) in parts.enumerated() {
      guard let value = partValue(part) else { return nil }
      let bits = index + 1 < parts.count ? 8 : 8 * UInt64(5 - parts.count)
      guard value >> bits == 0 else { return nil }
      address = address << bits | value
    }
    return UInt32(truncatingIfNeeded: address)
  }

  private static func partValue(_ part: some StringProtocol) -> UInt64? {
    // `UInt64` would accept a sign.
    guard let first = part.utf8.first, first.hexValue != nil else { return nil }
    if part.hasPrefix("0x") || part.hasPrefix("0X") {
      let digits = part.dropFirst(2)
      return digits.isEmpty ? 0 : digits.first == "+" || digits.first == "-" ? nil : UInt64(digits, radix: 16)
    }
    return UInt64(part, radix: part.count > 1 && first == UInt8(ascii: "0") ? 8 : 10)
  }

  /// Parses the groups of an IPv6 address (RFC 4291 §2.2).
  ///
  /// One `::` stands for zeros. The last two groups may be an IPv4 address.
  private static func groups(_ text: some StringProtocol) -> [UInt16]? {
    let text = String(text)
    guard let gap = text.firstRange(of: "::") else {
      let all = run(text)
      return all?.count == 8 ? all : nil
    }
    guard let before = run(text[..<gap.lowerBound]), let after = run(text[gap.upperBound...]) else { return nil }
    let missing = 8 - before.count - after.count
    return missing > 0 ? before + Array(repeating: 0, count: missing) + after : nil
  }

  private static func run(_ text: some StringProtocol) -> [UInt16]? {
    guard !text.isEmpty else { return [] }
    var groups: [UInt16] = []
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, part.contains(".") {
        guard part.split(separator: ".").count == 4, let address = number(part) else { return nil }
        groups += [UInt16(address >> 16), UInt16(truncatingIfNeeded: address)]
      } else {
        guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy({ $0.hexValue != nil }) else {
          return nil
        }
        guard let group = UInt16(part, radix: 16) else { return nil }
        groups.append(group)
      }
    }
    return groups
  }
}
