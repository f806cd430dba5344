package scan

// Repeated finds the objects within the valid value data[at.Start:at.End] that have two
// members of the same name, in one pass. For each repetition it calls report with the
// pointer of the object and the span of the second name token. Names are compared after
// decoding, so that an escape does not hide a repetition.
func Repeated(data []byte, at Span, report func(pointer string, name Span)) {
	(&repeated{data, report}).value(at.Start, nil)
}

type repeated struct {
	data   []byte
	report func(string, Span)
}

// place is the path to a value; it becomes a pointer only when it is reported.
type place struct {
	up   *place
	name string
	n    int // position in an array, or -1
}

func (p *place) pointer() string {
	switch {
	case p == nil:
		return ""
	case p.n >= 0:
		return Index(p.up.pointer(), p.n)
	}
	return Join(p.up.pointer(), p.name)
}

func (r *repeated) value(i int, at *place) (end int) {
	switch r.data[i] {
	case '{':
		return r.object(i, at)
	case '[':
		return r.array(i, at)
	}
	end, _ = Value(r.data, i, 1)
	return end
}

func (r *repeated) object(i int, at *place) int {
	var seen names
	if i = Blank(r.data, i+1); r.data[i] == '}' {
		return i + 1
	}
	for {
		name := Span{Start: i}
		name.End, _ = str(r.data, i)
		text := Unquote(name.Of(r.data))
		if seen.add(text) {
			r.report(at.pointer(), name)
		}
		i = Blank(r.data, Blank(r.data, name.End)+1)
		i = Blank(r.data, r.value(i, &place{at, text, -1}))
		if r.data[i] == '}' {
			return i + 1
		}
		i = Blank(r.data, i+1)
	}
}

func (r *repeated) array(i int, at *place) int {
	if i = Blank(r.data, i+1); r.data[i] == ']' {
		return i + 1
	}
	for n := 0; ; n++ {
		i = Blank(r.data, r.value(i, &place{at, "", n}))
		if r.data[i] == ']' {
			return i + 1
		}
		i = Blank(r.data, i+1)
	}
}

// names is a set of strings, kept as a list while it is short.
type names struct {
	few  []string
	many map[string]bool
}

// add adds a name and reports whether the set had it before.
func (n *names) add(name string) bool {
	if n.many != nil {
		had := n.many[name]
		n.many[name] = true
		return had
	}
	for _, have := range n.few {
		if have == name {
			return true
		}
	}
	if n.few = append(n.few, name); len(n.few) > 16 {
		n.many = make(map[string]bool, 2*len(n.few))
		for _, have := range n.few {
			n.many[have] = true
		}
	}
	return false
}
