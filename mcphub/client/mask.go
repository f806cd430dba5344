package client

import (
	"encoding/json"

	"github.com/localpass/localpass/toolspec/secret"
)

// Mask masks the secrets of a connection: those in its configuration, and changing
// credentials.
type Mask struct {
	fixed  *secret.Redactor
	moving func() *secret.Redactor // nil if there is none
}

// MaskOf returns the Mask of a session. It is the zero value, which masks nothing, if the
// session was not made by [Connect] or a transport of this package.
func MaskOf(s Session) Mask {
	if own, ok := s.(*session); ok {
		return own.mask
	}
	return Mask{}
}

// movingMask returns the mask of credentials that know their secrets.
func movingMask(creds Credentials) func() *secret.Redactor {
	if c, ok := creds.(SecretCredentials); ok {
		return c.Redactor
	}
	return nil
}

// String masks a text.
func (m Mask) String(text string) string {
	text = m.fixed.String(text)
	if m.moving != nil {
		text = m.moving().String(text)
	}
	return text
}

// JSON masks a JSON value.
func (m Mask) JSON(raw json.RawMessage) json.RawMessage {
	raw = m.fixed.JSON(raw)
	if m.moving != nil {
		raw = m.moving().JSON(raw)
	}
	return raw
}
