import Testing

@testable import Emitting
