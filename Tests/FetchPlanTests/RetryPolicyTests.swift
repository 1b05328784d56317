import PipelineSpec
import Testing
import Wire

@testable import FetchPlan

@Suite struct RetryPolicyTests {
  @Test("the statuses that 'check' and the reference name are those that a run retries")
  func statuses() {
    #expect(RetryPolicy(Job.Retry()).statuses == Job.Retry.standardStatuses)
    #expect(RetryPolicy().statuses == Job.Retry.standardStatuses)
  }
}
