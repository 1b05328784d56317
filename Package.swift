// swift-tools-version: 6.2
import PackageDescription

// The rooms, in the order in which data flows: spec → plan → fetch → unwrap. What a room may know is its
// `dependencies`, and nothing else: CI builds with `--explicit-target-dependency-import-check error`.
let rooms: [Target] = [
  // Ground floor: these know nothing but each other.
  .target(name: "Primitives"),
  .target(name: "CJSONText"),
  .target(name: "JSONText", dependencies: ["CJSONText", "Primitives"]),
  .target(name: "Diagnostics"),
  .target(name: "Wire", dependencies: ["Primitives"]),
  .target(name: "Files", dependencies: ["Primitives", "JSONText"]),

  .target(name: "YAMLText", dependencies: ["JSONText", "Diagnostics"]),
  .target(name: "PipelineSpec", dependencies: ["Primitives", "YAMLText", "JSONText", "Diagnostics"]),
  .target(name: "FetchPlan", dependencies: ["Primitives", "PipelineSpec", "JSONText", "Diagnostics", "Wire"]),
  .target(name: "CCurl", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
  .target(name: "Fetching", dependencies: ["Primitives", "JSONText", "Wire", "Files", "CCurl"]),
  .target(name: "Unwrapping", dependencies: ["Primitives", "JSONText", "Wire", "Files"]),

  // The corridor, which knows all of them: everything that runs a job.
  .target(
    name: "Engine",
    dependencies: [
      "Primitives", "JSONText", "Diagnostics", "Wire", "Files", "YAMLText", "PipelineSpec", "FetchPlan", "Fetching",
      "Unwrapping",
    ]),

  // The tenants: each starts runs or reads their files, and none knows another.
  .target(
    name: "SpecDrafting",
    dependencies: [
      "Engine", "Primitives", "JSONText", "Diagnostics", "Wire", "Files", "PipelineSpec", "FetchPlan", "Fetching",
    ]),
  .target(
    name: "RequestPreview",
    dependencies: [
      "Engine", "Primitives", "JSONText", "Diagnostics", "Wire", "Files", "PipelineSpec", "FetchPlan", "Fetching",
    ]),
  .target(name: "RunReport", dependencies: ["Engine", "Primitives", "JSONText", "Diagnostics", "Files", "Fetching"]),
  .target(
    name: "SingerTap",
    dependencies: ["Engine", "Primitives", "JSONText", "Diagnostics", "Wire", "Files", "PipelineSpec", "Unwrapping"]),

  // The doors: the library and the command.
  .target(
    name: "Pagecat",
    dependencies: [
      "Engine", "Primitives", "JSONText", "Diagnostics", "Wire", "Files", "YAMLText", "PipelineSpec", "Fetching",
    ]),
  .target(name: "CProcess", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
  .executableTarget(
    name: "PagecatTool",
    dependencies: [
      "Engine", "SpecDrafting", "RequestPreview", "RunReport", "SingerTap", "PipelineSpec", "Diagnostics", "Files",
      "Primitives", "Wire", "CProcess",
    ]),
]

let tests: [Target] = [
  .target(name: "TestSupport", dependencies: ["Primitives", "Files", "JSONText", "Wire"], path: "Tests/TestSupport"),
  .testTarget(name: "PrimitivesTests", dependencies: ["Primitives", "TestSupport"]),
  .testTarget(name: "JSONTextTests", dependencies: ["JSONText", "TestSupport"]),
  .testTarget(name: "DiagnosticsTests", dependencies: ["Diagnostics", "TestSupport"]),
  .testTarget(name: "WireTests", dependencies: ["Primitives", "Wire", "TestSupport"]),
  .testTarget(name: "YAMLTextTests", dependencies: ["YAMLText", "JSONText", "Diagnostics", "TestSupport"]),
  .testTarget(
    name: "PipelineSpecTests", dependencies: ["PipelineSpec", "Primitives", "JSONText", "Diagnostics", "TestSupport"]),
  .testTarget(
    name: "FetchPlanTests",
    dependencies: ["FetchPlan", "PipelineSpec", "Primitives", "JSONText", "Diagnostics", "Wire", "TestSupport"]),
  .testTarget(
    name: "FetchingTests",
    dependencies: ["Fetching", "Primitives", "JSONText", "Wire", "Files", "CCurl", "TestSupport"]),
  .testTarget(
    name: "UnwrappingTests", dependencies: ["Unwrapping", "Primitives", "JSONText", "Wire", "Files", "TestSupport"]),
  .testTarget(name: "FilesTests", dependencies: ["Files", "Primitives", "JSONText", "TestSupport"]),
  .testTarget(
    name: "PagecatTests",
    dependencies: [
      "Pagecat", "Engine", "SpecDrafting", "RunReport", "CCurl", "Fetching", "Files", "Primitives", "JSONText", "Wire",
      "PipelineSpec",
      "Diagnostics", "TestSupport",
    ]),
  .testTarget(
    name: "PagecatToolTests",
    dependencies: [
      "PagecatTool", "Pagecat", "Engine", "Files", "Primitives", "Wire", "YAMLText", "JSONText", "Diagnostics",
      "CProcess", "TestSupport",
    ]),
  .executableTarget(name: "Differential", dependencies: ["JSONText", "TestSupport"], path: "Tests/Differential"),
]

#if os(Linux)
  // The peers and the figures of memory are Linux's.
  let benchmarks: [Target] = [
    .executableTarget(name: "Benchmarks", dependencies: ["JSONText", "TestSupport"], path: "Tests/Benchmarks")
  ]
#else
  let benchmarks: [Target] = []
#endif

let package = Package(
  name: "pagecat",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Pagecat", targets: ["Pagecat"]),
    .executable(name: "pagecat", targets: ["PagecatTool"]),
  ],
  dependencies: [],
  targets: rooms + tests + benchmarks,
  swiftLanguageModes: [.v6]
)

for target in package.targets where !["CCurl", "CJSONText", "CProcess"].contains(target.name) {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]
}

// For CI's sanitizers: the rooms whose loops read every byte are optimized, and what would take long to build so is not. What is no
// test, and the tests of rooms that have neither C nor pointers nor threads, are left out.
if let sanitizer = Context.environment["PAGECAT_SANITIZER"] {
  let hot = ["Primitives", "JSONText", "Wire", "Files", "Fetching", "Unwrapping"]
  for target in rooms where hot.contains(target.name) { target.swiftSettings?.append(.unsafeFlags(["-O"])) }
  let plain = ["Primitives", "Diagnostics", "YAMLText", "PipelineSpec", "FetchPlan"]
  let withoutThreads = sanitizer == "thread" ? ["JSONText", "Unwrapping"] : []
  let others = (plain + withoutThreads).map { $0 + "Tests" } + ["Differential", "Benchmarks"]
  package.targets.removeAll { others.contains($0.name) }
}
