// The first request of each job, as far as the spec tells.

import Engine
import Primitives
import FetchPlan
import Fetching
import JSONText
package import PipelineSpec
import Wire

extension Spec {
  /// Method and URL of each job's first request; unknown values appear as their templates.
  ///
  /// A job is left out if nothing is known without the values of parameters, such as the ends of a span.
  package var firstRequests: [(job: String, request: String)] {
    var run = RunValues(start: Int(SystemClock().unixTime))
    run.netrc = RunPlan.anyLogin
    for parameter in parameters {
      run.parameters[parameter.name] =
        parameter.standard.map {
          RunValues.Parameter(value: $0, text: parameter.isList ? $0.text : parameter.spelling)
        } ?? parameter.template.map { value(ofDefault: $0, run) } ?? standIn(for: parameter.name)
    }
    for hole in jobs.flatMap(\.templates).flatMap(\.holes) where hole.fallback == nil && !hole.isOptional {
      if let name = hole.variable { run.environment[name] = StandIn.template(hole.spelling).text }
    }
    for hole in jobs.compactMap(\.base?.originHole) where hole.root == .env {
      if let name = hole.variable { run.environment[name] = StandIn.url(hole.spelling).text }
    }
    return jobs.compactMap { job in
      guard job.endpoint != nil, let plan = try? JobPlan(job: job, specName: name, run: run, userAgent: ""),
        let request = try? plan.outlinedRequest()
      else { return nil }
      return (job.name, "\(request.method) \(StandIn.formatted(request.url.text.hidingCredentials))")
    }
  }

  /// Returns the value of a default, in which stand-ins replace variables.
  private func value(ofDefault template: Template, _ run: RunValues) -> RunValues.Parameter {
    var run = run
    for hole in template.holes { hole.variable.map { run.environment[$0] = StandIn.template(hole.spelling).text } }
    return run.parameter(by: template, in: name)
  }

  /// Returns a value that stands for a required parameter.
  private func standIn(for name: String) -> RunValues.Parameter {
    let origin = jobs.lazy.compactMap(\.base?.originHole).first {
      $0.root == .param && $0.path.steps.first?.name == name
    }
    let standIn = origin.map { StandIn.url($0.spelling) } ?? StandIn.template("${param.\(name)}")
    return RunValues.Parameter(value: JSONValue(standIn.text), text: standIn.text)
  }
}
