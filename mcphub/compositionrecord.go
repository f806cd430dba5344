package mcphub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/localpass/localpass"
)

// compositionKey is the key under which the members are stored, next to the exposure.
const compositionKey = "composition"

// compositionRecord is the document in the store.
type compositionRecord struct {
	Members []Member `json:"members"`
	Shares  []Share  `json:"shares,omitempty"`
}

// change changes the members.
func (c *Composition) change(ctx context.Context, do func(members []Member) ([]Member, error)) error {
	return c.changeRecord(ctx, func(r *compositionRecord) (err error) {
		if r.Members, err = do(r.Members); err != nil {
			return err
		}
		slices.SortFunc(r.Members, func(a, b Member) int {
			if d := strings.Compare(a.Server, b.Server); d != 0 {
				return d
			}
			return strings.Compare(a.Tool, b.Tool)
		})
		return nil
	})
}

// changeRecord applies a change to the record and, once the record is written, to what is
// served. If another program changed the record in the meantime, the change is applied to
// the newer record.
func (c *Composition) changeRecord(ctx context.Context, do func(r *compositionRecord) error) error {
	c.saving.Lock()
	defer c.saving.Unlock()
	for try := 1; ; try++ {
		record, err := c.read(ctx)
		if err != nil {
			return err
		}
		if err = do(record); err != nil {
			return err
		}
		data, err := json.Marshal(record)
		if err != nil {
			return fmt.Errorf("mcphub: compose: %w", err)
		}
		doc, err := c.conns.Store().Put(ctx, collection, compositionKey, localpass.Document{Version: c.version, Data: data})
		if err == nil {
			c.version = doc.Version
			c.rebuild(record)
			return nil
		}
		if !errors.Is(err, localpass.ErrConflict) || try == 5 {
			return fmt.Errorf("mcphub: compose: %w", err)
		}
	}
}

// read reads the record. c.saving must be held.
func (c *Composition) read(ctx context.Context) (*compositionRecord, error) {
	doc, err := c.conns.Store().Get(ctx, collection, compositionKey)
	if errors.Is(err, localpass.ErrNotFound) {
		c.version = localpass.NoVersion
		return &compositionRecord{Members: []Member{}}, nil
	}
	r := &compositionRecord{}
	if err == nil {
		err = doc.Decode(r)
	}
	if err != nil {
		return nil, fmt.Errorf("mcphub: the composition (%s/%s) is not readable; repair or delete it: %w", collection, compositionKey, err)
	}
	c.version = doc.Version
	if r.Members == nil {
		r.Members = []Member{}
	}
	return r, nil
}
