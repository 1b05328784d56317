import Pagecat

// swift run Example SPEC RECORDING: the categories of a bar, from a recording.
let arguments = CommandLine.arguments
var options = PipelineOptions()
options.replay = arguments[2]
do {
  let progress = ProgressModel()
  let categories = try await Bar(spec: arguments[1], options: options).categories(showing: progress)
  for category in categories { print("\(category.strCategory): \(category.items.count)") }
  print(progress.text)

  // Names that the app has, in place of those that an API would give.
  let names = AsyncStream { stream in
    for name in ["Mojito", "Gimlet"] { stream.yield(["name": name]) }
    stream.finish()
  }
  let greetings = try Pipeline(spec: "set: { text: \"Have a ${input.name}\" }")
  for try await greeting in greetings.run(input: names).records(as: [String: String].self) {
    print(greeting["text"] ?? "")
  }
} catch {
  print(advice(for: error))
}
