import Testing

@testable import PagecatTool
