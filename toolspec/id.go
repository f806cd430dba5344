package toolspec

import (
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // version 5 of RFC 9562 is defined with SHA-1; nothing is protected by it
	"encoding/hex"
)

// idNamespace is itself the version 5 UUID of
// "https://github.com/localpass/localpass/toolspec" in the URL namespace of RFC 9562.
// It never changes.
const idNamespace = "3762be9e-9c91-51ee-8275-b1a0851dc8fb"

// ID returns the tool id of the document. If it has none, it returns the version 5 UUID
// (RFC 9562) of its name in the namespace 3762be9e-9c91-51ee-8275-b1a0851dc8fb. Store the
// id in ToolID before you rename such a spec.
func (s *Spec) ID() string {
	if s.ToolID != "" {
		return s.ToolID
	}
	return uuid5(idNamespace, s.Name)
}

// uuid5 makes the name-based UUID of RFC 9562, section 5.5.
func uuid5(namespace, name string) string {
	var space [16]byte
	for i, j := 0, 0; i < len(space); j += 2 {
		if namespace[j] == '-' {
			j++
		}
		_, _ = hex.Decode(space[i:i+1], []byte(namespace[j:j+2]))
		i++
	}
	h := sha1.New() //nolint:gosec // see above
	h.Write(space[:])
	h.Write([]byte(name))
	id := h.Sum(nil)[:16]
	id[6] = id[6]&0x0f | 0x50
	id[8] = id[8]&0x3f | 0x80
	return uuidText([16]byte(id))
}

// uuidText is the usual form of a UUID.
func uuidText(id [16]byte) string {
	out := make([]byte, 36)
	hex.Encode(out[0:8], id[0:4])
	hex.Encode(out[9:13], id[4:6])
	hex.Encode(out[14:18], id[6:8])
	hex.Encode(out[19:23], id[8:10])
	hex.Encode(out[24:36], id[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out)
}

// RenewID gives the spec another ToolID: a random UUID (RFC 9562, version 4).
func (s *Spec) RenewID() {
	var id [16]byte
	rand.Read(id[:]) // never fails
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	s.ToolID = uuidText(id)
}
