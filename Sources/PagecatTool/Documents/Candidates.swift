/// The values that a shell may propose for a flag.
enum Candidates: Hashable {
  case files
  case folders
  case words([String])
  /// The steps of the specs on the command line.
  case steps
  /// Any value, so that nothing can be proposed.
  case none

  init(_ flag: Flag) {
    let value = flag.value ?? ""
    if value.hasPrefix("FILE") {
      self = .files
    } else if value == "DIR" {
      self = .folders
    } else if value == "STEP" {
      self = .steps
    } else if value.contains("|") {
      self = .words(value.split(separator: "|").map(String.init))
    } else if flag.name == Flag.allow.name {
      self = .words(["partial", "short", "partial,short"])
    } else {
      self = .none
    }
  }
}
