// Shared by the tests of all rooms: a loopback server that misbehaves, and a folder of its own per test.
//
//     let server = try LoopbackServer { request in .json("[1,2,3]") }
//     let url = server.url("/coins?page=1")
//
// Nothing here sleeps: a test waits for something that happens (`Gate`, `Watched`, `LoopbackServer.requests(atLeast:)`).
