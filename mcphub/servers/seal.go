package servers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/canon"
	"github.com/localpass/localpass/internal/canon/scan"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/toolspec/secret"
)

// A record is stored with its secrets sealed: each value that is masked when a connection
// is shown is stored as a sealed text. Everything else stays readable, including
// placeholders.

// sealed returns the record in its stored form. Values that could not be decrypted stay
// as they are.
func (r *Record) sealed(vault *secret.Vault) (Record, error) {
	out := r.Clone()
	if vault == nil {
		return out, nil
	}
	place := r.place(isSecret)
	var failed error
	err := out.eachValue(func(path []string, raw, shown []byte) []byte {
		if !isSecret(raw, shown) || r.closed[strings.Join(path, ".")] == string(raw) {
			return raw
		}
		text, err := vault.Seal(raw, place(path))
		if err != nil {
			failed = fmt.Errorf("servers: server %q: %s cannot be sealed: %w", r.ID, strings.Join(path, "."), err)
		}
		return rpc.AppendString(nil, text)
	})
	return out, errors.Join(err, failed)
}

// open decrypts the sealed values of a stored record. A value that cannot be decrypted
// stays sealed and is recorded. plain reports that the record contains an unsealed
// secret.
func (r *Record) open(vault *secret.Vault) (plain bool, err error) {
	place := r.place(func(raw, _ []byte) bool { return isSealed(raw) })
	err = r.eachValue(func(path []string, raw, shown []byte) []byte {
		if !isSealed(raw) {
			plain = plain || !bytes.Equal(raw, shown)
			return raw
		}
		name := strings.Join(path, ".")
		why := errors.New("this program has no key")
		if vault != nil {
			sealed, _ := rpc.Text(raw)
			var value []byte
			if value, why = vault.Open(sealed, place(path)); why == nil && rpc.ValidJSON(value) {
				return value
			}
		}
		if r.closed == nil {
			r.closed = map[string]string{}
		}
		r.closed[name], r.whyClosed = string(raw), why
		return raw
	})
	return plain, err
}

// errClosed names the values that could not be decrypted; nil if there are none.
func (r *Record) errClosed() error {
	if len(r.closed) == 0 {
		return nil
	}
	return fmt.Errorf("%s cannot be opened: bring back the key that this home had, or save the values again: %w",
		strings.Join(slices.Sorted(maps.Keys(r.closed)), ", "), r.whyClosed)
}

// stillClosed records which of the values that could not be decrypted remain in a record
// that replaces another.
func (r *Record) stillClosed(before *Record) {
	was := before.closed
	r.closed, r.whyClosed = nil, before.whyClosed
	_ = r.eachValue(func(path []string, raw, _ []byte) []byte { // valid, because it was parsed before
		if name := strings.Join(path, "."); was[name] != "" && was[name] == string(raw) {
			if r.closed == nil {
				r.closed = map[string]string{}
			}
			r.closed[name] = string(raw)
		}
		return raw
	})
}

// isSealed reports whether a value is sealed.
func isSealed(raw []byte) bool {
	s, ok := rpc.Text(raw)
	return ok && secret.IsSealed(s)
}

// isSecret reports whether a value is sealed when the record is stored: a value that is
// masked when it is shown, or that could be mistaken for a sealed one.
func isSecret(raw, shown []byte) bool {
	return !bytes.Equal(raw, shown) || isSealed(raw)
}

// eachValue replaces the values of the connection and of unknown members with the results
// of visit. shown is a value in the form that may be shown.
func (r *Record) eachValue(visit func(path []string, raw, shown []byte) []byte) error {
	if len(bytes.TrimSpace(r.Connection)) > 0 {
		if !rpc.ValidJSON(r.Connection) {
			return errors.New("the definition of its connection must be a JSON object")
		}
		shown, _ := maskedConnection(r.Connection)
		r.Connection = eachLeaf([]string{"connection"}, bytes.TrimSpace(r.Connection), shown, visit)
	}
	for name, value := range r.Extra {
		if !rpc.ValidJSON(value) {
			return fmt.Errorf("the member %q is not JSON", name)
		}
		m := &connectionMask{}
		path := []string{name}
		value = bytes.TrimSpace(value)
		r.Extra[name] = eachLeaf(path, value, m.value(path, value, hidesName(name)), visit)
	}
	return nil
}

