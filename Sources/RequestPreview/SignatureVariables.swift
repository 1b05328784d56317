/// Names of the shell's variables for a signature, which no variable of the specs has.
struct SignatureVariables {
  let time: String
  let hash: String
  let authorization: String

  init(besides taken: Set<String>) {
    func free(_ name: String) -> String {
      var (candidate, number) = (name, 1)
      while taken.contains(candidate) {
        number += 1
        candidate = "\(name)\(number)"
      }
      return candidate
    }
    (time, hash, authorization) = (free("TIME"), free("HASH"), free("AUTHORIZATION"))
  }
}
