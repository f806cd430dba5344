// Package directory lists MCP servers that are known by name, and makes a [servers.Record] of
// one of them. It connects to nothing and starts nothing.
//
//	d, err := directory.New(nil)
//	...
//	entry, err := d.Get("git")
//	record, err := entry.Instantiate(&directory.Values{Set: map[string]string{"GIT_REPOSITORY": "/srv/code"}})
//
// The list of this package has 57 servers: 49 that are reached over HTTP, and 8 programs, each
// with the version of its package. An [Entry] says which values a server needs. A plain value
// is written into the record. A secret is not: the record has a placeholder, ${NAME}, for which
// the value is looked up when the server is connected to. Addresses and packages age: an entry
// is a proposal that a person looks at. [Entry.Facts] is what its risk is assessed by.
//
// [ParseRegistry] makes entries of the format of the MCP registry, server.json, which anyone
// can write. Such an entry cannot ask for the secrets of others: its placeholders begin with
// the name of the server. It starts only the known runners of packages, with an exact version
// and without options of its own; any other way to reach the server is left out, with the
// reason.
package directory
