// Package apitest is a client for the tests of the HTTP faces. It holds every answer of
// an API against the description that the API gives of itself.
package apitest
