// Shared by the tests of all rooms: a loopback server that misbehaves, cases as files, a folder of its own per test.
