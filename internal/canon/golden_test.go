package canon_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/internal/canon"
)

// Digests are kept for years in receipts, grants and audit logs, so the form may
// never change. Each digest here is that of what 5,000 hostile texts became when
// it was recorded: their forms, or that they were refused.
func TestFormIsAsRecorded(t *testing.T) {
	for seed, want := range []string{
		"93577a1f8b983f066479a17061e8b044ab0752930ffa41e9fd2e0d68d0230fd7", "53881c3035eb33d4836c0eb48b9ee39cd9dad22ce971f54a1f7064a0b485fb98",
		"69140ddf147571ed5d36d00dbd50d1adfe0233e6b920fc9e00d59ca4cdc267b9", "e92a4d2f067d4141347c177eb7c737baf1aa73f684938cb01aa41ddf52809569",
	} {
		h := &hostile{r: rand.New(rand.NewPCG(uint64(seed), 17))}
		sum := sha256.New()
		refused := 0
		for range 5_000 {
			text := h.text()
			form, err := canon.Transform([]byte(text))
			if err != nil {
				refused++
				form = []byte("refused")
			}
			fmt.Fprintf(sum, "%d:%s\n%d:%s\n", len(text), text, len(form), form)
		}
		assert.Equal(t, want, hex.EncodeToString(sum.Sum(nil)), "seed %d, %d refused", seed, refused)
	}
}

// hostile writes JSON texts with every spelling of a number and
// a string, and with mistakes.
type hostile struct {
	r *rand.Rand
	b strings.Builder
}

func (h *hostile) text() string {
	h.b.Reset()
	h.blank()
	h.value(5)
	h.blank()
	text := h.b.String()
	if h.r.IntN(8) == 0 && text != "" { // a byte that is lost, changed or doubled
		i := h.r.IntN(len(text))
		switch h.r.IntN(3) {
		case 0:
			text = text[:i] + text[i+1:]
		case 1:
			text = text[:i] + string([]byte{byte(h.r.IntN(256))}) + text[i+1:]
		case 2:
			text = text[:i] + text[i:i+1] + text[i:]
		}
	}
	return text
}

func (h *hostile) one(of ...string) { h.b.WriteString(of[h.r.IntN(len(of))]) }

func (h *hostile) blank() {
	if h.r.IntN(4) == 0 {
		h.one(" ", "\t", "\n", "\r\n", "  ")
	}
}

func (h *hostile) value(depth int) {
	kind := h.r.IntN(10)
	if depth == 0 {
		kind %= 6
	}
	switch {
	case kind == 0:
		h.one("null", "true", "false")
	case kind < 3:
		h.str()
	case kind < 6:
		h.number()
	case kind < 8:
		h.list("[", "]", func() { h.value(depth - 1) })
	default:
		h.list("{", "}", func() {
			h.str()
			h.blank()
			h.b.WriteByte(':')
			h.blank()
			h.value(depth - 1)
		})
	}
}

func (h *hostile) list(begin, end string, entry func()) {
	h.b.WriteString(begin)
	h.blank()
	for i := range h.r.IntN(5) {
		if i > 0 {
			h.b.WriteByte(',')
			h.blank()
		}
		entry()
		h.blank()
	}
	h.b.WriteString(end)
}

func (h *hostile) str() {
	h.b.WriteByte('"')
	for range h.r.IntN(4) {
		switch h.r.IntN(8) {
		case 0:
			h.one("a", "b", "z", "name", "é", "דּ", "\uFFFF", "\U00010000", "😀", "\u2028", "\x7f", "<&>")
		case 1:
			h.one(`\b`, `\f`, `\n`, `\r`, `\t`, `\"`, `\\`, `\/`)
		case 2:
			fmt.Fprintf(&h.b, `\u%04x`, h.r.IntN(0x30))
		case 3:
			fmt.Fprintf(&h.b, `\u%04X`, 0xD800+h.r.IntN(0x800)) // a surrogate
		case 4:
			fmt.Fprintf(&h.b, `\u%04x\u%04X`, 0xD800+h.r.IntN(0x400), 0xDC00+h.r.IntN(0x400)) // a pair
		case 5:
			fmt.Fprintf(&h.b, `\u%04x`, h.r.IntN(0x10000))
		case 6:
			h.one("a", "b", "c", "d")
		case 7:
			if h.r.IntN(10) == 0 {
				h.one("\xff", "\xed\xa0\x80", "\x01", `\x`, "\xc0\x80", "\n")
			}
		}
	}
	h.b.WriteByte('"')
}

func (h *hostile) number() {
	if h.r.IntN(3) == 0 {
		h.b.WriteByte('-')
	}
	switch h.r.IntN(4) {
	case 0:
		h.one("0", "1", "9007199254740993", "9007199254740992", "100000000000000000000", "1000000000000000000000", "123456789012345678901234567890", "18446744073709551616")
	default:
		h.b.WriteString(strconv.FormatUint(h.r.Uint64()>>h.r.IntN(64), 10))
		for range h.r.IntN(3) {
			h.b.WriteByte('0')
		}
	}
	if h.r.IntN(2) == 0 {
		h.b.WriteByte('.')
		h.one("", "0", "00", "000", "00000", "0000000")
		h.b.WriteString(strconv.FormatUint(h.r.Uint64()>>h.r.IntN(64), 10))
		h.one("", "0", "00")
	}
	if h.r.IntN(3) == 0 {
		h.one("e", "E")
		h.one("", "+", "-")
		h.one("0", "1", "5", "06", "20", "21", "22", "300", "308", "400", "99999", "999999999", "9999999999")
	}
}
