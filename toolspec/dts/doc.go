// Package dts writes TypeScript declarations of tools, for scripts that call tools and
// for models that understand types better than JSON Schema.
package dts
