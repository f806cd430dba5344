package dom

import (
	"fmt"

	"golang.org/x/net/html"
)

// Where is a position for new markup, relative to an element.
type Where uint8

// The positions for [Document.Insert].
const (
	Append  Where = iota // inside the element, at the end
	Prepend              // inside the element, at the beginning
	Before               // outside the element, before it
	After
)

// Insert parses markup in the context of a position and inserts it there.
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
	var next *html.Node // the node that will follow the new ones
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

// SetAttr sets an attribute of an element. The total text added to a document after
// parsing is limited by [Limits.Output].
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

// Remove removes n from its document.
func Remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// Empty removes all content of n.
func Empty(n *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}
