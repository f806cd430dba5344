package charsets_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/sandbox/charsets"
)

func Example() {
	text, ok := charsets.Decode("EUC-KR", []byte{0xc7, 0xd1, 0xb1, 0xb9})
	fmt.Println(string(text), ok)
	// Output: 한국 true
}

func TestDecode(t *testing.T) {
	for label, want := range map[string]string{
		"Shift_JIS": "\uff83\uff91", "euc-jp": "\u6065", "gbk": "\u919a", " GB18030 ": "\u919a", "big5": "\u8b58",
		"windows-1251": "\u0413\u0421", "latin2": "\u0102\u0143", "utf-8": "\ufffd\ufffd",
	} {
		text, ok := charsets.Decode(label, []byte{0xc3, 0xd1})
		assert.True(t, ok, label)
		assert.Equal(t, want, string(text), label)
	}
	_, ok := charsets.Decode("nonsense", []byte("x"))
	assert.False(t, ok)
}
