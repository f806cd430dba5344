package xlsx_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/reader"
	"github.com/localpass/localpass/rag/reader/xlsx"
)

// sheets makes a file with two sheets and a hidden one.
func sheets(t testing.TB, opts ...excelize.Options) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	require.NoError(t, f.SetSheetName("Sheet1", "Sales"))
	for _, name := range []string{"Notes", "Secret"} {
		_, err := f.NewSheet(name)
		require.NoError(t, err)
	}
	require.NoError(t, f.SetSheetVisible("Secret", false))
	style, err := f.NewStyle(&excelize.Style{NumFmt: 10})
	require.NoError(t, err)
	require.NoError(t, f.SetCellStyle("Sales", "B4", "B4", style))
	for cell, value := range map[string]any{"A1": "fruit", "B1": "share", "A4": "pears | plums", "B4": 0.25, "C4": true} {
		require.NoError(t, f.SetCellValue("Sales", cell, value))
	}
	require.NoError(t, f.SetCellValue("Notes", "B2", "a note"))
	require.NoError(t, f.SetCellValue("Secret", "A1", "hidden"))
	require.NoError(t, f.SetDocProps(&excelize.DocProperties{Title: "Fruit", Creator: "Ann"}))
	var b bytes.Buffer
	require.NoError(t, f.Write(&b, opts...))
	return b.Bytes()
}

func Example() {
	f := excelize.NewFile()
	defer f.Close()
	if err := f.SetCellValue("Sheet1", "A1", "a cell"); err != nil {
		fmt.Println(err)
	}
	data, err := f.WriteToBuffer()
	if err != nil {
		fmt.Println(err)
		return
	}
	r := reader.New(&reader.Options{Formats: map[string]rag.Reader{reader.XLSX: xlsx.New(nil)}})
	extract, err := r.Read(context.Background(), rag.File{Name: "cells.xlsx", Data: data.Bytes()})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(extract.Text)
	// Output:
	// # Sheet1
	//
	// | a cell |
	// | --- |
}

func TestRead(t *testing.T) {
	t.Parallel()
	file := rag.File{Name: "a", Data: sheets(t)}
	assert.Equal(t, reader.XLSX, reader.Sniff(file))
	e, err := xlsx.New(nil).Read(context.Background(), file)
	require.NoError(t, err)
	assert.Equal(t, "# Sales\n\n| fruit | share |\n| --- | --- |\n| pears \\| plums | 25.00% | TRUE |\n\n# Notes\n\n| | a note |\n| --- | --- |", e.Text)
	var parts []string
	for _, p := range e.Parts {
		parts = append(parts, fmt.Sprintf("%s %v %.9q", p.Key, p.Value, e.Text[p.Start:p.End]))
	}
	assert.Equal(t, []string{`sheet Sales "# Sales\n\n"`, `row 1 "| fruit |"`, `row 4 "| pears \\"`, `sheet Notes "# Notes\n\n"`, `row 2 "| | a not"`}, parts)
	assert.Equal(t, "Fruit", e.Metadata[rag.KeyTitle])
	assert.Equal(t, "Ann", e.Metadata[rag.KeyAuthor])
	assert.Equal(t, []string{`the hidden sheet "Secret" was left out`}, e.Warnings)

	locked := rag.File{Data: sheets(t, excelize.Options{Password: "open"})}
	assert.Equal(t, reader.EncryptedOffice, reader.Sniff(locked))
	_, err = xlsx.New(nil).Read(context.Background(), locked)
	require.ErrorIs(t, err, rag.ErrEncrypted)
	locked.Password = "open"
	e, err = xlsx.New(nil).Read(context.Background(), locked)
	require.NoError(t, err)
	assert.Contains(t, e.Text, "pears")
}

func TestErrors(t *testing.T) {
	t.Parallel()
	data := sheets(t)
	for name, c := range map[string]struct {
		limits reader.Limits
		data   []byte
		want   error
		text   string
	}{
		"no archive":    {data: []byte("PK\x03\x04"), want: rag.ErrCorrupt, text: "cannot be opened"},
		"cut off":       {data: data[:len(data)/2], want: rag.ErrCorrupt, text: "cannot be opened"},
		"a large file":  {reader.Limits{FileBytes: 100}, data, rag.ErrBudget, "at most 100"},
		"a large text":  {reader.Limits{TextBytes: 30}, data, rag.ErrBudget, "more than 30"},
		"many sheets":   {reader.Limits{Pages: 2}, data, rag.ErrBudget, "3 sheets"},
		"an old format": {data: []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("x", 1000)), want: rag.ErrCorrupt, text: "cannot be opened"},
	} {
		_, err := xlsx.New(&c.limits).Read(context.Background(), rag.File{Data: c.data})
		require.ErrorIs(t, err, c.want, name)
		require.ErrorContains(t, err, c.text, name)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := xlsx.New(nil).Read(ctx, rag.File{Data: data})
	require.ErrorIs(t, err, context.Canceled)
}

func FuzzRead(f *testing.F) {
	f.Add(sheets(f))
	f.Add([]byte("PK\x03\x04"))
	r := xlsx.New(&reader.Limits{FileBytes: 1 << 20, TextBytes: 1 << 20})
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := r.Read(context.Background(), rag.File{Data: data})
		require.Equal(t, err == nil, e != nil)
	})
}
