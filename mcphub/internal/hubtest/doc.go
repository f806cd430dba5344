// Package hubtest holds what the tests of several packages of mcphub need: hubs with
// tools, servers in processes of their own, and sessions that end with a test.
package hubtest
