package worker_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/internal/worker"
)

func TestFramesRoundTrip(t *testing.T) {
	var buf bytes.Buffer
	c := worker.NewConn(iotest.OneByteReader(&buf), &buf, 1<<20)
	for i, payload := range [][]byte{nil, {}, []byte("x"), bytes.Repeat([]byte("ab"), 40_000), bytes.Repeat([]byte("c"), 1<<20), []byte("after")} {
		require.NoError(t, c.Send(byte(worker.KindUser+i), uint64(i)<<40, payload))
		f, err := c.Receive()
		require.NoError(t, err)
		assert.Equal(t, byte(worker.KindUser+i), f.Kind)
		assert.Equal(t, uint64(i)<<40, f.ID)
		assert.Equal(t, len(payload), len(f.Payload))
		assert.True(t, bytes.Equal(payload, f.Payload))
	}
	_, err := c.Receive()
	assert.ErrorIs(t, err, io.EOF)
}

func frame(length uint32, rest ...byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, length), rest...)
}

func TestFramesRefused(t *testing.T) {
	body := make([]byte, 9)
	for name, tc := range map[string]struct {
		bytes []byte
		want  error
	}{
		"nothing":          {nil, io.EOF},
		"half a length":    {[]byte{0, 0}, worker.ErrFrame},
		"half a head":      {frame(20, 1, 2, 3), worker.ErrFrame},
		"too short":        {frame(8, body...), worker.ErrFrame},
		"zero":             {frame(0, body...), worker.ErrFrame},
		"too long":         {frame(9+101, body...), worker.ErrFrame},
		"absurdly long":    {frame(1<<32-1, body...), worker.ErrFrame},
		"payload cut off":  {frame(9+100, append(body, 1, 2, 3)...), worker.ErrFrame},
		"payload not sent": {frame(9+100, body...), worker.ErrFrame},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := worker.NewConn(bytes.NewReader(tc.bytes), io.Discard, 100).Receive()
			assert.ErrorIs(t, err, tc.want)
		})
	}
	err := worker.NewConn(nil, io.Discard, 100).Send(worker.KindUser, 1, make([]byte, 101))
	assert.ErrorIs(t, err, worker.ErrFrame)

	broken := errors.New("broken")
	_, err = worker.NewConn(iotest.ErrReader(broken), io.Discard, 100).Receive()
	assert.ErrorIs(t, err, broken)
	_, err = worker.NewConn(io.MultiReader(bytes.NewReader(frame(9+50, body...)), iotest.ErrReader(broken)), io.Discard, 100).Receive()
	assert.ErrorIs(t, err, broken)
	_, w := io.Pipe()
	w.Close()
	assert.Error(t, worker.NewConn(nil, w, 100).Send(worker.KindUser, 1, nil))
}

// FuzzReceive feeds bytes that nobody checked to the decoder: it must neither
// panic nor take more memory than the bytes that came.
func FuzzReceive(f *testing.F) {
	f.Add(frame(9, make([]byte, 9)...))
	f.Add(frame(1<<32-1, make([]byte, 20)...))
	f.Add(append(frame(12, make([]byte, 12)...), frame(9, make([]byte, 8)...)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := worker.NewConn(bytes.NewReader(data), io.Discard, 1<<16)
		for total := 0; ; {
			fr, err := c.Receive()
			if err != nil {
				assert.True(t, errors.Is(err, io.EOF) || errors.Is(err, worker.ErrFrame), "%v", err)
				return
			}
			total += 13 + len(fr.Payload)
			require.LessOrEqual(t, total, len(data))
		}
	})
}

func BenchmarkFrames(b *testing.B) {
	var buf bytes.Buffer
	c := worker.NewConn(&buf, &buf, 1<<20)
	payload := make([]byte, 500)
	b.ReportAllocs()
	for b.Loop() {
		if err := c.Send(worker.KindUser, 1, payload); err != nil {
			b.Fatal(err)
		}
		if _, err := c.Receive(); err != nil {
			b.Fatal(err)
		}
	}
}
