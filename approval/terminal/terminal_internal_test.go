package terminal

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/internal/asking"
	"github.com/localpass/localpass/toolspec"
)

// keys is a console with scripted input, in pieces.
type keys struct {
	pieces []string
	out    strings.Builder
}

func (k *keys) read(p []byte) (int, error) {
	if len(k.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(p, k.pieces[0])
	if k.pieces[0] = k.pieces[0][n:]; k.pieces[0] == "" {
		k.pieces = k.pieces[1:]
	}
	return n, nil
}

func (k *keys) write(_ context.Context, p []byte) error { k.out.Write(p); return nil }
func (k *keys) raw() error                              { return nil }
func (k *keys) cooked() error                           { return nil }
func (k *keys) discard() error                          { return nil }
func (k *keys) width() int                              { return 0 } // an invalid width
func (k *keys) run(context.Context, []string) error     { return errors.ErrUnsupported }
func (k *keys) close()                                  {}
func typing(pieces ...string) (*sitting, *keys) {
	k := &keys{pieces: pieces}
	return &sitting{terminal: &terminal{opts: Options{Arm: time.Nanosecond}, turn: make(chan struct{}, 1)}, console: k}, k
}

func TestTerminalLine(t *testing.T) {
	for name, tc := range map[string]struct {
		typed []string
		want  string
		err   error
	}{
		"a line":                 {[]string{"yes\r"}, "yes", nil},
		"in pieces":              {[]string{"y", "e", "s", "\n"}, "yes", nil},
		"blanks around":          {[]string{"  yes \r"}, "yes", nil},
		"a character in pieces":  {[]string{"\xec", "\x84\x9c", "\r"}, "서", nil},
		"erased":                 {[]string{"yo\x7fes\r"}, "yes", nil},
		"erased, wide":           {[]string{"y서\x08es\r"}, "yes", nil},
		"erased too often":       {[]string{"\x7f\x7fy\r"}, "y", nil},
		"killed":                 {[]string{"no\x15yes\r"}, "yes", nil},
		"arrows":                 {[]string{"y\x1b[A\x1b[1;5D\x1bOPes\r"}, "yes", nil},
		"escape alone":           {[]string{"\x1by\r"}, "y", nil},
		"controls":               {[]string{"\x00y\x01\x1ae\ts\r"}, "yes", nil},
		"no UTF-8":               {[]string{"y\xff\xfees\r"}, "yes", nil},
		"Ctrl-C":                 {[]string{"yes\x03\r"}, "", asking.ErrInterrupted},
		"Ctrl-D":                 {[]string{"\x04"}, "", asking.ErrInterrupted},
		"Ctrl-D within":          {[]string{"ye\x04s\r"}, "yes", nil},
		"two lines":              {[]string{"y\ry\r"}, "", asking.ErrPasted},
		"a line and a half":      {[]string{"y\r\ny"}, "", asking.ErrPasted},
		"carriage and feed":      {[]string{"y\r\n"}, "y", nil},
		"gone":                   {[]string{"ye"}, "", io.EOF},
		"longer than is allowed": {[]string{strings.Repeat("y", maxLine+10), "\r"}, strings.Repeat("y", maxLine), nil},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := typing(tc.typed...)
			got, err := s.line(t.Context())
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Fatalf("%.40q, %v", got, err)
			}
		})
	}
}

// For any input in any pieces, only a complete answer approves, and only this program
// moves the cursor.
func FuzzTerminalKeys(f *testing.F) {
	f.Add("y\r", uint8(1), false)
	f.Add("e\r{\"a\":1}\ry\r", uint8(2), false)
	f.Add("r\x1b[A\xff\r", uint8(3), true)
	f.Add("v\rs\ra\rn\r", uint8(4), true)
	f.Add("y\rwriteNote\r", uint8(9), true)
	f.Fuzz(func(t *testing.T, typed string, step uint8, critical bool) {
		pieces := []string{"x"} // typed before the question accepts input
		for size := int(step)%7 + 1; len(typed) > 0; {
			n := min(size, len(typed))
			pieces, typed = append(pieces, typed[:n]), typed[n:]
		}
		all := strings.Join(pieces[1:], "")
		s, k := typing(pieces...)
		r := &approval.Request{ID: "r1", Tool: "writeNote", Level: toolspec.L3, Arguments: []byte(`{"a":1}`), Schema: []byte(`{"type":"object"}`), Scopes: []approval.Scope{approval.ScopeOnce, approval.ScopeArguments}}
		if critical {
			r.Level, r.Confirm = toolspec.L5, "writeNote"
		}
		got, _, err := asking.Ask(t.Context(), s, []approval.Request{*r}, &asking.Options{})
		if err == nil && got[0].Outcome == approval.Approved {
			if !strings.ContainsAny(strings.ToLower(all), "ys") || critical && !strings.Contains(strings.NewReplacer("\x7f", "", "\x08", "").Replace(all), "N") {
				t.Fatalf("%q approved", all)
			}
			if critical && got[0].Confirm != "writeNote" {
				t.Fatalf("%q approved without the name", all)
			}
		}
		out := k.out.String()
		if !utf8.ValidString(out) || strings.ContainsAny(out, "\x1b\x00\x07\u009b\u202e") {
			t.Fatalf("%q on the screen", out)
		}
	})
}
