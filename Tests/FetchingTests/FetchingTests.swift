import Testing

@testable import Fetching
