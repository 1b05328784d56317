import Testing

@testable import Unwrapping
