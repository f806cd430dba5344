// Package filelock locks files among processes and makes file names durable. On a system
// without locks that end with their process, no lock is granted.
package filelock
