package dom

import (
	"bytes"

	"golang.org/x/net/html"
)

// Select returns the elements in root, including root itself, that match the selector, in
// document order. As in jsoup, the part to the left of a combinator matches elements up
// to root and not above it.
func (d *Document) Select(s *Selector, root *html.Node) ([]*html.Node, error) {
	var found []*html.Node
	err := d.each(s, root, func(n *html.Node) bool {
		found = append(found, n)
		return true
	})
	return found, err
}

// SelectFirst returns the first match, nil if there is none.
func (d *Document) SelectFirst(s *Selector, root *html.Node) (*html.Node, error) {
	var first *html.Node
	err := d.each(s, root, func(n *html.Node) bool {
		first = n
		return false
	})
	return first, err
}

func (d *Document) each(s *Selector, root *html.Node, found func(*html.Node) bool) error {
	m := &matcher{meter: meter{stopped: d.stopped}, doc: d, root: root}
	m.run(&s.list, root, found)
	return m.err
}

// matcher is the state of one search. Conditions that depend on more than the element
// itself are evaluated for the whole tree at once, when first needed.
type matcher struct {
	meter
	doc  *Document
	root *html.Node

	places map[*html.Node]place          // position among siblings
	sets   map[*list]map[*html.Node]bool // elements that nested lists match, or that contain a match
	texts  map[*html.Node]span           // position of the text of each element in text
	text   []byte                        // text of root, in lower case
	finds  map[string][]int              // positions of each search text

	based   bool // address has been determined
	address string
}

// frame holds the masks of the elements around the current one, for one alternative.
type frame struct {
	ancestors, parent uint64 // of all ancestors, of the parent
	previous, before  uint64 // of the previous sibling, of all previous siblings
}

// run tests root and its descendants against a list until found returns false.
func (m *matcher) run(l *list, root *html.Node, found func(*html.Node) bool) {
	frames := make([]frame, len(l.complexes))
	m.visit(l, root, 0, frames, found)
}

// visit matches n and its descendants, and reports whether to continue. It adds the masks
// of n to frames, which belong to n and its siblings.
func (m *matcher) visit(l *list, n *html.Node, level int, frames []frame, found func(*html.Node) bool) bool {
	if !m.step() {
		return false
	}
	below := make([]frame, 0, 4) // no allocation in the usual case of few alternatives
	matched := false
	for i := range l.complexes {
		c, f := &l.complexes[i], &frames[i]
		var own uint64
		if n.Type == html.ElementNode {
			own = m.masks(c, n, level, f)
			matched = matched || own>>(len(c.compounds)-1) != 0
			f.previous = own
			f.before |= own
		}
		below = append(below, frame{ancestors: f.ancestors | own, parent: own})
	}
	if matched && !found(n) || m.err != nil {
		return false
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode && !m.visit(l, c, level+1, below, found) {
			return false
		}
	}
	return true
}

// masks returns the compounds that n completes, given the masks of the elements around
// it.
func (m *matcher) masks(c *complexSel, n *html.Node, level int, f *frame) uint64 {
	var own uint64
	for i := range c.compounds {
		part := &c.compounds[i]
		if i == 0 {
			switch part.before {
			case '>':
				if level != 1 {
					continue
				}
			case '+', '~': // the siblings of root are not matched
				continue
			}
		} else {
			var left uint64
			switch part.before {
			case ' ':
				left = f.ancestors
			case '>':
				left = f.parent
			case '+':
				left = f.previous
			case '~':
				left = f.before
			}
			if left&(1<<(i-1)) == 0 {
				continue
			}
		}
		if m.compound(part, n) {
			own |= 1 << i
		}
	}
	return own
}

func (m *matcher) compound(c *compound, n *html.Node) bool {
	for _, t := range c.tests {
		if !m.step() || !t.match(m, n) {
			return false
		}
	}
	return true
}

// is reports whether n matches the list.
func (m *matcher) is(l *list, n *html.Node) bool {
	if l.single {
		for i := range l.complexes {
			if m.compound(&l.complexes[i].compounds[0], n) {
				return true
			}
		}
		return false
	}
	set, ok := m.sets[l]
	if !ok {
		set = map[*html.Node]bool{}
		m.run(l, m.root, func(n *html.Node) bool { set[n] = true; return true })
		m.keep(l, set)
	}
	return set[n]
}

func (m *matcher) keep(l *list, set map[*html.Node]bool) {
	if m.sets == nil {
		m.sets = map[*list]map[*html.Node]bool{}
	}
	m.sets[l] = set
}

