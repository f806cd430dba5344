// Package apitest is a client for the tests of the HTTP APIs. It checks every answer of
// an API against the API's own description.
package apitest
