/// Text of the steps into a record, as in templates: `address.city`, `tags[2]`, `["odd name"]`.
enum KeyPathText {
  static func member(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      default: false
      }
    }
    return isPlain && !name.isEmpty ? name : "[\"\(name)\"]"
  }

  static func element(_ index: Int) -> String { "[\(index)]" }

  static func joined(_ steps: [String]) -> String {
    steps.reduce("") { path, step in path.isEmpty || step.hasPrefix("[") ? path + step : path + "." + step }
  }
}
