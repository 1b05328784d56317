// The environment variables that a run may read.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Variables by name: given values, or those of the process, each read when it is needed.
package struct Environment: Sendable {
  private var values: [String: String]
  private var isOfProcess = false

  package init(_ values: [String: String]) {
    self.values = values
  }

  /// The environment of the process, which no code changes while the run reads it.
  package static let process: Environment = {
    var environment = Environment([:])
    environment.isOfProcess = true
    return environment
  }()

  package subscript(name: String) -> String? {
    get { values[name] ?? (isOfProcess ? getenv(name).map { String(cString: $0) } : nil) }
    set { values[name] = newValue }
  }

  /// Reports that the value of a variable is text; `subscript` gives U+FFFD for bytes that are not UTF-8.
  package func isText(_ name: String) -> Bool {
    guard values[name] == nil, isOfProcess, let value = getenv(name) else { return true }
    return String(validatingCString: value) != nil
  }

  /// Returns the value of a variable, empty if it is not set.
  package func text(of name: String) -> String { self[name] ?? "" }

  /// Returns the values of those names that are set.
  package func values(of names: Set<String>) -> [String: String] {
    names.reduce(into: [:]) { $0[$1] = self[$1] }
  }
}

extension Environment: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (String, String)...) {
    self.init(Dictionary(elements) { $1 })
  }
}

// MARK: Sockets of the machine, as hosts of URLs

/// A socket as the host of a URL: `/var/run/docker.sock` is `_var_run_docker.sock.unix`.
///
/// So each socket is an origin of its own, and all rules about origins hold for it. No name server knows such a host.
package enum UnixSocket {
  private static let suffix = ".unix"
  /// Most bytes of a path (unix(7): `sun_path`).
  package static let longest = 107

  /// Reports that a host stands for a socket, or looks so: only a request that has the socket itself may go there.
  package static func isHost(_ host: String) -> Bool {
    var name = host.lowercased()[...]
    while name.last == "." { name.removeLast() }
    return name.hasPrefix("_") && name.hasSuffix(suffix)
  }

  /// Returns the host that stands for the socket at a path; nil if no socket can have that path.
  package static func host(of path: String) -> String? {
    guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= longest, !path.utf8.contains(0),
      !path.contains("//"), path.utf8.last != UInt8(ascii: "/")
    else { return nil }
    var host: [UInt8] = []
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "/"): host.append(UInt8(ascii: "_"))
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
        UInt8(ascii: "-"):
        host.append(byte)
      default: host += Array("__\(byte < 16 ? "0" : "")\(String(byte, radix: 16))".utf8)
      }
    }
    return String(decoding: host, as: UTF8.self) + suffix
  }

  /// Returns the path of the socket that a host stands for; nil for any other host.
  package static func path(ofHost host: String) -> String? {
    guard host.hasPrefix("_"), host.hasSuffix(suffix) else { return nil }
    var rest = Array(host.utf8.dropLast(suffix.utf8.count))[...]
    var path: [UInt8] = []
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "_") else {
        path.append(byte)
        continue
      }
      // `__41` is a byte. A `/` before a byte gives three of them.
      let digits = rest.dropFirst().prefix(2)
      if rest.first == byte, digits.count == 2, let number = UInt8(String(decoding: digits, as: UTF8.self), radix: 16),
        digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
      {
        path.append(number)
        rest = rest.dropFirst(3)
      } else {
        path.append(UInt8(ascii: "/"))
      }
    }
    return String(validating: path, as: UTF8.self)
  }
}
