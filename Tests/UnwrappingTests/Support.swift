// Spellings that keep the tables of these tests short.

import Files
import JSONText
import Primitives
import Testing
import Unwrapping
import Wire

/// A record, rewritten; throws what the shape throws.
func shaped(
  _ record: String, keys: Shape.Keys? = nil, dates: [(name: String, form: TimeForm)] = [],
  types: [(path: JSONPath, type: Shape.ValueType)] = [],
  model: [Shape.Member]? = nil
) throws -> String {
  let read = dates.map { (path: [$0.name] as JSONPath, reading: Shape.Reading.date($0.form)) }
  let shape = Shape(keys: keys, members: read + types.map { ($0.path, .type($0.type)) }, model: model)
  return try Reshaper(shape).apply(to: JSONValue(parsing: Array(record.utf8))).text
}

/// `("id", .integer)`, and `("note?", .string)` for an optional one.
func members(_ members: (String, Shape.Kind)...) -> [Shape.Member] {
  members.map { name, kind in
    let isOptional = name.hasSuffix("?")
    return Shape.Member(name: isOptional ? String(name.dropLast()) : name, kind: kind, isOptional: isOptional)
  }
}

/// What is wrong with a record, as `keyPath: expected, found`, or nil when nothing is.
func complaint(
  _ record: String, keys: Shape.Keys? = nil, dates: [(name: String, form: TimeForm)] = [],
  types: [(path: JSONPath, type: Shape.ValueType)] = [],
  model: [Shape.Member]? = nil
) throws -> String? {
  do {
    _ = try shaped(record, keys: keys, dates: dates, types: types, model: model)
    return nil
  } catch let error as ModelError {
    return "\(error.keyPath): \(error.expected), \(error.found)"
  }
}

/// All the lines that a spool holds, as text.
///
/// It knows how many they are.
func text(of spool: Spool) throws -> String {
  var bytes: [UInt8] = []
  while let held = try spool.nextLines() {
    #expect(held.count == lineCount(of: held.lines))
    bytes += held.lines
  }
  return String(decoding: bytes, as: UTF8.self)
}

/// A body unwrapped in chunks of that size.
func unwrapped(
  _ body: [UInt8], at content: JSONPath = [], captures: [JSONPath] = [], shape: Shape? = nil, chunk: Int = .max
) throws -> Page {
  var options = UnwrapOptions(content: content, captures: captures)
  options.reshaper = shape.map { Reshaper($0) }
  options.wantsHash = true
  options.lastPaths = [[], ["id"], ["b", "c_d", "1"]]
  var unwrapper = Unwrapper(options) { Spool() }
  var rest = body[...]
  while !rest.isEmpty {
    try unwrapper.take(Array(rest.prefix(chunk)))
    rest = rest.dropFirst(chunk)
  }
  return try unwrapper.finish()
}

func unwrapped(
  _ body: String, at content: JSONPath = [], captures: [JSONPath] = [], shape: Shape? = nil, chunk: Int = .max
) throws -> Page {
  try unwrapped(Array(body.utf8), at: content, captures: captures, shape: shape, chunk: chunk)
}
