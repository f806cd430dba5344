package approval_test

import (
	"encoding/base64"
	"testing"

	"github.com/localpass/localpass/approval"
)

// Only a sealed state itself can be opened, not any other text.
func FuzzStateOpen(f *testing.F) {
	s := newState(f, approval.StateOptions{})
	r, call := sealable("ap_1")
	text := seal(f, s, r)
	raw, _ := base64.RawURLEncoding.DecodeString(text)
	f.Add([]byte(text), uint(0), byte(0), false)
	f.Add([]byte(text), uint(5), byte(1), true)
	f.Add([]byte(""), uint(0), byte(0), false)
	f.Add([]byte("AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"), uint(1), byte(7), true)
	f.Add([]byte(base64.RawURLEncoding.EncodeToString(raw[:len(raw)-1])), uint(3), byte(255), false)
	f.Fuzz(func(t *testing.T, given []byte, at uint, xor byte, whole bool) {
		if whole { // a changed state
			given = []byte(text)
		}
		if len(given) > 0 {
			given[at%uint(len(given))] ^= xor
		}
		claim, err := s.Open(t.Context(), string(given), call)
		if string(given) == text {
			if err != nil || claim != "ap_1" {
				t.Fatalf("the real one does not open: %v", err)
			}
			return
		}
		if err == nil {
			t.Fatalf("%q opens", given)
		}
	})
}
