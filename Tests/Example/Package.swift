// swift-tools-version: 6.2
import PackageDescription

// An app that uses the library as others do: by path here, elsewhere by URL.
let package = Package(
  name: "Example",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "pagecat", path: "../..")],
  targets: [
    .executableTarget(
      name: "Example", dependencies: [.product(name: "Pagecat", package: "pagecat")], path: "Sources"),
    .testTarget(
      name: "ExampleTests", dependencies: ["Example", .product(name: "Pagecat", package: "pagecat")], path: "Tests"),
  ],
  swiftLanguageModes: [.v6]
)
