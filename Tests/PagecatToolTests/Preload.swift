#if os(Linux)
  import Foundation
  import TestSupport

  /// A library that is loaded before the program and changes what the system says to it: `Tests/Preloads/NAME.c`, compiled
  /// once by the compiler that has compiled the package.
  enum Preload: String {
    case noThreads = "no-threads"
    case noArguments = "no-arguments"
    case interrupts, planted

    /// The library's path.
    var path: String {
      get throws { try Self.libraries.get()[rawValue] ?? "" }
    }

    private static let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Preloads").path

    /// Their paths.
    ///
    /// The folder lives as long as the tests do.
    private static let libraries = Result {
      let folder = FileManager.default.temporaryDirectory.path + "/pagecat-preloads-\(getpid())"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let names = try FileManager.default.contentsOfDirectory(atPath: source).filter { $0.hasSuffix(".c") }
      return Dictionary(
        uniqueKeysWithValues: try names.map { name in
          let library = "\(folder)/\(name.dropLast(2)).so"
          try compile("\(source)/\(name)", to: library)
          return (String(name.dropLast(2)), library)
        })
    }

    private struct NotCompiled: Error { let arguments: [String] }

    private static func compile(_ file: String, to library: String) throws {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["clang", "-shared", "-fPIC", "-O1", "-o", library, file, "-ldl"]
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw NotCompiled(arguments: process.arguments ?? []) }
    }
  }
#endif
