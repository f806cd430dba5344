// Package observeapi serves the traces of an [observe.Collector] over HTTP: lists, single
// traces, a stream of changes, and files for OpenTelemetry.
//
//	GET /api/observe/traces          the traces, the newest first, in pages
//	GET /api/observe/traces/{id}     one with its spans; ?format=otlp as a file
//	GET /api/observe/stream          server-sent events of traces that are new or changed
//	GET, PUT /api/observe/pricing    the prices of models, with what was used of each
//	POST /api/observe/pricing/preview   what models would cost by other prices
//
// [API] is an http.Handler. The zero [Options] serve loopback connections only.
package observeapi