// eachLeaf walks through two forms of one value.
func eachLeaf(path []string, raw, shown []byte, visit func(path []string, raw, shown []byte) []byte) []byte {
	at := func(name string) []string { return append(slices.Clone(path), name) }
	switch scan.KindOf(raw) {
	case scan.Object:
		all := rpc.Object(shown)
		dst := []byte{'{'}
		_ = rpc.ScanObject(raw, func(token, name, value []byte) { // valid, because it was parsed before
			dst = append(append(rpc.Comma(dst), token...), ':')
			dst = append(dst, eachLeaf(at(string(name)), value, all[string(name)], visit)...)
		})
		return append(dst, '}')
	case scan.Array:
		var all [][]byte
		rpc.Elements(shown, func(v []byte) { all = append(all, v) })
		dst := []byte{'['}
		n := 0
		rpc.Elements(raw, func(value []byte) {
			dst = append(rpc.Comma(dst), eachLeaf(at(fmt.Sprint(n)), value, all[n], visit)...)
			n++
		})
		return append(dst, ']')
	}
	return visit(path, raw, shown)
}

// place returns the place for which a value is sealed: its path in the record, and where
// the connection leads. So a person who can write to the home directory but has no key
// cannot send a value elsewhere. away identifies the values that are, or will be, sealed.
func (r *Record) place(away func(raw, shown []byte) bool) func(path []string) string {
	rest := Record{Connection: r.Connection}
	_ = rest.eachValue(func(_ []string, raw, shown []byte) []byte { // the second walk reports what cannot be parsed
		if away(raw, shown) {
			return rpc.AppendString(nil, secret.Mask)
		}
		return raw
	})
	leads, _ := destination(r.Kind, rest.Connection)
	bound := canon.Digest([]byte(leads))
	return func(path []string) string {
		return strings.Join([]string{serversCollection, r.ID, strings.Join(path, "."), bound}, "/")
	}
}

// decode parses a document of the store, and decrypts what is sealed in it.
func (c *Connections) decode(doc localpass.Document) (r *Record, plain bool, err error) {
	r = &Record{}
	if err = doc.Decode(r); err == nil {
		plain, err = r.open(c.opts.Vault)
	}
	if err == nil {
		err = r.Validate()
	}
	switch {
	case err != nil:
		return nil, false, err
	case doc.Key != "" && r.ID != doc.Key:
		return nil, false, fmt.Errorf("servers: the record of the server %q says that it is %q", doc.Key, r.ID)
	}
	r.Version, r.Updated = doc.Version, doc.Updated
	return r, plain, nil
}

// reseal rewrites a record whose secrets are stored unsealed. If another program has done
// it first, it does nothing.
func (c *Connections) reseal(ctx context.Context, r *Record) {
	if c.opts.Vault == nil {
		return
	}
	doc, err := c.putRecord(ctx, r)
	switch {
	case err == nil:
		r.Version, r.Updated = doc.Version, doc.Updated
	case !errors.Is(err, localpass.ErrConflict) && ctx.Err() == nil:
		c.tel.Log().Warn("servers: the secrets of a server stay in its record as they are", "server", r.ID, "error", err)
	}
}

// putRecord writes a record with its secrets sealed.
func (c *Connections) putRecord(ctx context.Context, r *Record) (localpass.Document, error) {
	kept, err := r.sealed(c.opts.Vault)
	if err != nil {
		return localpass.Document{}, err
	}
	data, err := json.Marshal(kept)
	if err != nil {
		return localpass.Document{}, err
	}
	return c.store.Put(ctx, serversCollection, r.ID, localpass.Document{Version: r.Version, Data: data})
}
