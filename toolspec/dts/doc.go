// Package dts writes TypeScript declarations of tools, for code that calls them from a
// script and for models that read types better than JSON Schema.
package dts
