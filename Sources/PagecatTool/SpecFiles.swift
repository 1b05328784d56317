// Spec files by name: reading them, all their mistakes at once, and what can be said of them without running them.

import Diagnostics
import Pagecat
import PipelineSpec

enum SpecFiles {
  /// Reads every file before it complains about any.
  static func read(_ paths: [String], _ input: Input) throws -> [Spec] {
    var specs: [Spec] = []
    var messages: [String] = []
    for path in paths {
      do {
        specs.append(try Spec(path: path, input: input))
      } catch let error as SpecError {
        messages += error.messages.map { withAdvice($0, path) }
      }
    }
    if !messages.isEmpty { throw SpecError(messages: messages) }
    return specs
  }

  /// `pagecat chekc` is read as a spec's name: it may have been meant as a command.
  private static func withAdvice(_ message: String, _ path: String) -> String {
    guard message.hasPrefix("cannot open"), let command = nearest(to: path, in: Command.all.map(\.name)) else {
      return message
    }
    return "\(message); did you mean the command '\(command)'?"
  }

  /// `pipelines/space-photos.yaml: ok, 1 job` and where the values of environment variables go.
  static func report(_ spec: Spec) -> String {
    let count = spec.jobs.count
    var text = "\(spec.name): ok, \(count) job\(count == 1 ? "" : "s")\n"
    for (name, origins) in environment(spec) {
      text += "  ${env.\(name)} goes to \(origins.joined(separator: ", "))\n"
    }
    return text
  }

  private static func environment(_ spec: Spec) -> [(name: String, origins: [String])] {
    var origins: [String: [String]] = [:]
    for job in spec.jobs {
      for name in Set(job.templates.flatMap(\.holes).filter { $0.root == .env }.compactMap(\.path.steps.first?.name)) {
        let origin = destination(of: job)
        if origins[name]?.contains(origin) != true { origins[name, default: []].append(origin) }
      }
    }
    return origins.sorted { $0.key < $1.key }.map { (name: $0.key, origins: $0.value) }
  }

  /// The origin of a job's endpoint as far as the spec says it.
  private static func destination(of job: Job) -> String {
    let url = job.endpoint.spelling.contains("://") ? job.endpoint.spelling : job.base?.spelling ?? job.endpoint.spelling
    guard let scheme = url.firstRange(of: "://") else { return url }
    return String(url[..<scheme.upperBound] + url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" })
  }

  /// What the reader reads, as one line of JSON.
  static func json(of input: Input) throws -> [UInt8] {
    do {
      let source = SourceText(name: input.name, bytes: try input.readAll())
      return Array(try Node(reading: source).json.bytes) + [UInt8(ascii: "\n")]
    } catch let mistakes as Mistakes {
      throw SpecError(messages: mistakes.all.map { $0.rendered(in: mistakes.source) })
    }
  }
}

extension Template {
  /// The string as it stands in the spec.
  var spelling: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .hole(let hole): hole.spelling
      }
    }.joined()
  }
}
