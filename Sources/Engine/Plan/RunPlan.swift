// The jobs of a run from specs, parameters and environment, or all errors in these, before any request.

import Diagnostics
package import FetchPlan
import Fetching
import Files
package import JSONText
package import PipelineSpec
import Primitives
import Unwrapping
package import Wire

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The jobs of a run with everything that is known before the first request.
package struct RunPlan: Sendable {
  package let jobs: [JobPlan]
  let secrets: SecretStore
  /// Fingerprints of the variables that may decide which records come, by their names.
  let decidingVariables: [String: Int]
  /// Paths of the files with secrets and certificates, also of those that a later run would read if they were there.
  let credentialPaths: [String]

  /// Plans the run.
  ///
  /// - Parameter marks: the highest marks that the last run saw, by job.
  /// - Throws: `SpecError` with every reason why the run can't begin.
  package init(_ specs: [Spec], _ options: RunOptions, start: Int, since marks: [String: JSONValue] = [:]) throws {
    var complaints = Self.structure(of: specs) + Self.undeclared(options.parameters, in: specs) + Self.repeated(specs)
    var jobs: [JobPlan] = []
    var paths: [String] = []
    var options = options
    let files = options.isReplay ? FileReadings() : options.readFiles(of: specs)
    let secrets = options.series?.secrets ?? SecretStore()
    if !options.isReplay {
      for secret in options.environment.proxySecrets + Environment.process.proxySecrets { secrets.insert(secret) }
    }
    for spec in specs {
      do {
        let missing = Self.missingVariables(of: spec, options, files)
        complaints += missing
        let parameters = try Self.parameters(of: spec, options, start: start)
        for hole in spec.parameters.compactMap(\.template).flatMap(\.holes) {
          if let value = hole.variable.flatMap({ options.environment[$0] }), !value.isEmpty { secrets.insert(value) }
        }
        var run = RunValues(parameters: parameters, environment: options.environment, start: start)
        run.marks = marks
        if spec.jobs.contains(where: { $0.auth?.kind == .netrc }) {
          run.netrc = Self.netrc(options)
          paths += [Self.netrcPath(options)].compactMap { $0 }
        }
        for job in spec.jobs {
          for secret in run.secrets(of: job) { secrets.insert(secret) }
        }
        let fixed = FixedValues(hidesVariables: options.isReplay) { [run] in run.value(of: $0, in: spec.name) }
        for job in missing.isEmpty ? try spec.fixing(fixed).jobs : [] {
          do throws(ParameterError) {
            let plan = try JobPlan(
              job: job.limited(by: options), specName: spec.name, run: run, userAgent: Product.userAgent)
            for secret in plan.credentials?.secrets ?? [] { secrets.insert(secret) }
            if let tls = job.tls, let files = plan.tlsFiles {
              if !options.isReplay {
                complaints += TLSFileCheck(tls: tls, files: files, specName: spec.name).complaints
              }
              paths += [files.certificate, files.key, files.ca].compactMap { $0 }
            }
            if let jwt = job.auth?.jwt, let claims = plan.credentials?.claims {
              if !options.isReplay, let problem = Self.problem(of: claims) {
                complaints.append("\(spec.name):\(jwt.key.position): error: \(problem)")
              }
              paths.append(claims.keyPath)
            }
            jobs.append(plan)
          } catch {
            complaints.append("\(error.position): error: \(error.template): \(error.problem)")
          }
        }
      } catch let error as SpecError {
        complaints += error.messages
      } catch let mistakes as DiagnosticList {
        complaints += SpecError(mistakes).messages
      }
    }
    // A default at the top of a file is in each of its jobs. A parameter may contain a secret.
    var seen: Set<String> = []
    let messages = complaints.filter { seen.insert($0).inserted }.map { secrets.redacting($0) }
    if !messages.isEmpty { throw SpecError(messages: messages) }
    self.jobs = jobs
    self.secrets = secrets
    let secretNames = Self.environmentNames(specs).compactMap { Template.Hole.file(ofVariable: $0) }
    credentialPaths = paths + secretNames.flatMap(SecretFiles(options).paths)
    // In a replay, every variable reads as `***`.
    let names = options.isReplay ? [] : Set(specs.flatMap(\.jobs).flatMap(\.decidingVariables))
    decidingVariables = options.environment.values(of: names).filter { !$0.value.isEmpty }.mapValues(\.shortFingerprint)
  }

  /// Returns the reason why a service account's key can't be used, before any request.
  private static func problem(of claims: AccountClaims) -> String? {
    do {
      let key = try AccountKey(path: claims.keyPath)
      return claims.issuer ?? key.account == nil ? "'\(claims.keyPath.printable)' names no account: add 'iss'" : nil
    } catch {
      return error.problem.printable
    }
  }

  /// Returns an error for each later spec that does not read the records of the previous spec.
  ///
  /// Only a run's first job may start a stream.
  private static func structure(of specs: [Spec]) -> [String] {
    if let spec = specs.first(where: { !$0.streams.isEmpty }) { return [spec.manyStreams] }
    return specs.dropFirst().compactMap { spec in
      let first = spec.jobs[0]
      let prefix = "\(spec.name):\(first.position): error:"
      if first.each != nil {
        return "\(prefix) '\(first.name)' makes its records by 'each', so it can't read those of the spec before it"
      }
      return first.readsRecords
        ? nil
        : "\(prefix) '\(first.name)' reads no records; after another spec, name a member of 'record' in a template"
    }
  }

  /// Returns errors for jobs with the same name, since marks are saved by the job's name.
  private static func repeated(_ specs: [Spec]) -> [String] {
    let names = specs.flatMap(\.jobs).filter(\.hasOwnMark).map(\.name)
    let repeated = names.enumerated().filter { names[..<$0.offset].contains($0.element) }.map(\.element)
    return repeated.map { "two steps with 'incremental' are called '\($0.printable)': give them different names" }
  }

  /// Returns an error for each given parameter that no spec declares.
  package static func undeclared(_ given: [(name: String, value: String)], in specs: [Spec]) -> [String] {
    let declared = specs.flatMap(\.parameters).map(\.name)
    return given.compactMap { name, _ in
      if declared.contains(name) { return nil }
      let near = declared.first { $0.lowercased() == name.lowercased() } ?? nearest(to: name, in: declared)
      let names = declared.map { "'\($0.printable)'" }.joined(separator: ", ")
      let all = declared.isEmpty ? "" : "; \(declared.count == 1 ? "there is" : "there are") \(names)"
      let advice = near.map { "; did you mean '\($0.printable)'?" } ?? all
      return "no spec declares the parameter '\(name.printable)'\(advice)"
    }
  }

  /// The netrc file of a run that reads no secrets.
  package static let anyLogin = RunValues.NetrcSource.file(Netrc(Array("default login *** password ***".utf8)))

  /// Returns the path that `NETRC` names, otherwise `.netrc` in the home folder, as curl does.
  private static func netrcPath(_ options: RunOptions) -> String? {
    func value(_ name: String) -> String? { options.environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    return value("NETRC") ?? value("HOME").map { $0 + "/.netrc" }
  }

  /// Returns the entries of the netrc file, or the reason why there are none.
  private static func netrc(_ options: RunOptions) -> RunValues.NetrcSource {
    if options.isReplay { return anyLogin }
    guard let path = netrcPath(options) else { return .missing("there is no netrc file: set NETRC or HOME") }
    do {
      return .file(Netrc(try Input(path: path).readAll(limit: Input.mostSettings)))
    } catch {
      return .missing(error.problem)
    }
  }

  /// Returns an error for each variable or file that a template needs and that is missing, at each location.
  ///
  /// A value that exists and can't be read is an error even if it is optional.
  private static func missingVariables(
    of spec: Spec, _ options: RunOptions, _ files: FileReadings
  ) -> [String] {
    let environment = options.environment
    let defaults = spec.parameters.filter { parameter in !options.parameters.contains { $0.name == parameter.name } }
    let holes = (spec.jobs.flatMap(\.templates) + defaults.compactMap(\.template)).flatMap(\.holes)
    let missing = holes.filter { hole in
      guard let name = hole.variable else { return false }
      if files.broken[name] != nil || !environment.isText(name) { return true }
      return (environment[name] ?? "").isEmpty && hole.fallback == nil && !hole.isOptional
    }
    // A default at the top of the file is in every step, but needs only one message.
    var seen: Set<SourcePosition> = []
    return missing.filter { seen.insert($0.position).inserted }.map { hole in
      let name = hole.variable ?? ""
      let problem =
        files.broken[name] ?? files.missing[name]
        ?? (environment.isText(name)
          ? "the environment variable '\(name)' is not set"
          : "the environment variable '\(name)' is not UTF-8, so it can't be sent as it is: set it to UTF-8")
      return "\(spec.name):\(hole.position): error: \(hole.spelling): \(problem)"
    }
  }

  static func parameters(
    of spec: Spec, _ options: RunOptions, start: Int
  ) throws -> [String: RunValues.Parameter] {
    var values: [String: RunValues.Parameter] = [:]
    var complaints: [String] = []
    for parameter in spec.parameters {
      let given = options.parameters.filter { $0.name == parameter.name }.map(\.value)
      if let last = given.last {
        do {
          let value = try parameter.value(of: given)
          values[parameter.name] = RunValues.Parameter(value: value, text: parameter.isList ? value.text : last)
        } catch {
          complaints.append(error.message)
        }
      } else if let standard = parameter.standard {
        values[parameter.name] = RunValues.Parameter(
          value: standard, text: parameter.isList ? standard.text : parameter.spelling)
      } else if let template = parameter.template {
        values[parameter.name] = RunValues(environment: options.environment, start: start)
          .parameter(by: template, in: spec.name)
      } else {
        complaints.append("\(spec.name): parameter '\(parameter.name)' is required; give it as \(parameter.name)=VALUE")
      }
    }
    if !complaints.isEmpty { throw SpecError(messages: complaints) }
    return values
  }
}

extension RunPlan {
  /// The requests of the jobs whose marks are saved.
  package var subjects: [MarkSubject] {
    jobs.filter { $0.job.hasOwnMark }.map { plan in
      // A credential does not select another list, and no file may contain one.
      let choices = plan.choices(hiding: secrets).filter { !CredentialName.isCredential(item: $0.name) }
      let variables = plan.job.decidingVariables.sorted().compactMap { name in
        decidingVariables[name].map { (name: name, value: JSONValue($0)) }
      }
      return MarkSubject(
        job: plan.job.name, text: plan.subject(hiding: secrets),
        choices: choices.map { ($0.name, JSONValue($0.value)) } + variables)
    }
  }

  /// Returns a rate limiter that knows the jobs' rates from the first request on.
  ///
  /// - Parameter network: has the limiter of several runs, if they share one.
  func rateLimiter(sharing pace: PaceFile?, in network: SharedNetwork?) -> RateLimiter {
    let make = { RateLimiter(sharing: pace) }
    let rateLimiter = network?.rateLimiter(make) ?? make()
    for plan in jobs {
      if let rate = plan.rate, let origin = plan.origin { rateLimiter.limit(origin, to: rate) }
    }
    return rateLimiter
  }

  /// Returns the environment variables that the specs name; a replay reads each as `***`.
  package static func environmentNames(_ specs: [Spec]) -> Set<String> {
    specs.flatMap(\.jobs).reduce(into: specs.flatMap(\.parameters).compactMap(\.template).environmentNames) {
      $0.formUnion($1.environmentNames)
    }
  }
}

// The limits of the command line on a job.

extension Job {
  /// Returns the job with the limits of the command line.
  func limited(by options: RunOptions) -> Job {
    var job = self
    if let limit = options.pageLimit, var pages = job.pages {
      pages.limit = min(limit, pages.limit ?? limit)
      job.pages = pages
    }
    // The order of the answers must not decide which of two records gets a path that the server names.
    job.concurrency = download?.naming == .server ? 1 : options.concurrency ?? concurrency
    job.rate = options.rate?.strictest(with: rate) ?? rate
    return job
  }
}

/// The request of a job whose mark is saved.
package struct MarkSubject: Sendable {
  package let job: String
  /// Base and endpoint: a mark is useless for another endpoint.
  package let text: String
  /// Whatever may select the records, or only change their form: parameters and literal items in query and body, and
  /// the fingerprints of variables, which are numbers.
  let choices: [(name: String, value: JSONValue)]
}

// The files of `tls` before any request, since libcurl gives no useful message for most mistakes.

/// Checks that the files of `tls` can be read, and have the right content.
///
/// No message quotes the content of these files.
struct TLSFileCheck {
  let tls: Job.TLS
  let files: TLSFiles
  let specName: String

  /// An error for each file that can't be used.
  var complaints: [String] {
    [
      complaint(tls.certificate, files.certificate, "CERTIFICATE-----", "certificate"),
      complaint(tls.key, files.key, "PRIVATE KEY-----", "private key"),
      complaint(tls.ca, files.ca, "CERTIFICATE-----", "certificate"),
      files.key == nil ? complaint(tls.certificate, files.certificate, "PRIVATE KEY-----", "private key") : nil,
    ].compactMap { $0 }
  }

  private func complaint(_ template: Template?, _ path: String?, _ mark: String, _ noun: String) -> String? {
    guard let template, let path else { return nil }
    let prefix = "\(specName):\(template.position): error:"
    let text: String
    do {
      // A file that is missing or out of reach is an error of opening it.
      if let metadata = try? OutputPath.metadata(of: path, calls: .system) {
        guard metadata.kind == .regular else {
          return "\(prefix) '\(path.printable)' is not a regular file: give one, since it is read for each connection"
        }
        guard metadata.size <= Input.mostSettings else {
          return "\(prefix) '\(path.printable)' has more than \(Input.mostSettings >> 20) MB"
        }
      }
      text = String(decoding: try Input(path: path).readAll(limit: Input.mostSettings), as: UTF8.self)
    } catch {
      return "\(prefix) \(error.problem)"
    }
    guard text.contains("-----BEGIN "), text.contains(mark) else {
      return "\(prefix) '\(path.printable)' has no \(noun) in PEM ('-----BEGIN …')"
    }
    let isEncrypted = text.contains("ENCRYPTED PRIVATE KEY-----") || text.contains("Proc-Type: 4,ENCRYPTED")
    return mark == "PRIVATE KEY-----" && isEncrypted
      ? "\(prefix) the private key in '\(path.printable)' is encrypted: write it without a passphrase, e.g. with "
        + "'openssl pkey', and let only yourself read it" : nil
  }
}

// MARK: Secrets from files, as systemd, Docker and Kubernetes hand them to a program

/// Folders with one file for each secret.
struct SecretFiles {
  /// Largest size of a secret's file, in bytes.
  private static let most = 1 << 20

  /// Folders in the order in which they are looked at.
  private let folders: [String]
  /// The folder that the caller names, for which no other folder is a substitute.
  private let named: String?

  init(_ options: RunOptions) {
    let given = [options.secretsFolder, options.environment["CREDENTIALS_DIRECTORY"], "/run/secrets"]
    folders = given.compactMap { $0.flatMap { $0.isEmpty ? nil : $0 } }
    named = options.secretsFolder
  }

  /// The paths at which a file is looked for, in this order.
  func paths(of name: String) -> [String] { folders.map { $0 + "/" + name } }

  /// Returns the text of a file without its last line end; nil if no folder has the file.
  ///
  /// - Throws: `InputError` if a file can't be read, or if the folder of `--secrets` is none.
  func text(of name: String) throws(InputError) -> String? {
    if let named, (try? OutputPath.metadata(of: named, calls: .system))?.kind != .folder {
      throw InputError(problem: "'\(named.printable)' of --secrets is not a folder: give the one with the secrets")
    }
    for path in paths(of: name) {
      let file: FileMetadata
      do {
        guard let found = try OutputPath.metadata(of: path, calls: .system) else { continue }
        file = found
      } catch .failed(let problem) {
        throw InputError(problem: problem)
      } catch {
        throw InputError(problem: "'\(path.printable)' can't be read")
      }
      guard file.kind == .regular, file.size <= Self.most else {
        throw InputError(problem: "'\(path.printable)' is not a file of at most 1 MB")
      }
      guard let text = String(validating: try Input(path: path).readAll(limit: Input.mostSettings), as: UTF8.self)
      else {
        throw InputError(problem: "'\(path.printable)' is not UTF-8")
      }
      let end = text.hasSuffix("\r\n") ? 2 : text.hasSuffix("\n") ? 1 : 0
      return String(decoding: text.utf8.dropLast(end), as: UTF8.self)
    }
    return nil
  }

  /// The folders, for a message.
  var list: String { folders.map { "'\($0.printable)'" }.joined(separator: ", ") }
}

// The files of secrets that specs name.

/// Reasons why files of secrets have no text, by the names of their variables.
struct FileReadings {
  /// Files that do not exist, or are empty.
  var missing: [String: String] = [:]
  /// Files that can't be read.
  var broken: [String: String] = [:]
}

extension RunOptions {
  /// Reads the files that the specs name into the environment.
  mutating func readFiles(of specs: [Spec]) -> FileReadings {
    let folders = SecretFiles(self)
    var readings = FileReadings()
    for name in RunPlan.environmentNames(specs) {
      guard let file = Template.Hole.file(ofVariable: name) else { continue }
      do {
        let text = try folders.text(of: file)
        environment[name] = text ?? ""
        if text?.isEmpty != false {
          readings.missing[name] =
            text == nil ? "no file '\(file.printable)' is in \(folders.list); see --secrets" : "the file is empty"
        }
      } catch {
        environment[name] = ""
        readings.broken[name] = error.problem
      }
    }
    return readings
  }
}

// The secrets of a run, for messages that are printed without the run.

extension RunOptions {
  /// Makes the run one that is answered from a recording, which has no secrets.
  mutating func replay(_ specs: [Spec]) {
    isReplay = true
    for name in RunPlan.environmentNames(specs) { environment[name] = "***" }
  }

  /// Returns the values of the variables and files that the specs name.
  package func secrets(of specs: [Spec]) -> SecretStore {
    var options = self
    _ = options.readFiles(of: specs)
    let names = RunPlan.environmentNames(specs)
    return SecretStore(names.map { options.environment.text(of: $0) }.filter { !$0.isEmpty })
  }
}

// Passwords of proxies, which libcurl itself reads from the environment.

extension Environment {
  /// Variables that libcurl reads for http and https; for http only the lower-case name.
  private static let proxyNames = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

  /// Passwords of all proxies, as spelled and as decoded, and the form that is sent (RFC 7617).
  var proxySecrets: [String] {
    Self.proxyNames.compactMap { self[$0] }.flatMap(Self.secrets)
  }

  private static func secrets(ofProxy proxy: String) -> [String] {
    let scheme = proxy.firstRange(of: "://")
    let rest = proxy[(scheme?.upperBound ?? proxy.startIndex)...]
    guard let end = rest.lastIndex(of: "@"), let mark = rest[..<end].firstIndex(of: ":") else { return [] }
    let password = String(rest[rest.index(after: mark)..<end])
    let (user, meant) = (rest[..<mark].percentDecoded, password.percentDecoded)
    let pair = Data(user + [UInt8(ascii: ":")] + meant).base64EncodedString()
    return [password, String(decoding: meant, as: UTF8.self), pair].filter { !$0.isEmpty }
  }
}
