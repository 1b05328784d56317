// The libcurl of this machine, loaded at the first request. A command that fetches nothing does not pay for its 32
// shared libraries.

import CCurl
package import Files

/// The functions of a loaded libcurl.
struct CurlLibrary: @unchecked Sendable {
  // Sendable because the table is never written again nor freed.
  let functions: OpaquePointer

  /// The reason why no libcurl was found, and a remedy.
  struct Missing: Error {
    let problem: String
  }

  /// Oldest supported version: 7.74, of Debian 11.
  ///
  /// Easy.c describes the differences before 7.80.
  static let floor: UInt32 = 0x074A00

  #if canImport(Darwin)
    // A name without a slash would also be searched for in the working directory (dlopen(3)).
    static let names = ["/usr/lib/libcurl.4.dylib"]
  #else
    static let names = ["libcurl.so.4", "libcurl-gnutls.so.4"]
  #endif

  /// The machine's own library, loaded once.
  static let system = Result { () throws(Missing) in try CurlLibrary(named: names) }

  /// Creates a copy of a library whose calls fail when a test asks for it (CCurl/Faults.c).
  init(failing library: CurlLibrary) {
    functions = ccurl_faults_library(library.functions)
  }

  /// Creates a copy of a library that is used as one before 7.80, for tests.
  init(asBefore7_80 library: CurlLibrary) {
    functions = ccurl_library_as_before_7_80(library.functions)
  }

  /// Loads the first of these libraries that exists and is new enough.
  init(named names: [String], floor: UInt32 = CurlLibrary.floor) throws(Missing) {
    var problem: String?
    for name in names {
      switch CurlLibrary.open(name, floor: floor) {
      case .success(let functions):
        self.functions = functions
        return
      case .failure(let missing):
        problem = missing?.problem ?? problem
      }
    }
    let none = "libcurl is not installed (\(names.joined(separator: ", ")))"
    throw Missing(problem: (problem ?? none) + "; " + CurlLibrary.advice)
  }

  private enum Opening {
    case success(OpaquePointer)
    /// The reason, or nil if there is no such library.
    case failure(Missing?)
  }

  private static func open(_ name: String, floor: UInt32) -> Opening {
    var functions: OpaquePointer?
    // The C function writes a text of at most 32 bytes, including its terminator.
    var version = [CChar](repeating: 0, count: 32)
    let outcome = ccurl_open(name, floor, &functions, &version)
    if let functions { return .success(functions) }
    let number = String(decoding: version.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    switch outcome {
    case ccurl_too_old: return .failure(Missing(problem: "\(name) is version \(number), older than 7.74"))
    case ccurl_broken: return .failure(Missing(problem: "\(name) (version \(number)) could not be started"))
    default: return .failure(nil)
    }
  }

  #if canImport(Darwin)
    private static let advice = "macOS brings it: see whether /usr/lib is complete"
  #else
    private static let advice = "install it, e.g. with 'apt-get install libcurl4' or 'dnf install libcurl'"
  #endif
}

// MARK: zlib, which libcurl needs, too: the format of packed exports

/// gzip as the format of a file (RFC 1952).
package struct GzipFormat: FileFormat {
  package init() {}

  package func packer() throws(FileError) -> any FilePacker {
    guard let pointer = ccurl_deflate_new() else { throw Self.missing }
    return Deflater(pointer)
  }

  package func unpacker() throws(FileError) -> any FileUnpacker {
    guard let inflater = Inflater() else { throw Self.missing }
    return GzipUnpacker(inflater)
  }

  private static let missing = FileError.failed("zlib, which a name that ends with '.gz' needs, can't be loaded")
}

/// Encodes the members of one file.
private final class Deflater: FilePacker, @unchecked Sendable {
  // Sendable because a file has one writer.
  private let pointer: OpaquePointer
  /// Most bytes of one call.
  private static let room = 64 << 10

  init(_ pointer: OpaquePointer) { self.pointer = pointer }

  deinit { ccurl_deflate_free(pointer) }

  func pack(_ bytes: [UInt8], endsMember: Bool) -> [UInt8] {
    var (rest, packed) = (bytes[...], [UInt8]())
    var isDone = false
    while !isDone {
      var (taken, made) = (0, 0)
      packed += [UInt8](unsafeUninitializedCapacity: Self.room) { room, count in
        isDone = rest.withUnsafeBufferPointer { rest in
          // The lengths of both buffers are passed with them, and zlib has initialized the `made` bytes.
          ccurl_deflate_run(
            pointer, rest.baseAddress, rest.count, endsMember, &taken, room.baseAddress, Self.room, &made)
        }
        count = made
      }
      rest = rest.dropFirst(taken)
    }
    return packed
  }
}

/// Decodes one file of members.
private final class GzipUnpacker: FileUnpacker {
  private let inflater: Inflater

  init(_ inflater: Inflater) { self.inflater = inflater }

  var isComplete: Bool { inflater.isWhole }

  func unpack(_ bytes: [UInt8], _ body: ([UInt8]) throws(FileError) -> Void) throws(FileError) -> Bool {
    inflater.give(bytes)
    while true {
      switch inflater.next() {
      case .bytes(let bytes): try body(bytes)
      case .needsInput: return true
      case .broken, .outOfMemory: return false
      }
    }
  }
}

// MARK: Signatures, by the libcrypto that libcurl has loaded

extension CurlLibrary {
  /// The reason why there is no signature, to follow the name of the key's file.
  struct SigningFault: Error {
    let problem: String
  }

  /// Returns the signature of a message by RS256 (RFC 7518 §3.3).
  ///
  /// - Parameter pem: a private RSA key that is not encrypted.
  func signature(of message: [UInt8], pem: [UInt8]) throws(SigningFault) -> [UInt8] {
    // The largest key of OpenSSL has 16,384 bits.
    var signature = [UInt8](repeating: 0, count: 2_048)
    var count = signature.count
    let text = pem.map { CChar(bitPattern: $0) }
    let outcome = ccurl_sign(functions, text, text.count, message, message.count, &signature, &count)
    switch outcome {
    case ccurl_signing_done: return Array(signature.prefix(count))
    case ccurl_signing_no_library:
      throw SigningFault(
        problem: "can't be used, since this machine's libcurl has no OpenSSL to sign with: install a libcurl with it, "
          + "e.g. with 'apt-get install libcurl4'")
    case ccurl_signing_no_key: throw SigningFault(problem: "has a private key that is damaged")
    case ccurl_signing_not_rsa:
      throw SigningFault(problem: "has a key of another kind than RSA, which RS256 needs: give an RSA key")
    default: throw SigningFault(problem: "has a key that can't sign by RS256")
    }
  }
}
