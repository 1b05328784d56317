import JSONText
import Primitives

/// Marks by job, and within a job perhaps by id, as files have them.
struct MarkSet: Sendable {
  private enum Marks: Sendable, Equatable {
    case one(JSONValue)
    case byID([ExactText: JSONValue])
  }

  private var marks: [String: Marks] = [:]

  init(_ json: JSONValue? = nil) {
    if let json { merge(json) }
  }

  var isEmpty: Bool { marks.isEmpty }

  /// Adds marks, which replace those of the same job or id.
  mutating func merge(_ json: JSONValue) {
    for (name, value) in json.members.map({ ($0.name, $0.value) }) {
      guard value.kind == .object else {
        marks[name] = .one(value)
        continue
      }
      var byID: [ExactText: JSONValue] = [:]
      if case .byID(let known)? = marks.removeValue(forKey: name) { byID = known }
      for member in value.members { byID[ExactText(member.name)] = member.value }
      marks[name] = .byID(byID)
    }
  }

  /// Reports that all marks of another set are here.
  func contains(_ other: MarkSet) -> Bool {
    other.marks.allSatisfy { name, wanted in
      switch (marks[name], wanted) {
      case (.byID(let known)?, .byID(let wanted)): wanted.allSatisfy { known[$0.key] == $0.value }
      case (let known, let wanted): known == wanted
      }
    }
  }

  var json: JSONValue {
    JSONValue(
      members: marks.sorted { $0.key < $1.key }.map { name, marks in
        switch marks {
        case .one(let mark): (name, mark)
        case .byID(let byID):
          (name, JSONValue(members: byID.sorted { $0.key < $1.key }.map { ($0.key.text, $0.value) }))
        }
      })
  }
}
