package lower

import (
	"slices"
	"unicode"
)

// span is a range of code points, including both ends.
type span struct{ lo, hi rune }

// set is a set of code points: sorted spans that neither overlap nor touch.
type set []span

// everything returns the set of all code points, including surrogates.
func everything() set { return set{{0, unicode.MaxRune}} }

// normal converts spans in any order to a valid set.
func normal(s set) set {
	slices.SortFunc(s, func(a, b span) int { return int(a.lo) - int(b.lo) })
	out := s[:0]
	for _, r := range s {
		if n := len(out); n > 0 && r.lo <= out[n-1].hi+1 {
			out[n-1].hi = max(out[n-1].hi, r.hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

func union(sets ...set) set {
	n := 0
	for _, s := range sets {
		n += len(s)
	}
	all := make(set, 0, n)
	for _, s := range sets {
		all = append(all, s...)
	}
	return normal(all)
}

func (s set) complement() set {
	out := make(set, 0, len(s)+1)
	next := rune(0)
	for _, r := range s {
		if r.lo > next {
			out = append(out, span{next, r.lo - 1})
		}
		next = r.hi + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, span{next, unicode.MaxRune})
	}
	return out
}

func intersect(a, b set) set {
	var out set
	for i, j := 0, 0; i < len(a) && j < len(b); {
		lo, hi := max(a[i].lo, b[j].lo), min(a[i].hi, b[j].hi)
		if lo <= hi {
			out = append(out, span{lo, hi})
		}
		if a[i].hi < b[j].hi {
			i++
		} else {
			j++
		}
	}
	return out
}

func subtract(a, b set) set { return intersect(a, b.complement()) }

func (s set) contains(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(e span, r rune) int {
		switch {
		case e.hi < r:
			return -1
		case e.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// tables returns the union of tables of the standard library.
func tables(list ...*unicode.RangeTable) set {
	var out set
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			out = append(out, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			out = append(out, span{r, r})
		}
	}
	for _, t := range list {
		for _, r := range t.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range t.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return normal(out)
}

// folded adds the characters that differ from a member only in case, by the simple case
// folding of Unicode: these are what the flags i and u together match.
func (s set) folded() set {
	var extra set
	for _, c := range unicode.CaseRanges {
		for r := rune(c.Lo); r <= rune(c.Hi); r++ {
			if !s.contains(r) {
				continue
			}
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				extra = append(extra, span{f, f})
			}
		}
	}
	if extra == nil {
		return s
	}
	return union(s, extra)
}
