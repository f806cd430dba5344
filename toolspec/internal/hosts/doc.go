// Package hosts reads and compares the host patterns of specs, such as
// "GET api.example.com/v1/*".
package hosts
