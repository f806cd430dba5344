package dom

import (
	"fmt"

	"golang.org/x/net/html"
)

// Where markup is put, seen from an element.
type Where uint8

// The places of [Document.Insert].
const (
	Append  Where = iota // in it, last
	Prepend              // in it, first
	Before               // beside it
	After
)

// Insert parses markup as what belongs at a place and puts it there.
func (d *Document) Insert(n *html.Node, where Where, markup string) error {
	parent := n
	if where == Before || where == After {
		if parent = n.Parent; parent == nil {
			return ErrNoParent
		}
	}
	if err := d.grow(len(markup)); err != nil {
		return err
	}
	nodes, err := d.Fragment(markup, parent)
	if err != nil {
		return err
	}
	var next *html.Node // to follow what is new
	switch where {
	case Prepend:
		next = n.FirstChild
	case Before:
		next = n
	case After:
		next = n.NextSibling
	}
	for _, node := range nodes {
		parent.InsertBefore(node, next)
	}
	return nil
}

// SetAttr sets an attribute of an element. The text that is added to a document
// in its life is bounded by [Limits.Output].
func (d *Document) SetAttr(n *html.Node, name, value string) error {
	if err := d.grow(len(name) + len(value)); err != nil {
		return err
	}
	setAttr(n, name, value)
	return nil
}

func (d *Document) grow(bytes int) error {
	if d.added += bytes; d.added > d.limits.Output {
		return fmt.Errorf("%w: more than %d bytes were added to the page", ErrLimit, d.limits.Output)
	}
	return nil
}

// Remove takes n out of its document.
func Remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// Empty takes everything out of n.
func Empty(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}
