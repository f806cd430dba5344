// Package hubtest contains helpers for the tests of several packages of mcphub: hubs with
// tools, servers in separate processes, and sessions that end with a test.
package hubtest
