import Testing

@testable import Pagecat
