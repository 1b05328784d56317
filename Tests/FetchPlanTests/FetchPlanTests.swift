import Testing

@testable import FetchPlan