// has reports whether an element relative to n matches the list.
func (m *matcher) has(l *list, n *html.Node) bool {
	if l.single {
		return m.holds(l, n)
	}
	for i := range l.complexes {
		c := &l.complexes[i]
		one := list{complexes: l.complexes[i : i+1]}
		switch c.compounds[0].before {
		case '+', '~':
			if m.sibling(c, n) {
				return true
			}
			continue
		case '>':
			if len(c.compounds) == 1 {
				if m.child(&c.compounds[0], n) {
					return true
				}
				continue
			}
		}
		hit := false
		m.run(&one, n, func(found *html.Node) bool {
			hit = found != n
			return !hit
		})
		if hit {
			return true
		}
	}
	return false
}

// holds reports whether a descendant of n matches a list of single compounds. The
// ancestors of all matches are determined once for the whole tree.
func (m *matcher) holds(l *list, n *html.Node) bool {
	set, ok := m.sets[l]
	if !ok {
		set = map[*html.Node]bool{}
		m.run(l, m.root, func(found *html.Node) bool {
			for p := found.Parent; p != nil && found != m.root && !set[p]; p = p.Parent {
				set[p] = true
				if p == m.root {
					break
				}
			}
			return true
		})
		m.keep(l, set)
	}
	return set[n]
}

func (m *matcher) child(c *compound, n *html.Node) bool {
	for child := n.FirstChild; child != nil && m.step(); child = child.NextSibling {
		if child.Type == html.ElementNode && m.compound(c, child) {
			return true
		}
	}
	return false
}

// sibling reports whether a sibling after n, or a descendant of one, completes c.
func (m *matcher) sibling(c *complexSel, n *html.Node) bool {
	direct := c.compounds[0].before == '+'
	rest := complexSel{compounds: append([]compound{{tests: c.compounds[0].tests}}, c.compounds[1:]...)}
	one := list{complexes: []complexSel{rest}}
	for s := n.NextSibling; s != nil && m.step(); s = s.NextSibling {
		if s.Type != html.ElementNode {
			continue
		}
		if len(rest.compounds) == 1 {
			if m.compound(&rest.compounds[0], s) {
				return true
			}
		} else {
			hit := false
			m.run(&one, s, func(*html.Node) bool { hit = true; return false })
			if hit {
				return true
			}
		}
		if direct {
			return false
		}
	}
	return false
}

// place is the position of an element among its siblings, and among its siblings with the
// same tag; both are counted from 1, from the beginning and from the end.
type place struct{ index, last, typeIndex, typeLast int32 }

// place returns the place of n, the zero value for the root of a tree.
func (m *matcher) place(n *html.Node) place {
	p, ok := m.places[n]
	if ok || n.Parent == nil || n.Parent.Type != html.ElementNode {
		return p
	}
	if m.places == nil {
		m.places = map[*html.Node]place{}
	}
	count, types := int32(0), map[string]int32{}
	for c := n.Parent.FirstChild; c != nil && m.step(); c = c.NextSibling {
		if c.Type == html.ElementNode {
			count++
			types[c.Data]++
			m.places[c] = place{index: count, typeIndex: types[c.Data]}
		}
	}
	for c := n.Parent.FirstChild; c != nil && m.step(); c = c.NextSibling {
		if c.Type == html.ElementNode {
			p := m.places[c]
			p.last, p.typeLast = count-p.index+1, types[c.Data]-p.typeIndex+1
			m.places[c] = p
		}
	}
	return m.places[n]
}

// contains reports whether the text of n contains the search text. The text of the whole
// tree is built once; the text of an element is a part of it.
func (m *matcher) contains(n *html.Node, search string) bool {
	if m.texts == nil {
		w := m.doc.walk()
		w.lower = true
		w.spans = map[*html.Node]span{}
		w.node(m.root, false)
		if err := w.done(); err != nil && m.err == nil {
			m.err = err
		}
		m.text, m.texts, m.finds = w.buf, w.spans, map[string][]int{}
	}
	at, ok := m.finds[search]
	if !ok {
		for from := 0; m.step(); {
			i := bytes.Index(m.text[from:], []byte(search))
			if i < 0 {
				break
			}
			at = append(at, from+i)
			from += i + 1
		}
		m.finds[search] = at
	}
	s := m.texts[n]
	lo, hi := 0, len(at)
	for lo < hi { // find the first position at or after the start
		mid := int(uint(lo+hi) >> 1)
		if at[mid] < s.start {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo < len(at) && at[lo]+len(search) <= s.end
}

// SelectIn calls Select for each of the roots and returns each element once, in the order
// of the roots.
func (d *Document) SelectIn(s *Selector, roots []*html.Node) ([]*html.Node, error) {
	if len(roots) == 1 {
		return d.Select(s, roots[0])
	}
	var found []*html.Node
	seen := map[*html.Node]bool{}
	meter := meter{stopped: d.stopped}
	for _, root := range roots {
		m := &matcher{meter: meter, doc: d, root: root}
		m.run(&s.list, root, func(n *html.Node) bool {
			if !seen[n] {
				seen[n] = true
				found = append(found, n)
			}
			return true
		})
		meter = m.meter
		if meter.err != nil {
			return nil, meter.err
		}
	}
	return found, nil
}
