package charset_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/localpass/localpass/sandbox/internal/charset"
)

func Example() {
	name, ok := charset.Name("Latin1")
	fmt.Println(name, ok, charset.Decode(name, []byte{'c', 'a', 'f', 0xe9}))
	// Output: windows-1252 true café
}

// Wherever a text is divided, it decodes to the same.
func TestParts(t *testing.T) {
	for _, tt := range []struct {
		name, data, want string
		valid            bool
	}{
		{charset.UTF8, "\xef\xbb\xbfaé€😀", "aé€😀", true},
		{charset.UTF8, "a\xe2\x82b\xf0\x9f\x98\xff\xc0\x80\xed\xa0\x80", "a\ufffdb\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd", false},
		{charset.UTF8, "a\xf0\x9f\x98", "a\ufffd", false},
		{charset.UTF16LE, "\xff\xfea\x00\x3d\xd8\x00\xde", "a😀", true},
		{charset.UTF16BE, "\xfe\xff\x00a\xd8\x3d\xde\x00", "a😀", true},
		{charset.UTF16BE, "\xde\x00\xde\x00\x00a\xd8\x3d\x00b\xd8\x3d", "\ufffd\ufffda\ufffdb\ufffd", false},
		{charset.UTF16LE, "a\x00\x3d\xd8b", "a\ufffd", false},
		{charset.UTF16LE, "a\x00b", "a\ufffd", false},
		{charset.Windows1252, "\x80\x81\xe9", "€\u0081é", true},
	} {
		for i := range len(tt.data) + 1 {
			d := charset.Decoder{Name: tt.name}
			first, ok := d.Decode([]byte(tt.data[:i]), false)
			second, ok2 := d.Decode([]byte(tt.data[i:]), true)
			assert.Equal(t, tt.want, first+second, "%+q at %d", tt.data, i)
			assert.Equal(t, tt.valid, ok && ok2, "%+q at %d", tt.data, i)
		}
	}
}
