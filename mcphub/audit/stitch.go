package audit

import (
	"cmp"
	"fmt"
	"slices"
)

// chain checks the parts of one chain against each other: each part must begin where the
// previous one ended.
func (v *verifier) chain(id string) {
	runs := v.chains[id]
	slices.SortStableFunc(runs, func(a, b *segmentRun) int { return cmp.Compare(a.first, b.first) })
	first := runs[0]
	head := v.heads[id]
	switch {
	case first.first == 1 || head.Seq > first.first-1: // the chain begins here, or some of it has yet to be removed
	case head.Seq == first.first-1:
		if head.Digest != first.prev {
			v.at(first, first.line, first.first, "changed", fmt.Sprintf("number %d is not what follows number %d, which retention has removed", first.first, head.Seq))
		}
	case !v.opts.Part:
		v.at(first, first.line, first.first, "missing", fmt.Sprintf("%s of this chain %s missing: an earlier segment is not here",
			numbers(1, first.first-1), isAre(1, first.first-1)))
	}
	last := first
	v.closing(first, runs[1:])
	for i, run := range runs[1:] {
		before := v.sources[last.source].name
		if last.torn != nil {
			v.at(last, last.torn.Line, last.last.Seq, "torn", "the last line is not whole, and the chain goes on in "+v.sources[run.source].name)
		}
		switch {
		case run.first <= last.last.Seq:
			v.at(run, run.line, run.first, "doubled", fmt.Sprintf("number %d of this chain is in %s too", run.first, before))
		case run.first > last.last.Seq+1:
			v.at(run, run.line, run.first, "missing", fmt.Sprintf("%s %s missing between %s and this", numbers(last.last.Seq+1, run.first-1),
				isAre(last.last.Seq+1, run.first-1), before))
		case run.prev != last.digest:
			v.at(last, last.lastLine, last.last.Seq, "changed", fmt.Sprintf("number %d was changed: it is not what number %d, in %s, says that it was",
				last.last.Seq, run.first, v.sources[run.source].name))
		case last.last.Seal == nil:
			v.at(last, last.lastLine, last.last.Seq, "seal", "the chain goes on in "+v.sources[run.source].name+", and its segment was not sealed")
		case last.last.Seal.Why == sealEnd:
			v.at(run, run.line, run.first, "forged", "the chain goes on here, after it was sealed for good in "+before)
		}
		v.closing(run, runs[i+2:])
		if run.last.Seq > last.last.Seq {
			last = run
		}
	}
	v.closeChain(last)
}

// closing checks that nothing follows after an end that a later chain has seen.
func (v *verifier) closing(run *segmentRun, later []*segmentRun) {
	for _, w := range v.closings[run.chain] {
		follows := w.Seq < run.last.Seq || run.last.Seal == nil && len(later) > 0
		if w.Seq >= run.first && w.Seq <= run.last.Seq && follows {
			v.at(run, run.lastLine, run.last.Seq, "forged", fmt.Sprintf("records follow number %d, and %s saw when it began that its program was gone",
				w.Seq, v.sources[w.source].name))
			return
		}
	}
}

// closeChain reports how a chain ends.
func (v *verifier) closeChain(run *segmentRun) {
	c := Chain{ID: run.chain, First: v.chains[run.chain][0].first, Last: run.last.Seq, Time: run.last.Time, Digest: run.digest, End: endOpen}
	if run.torn != nil {
		c.Torn = run.torn.Size
	}
	switch {
	case run.last.Seal != nil && run.last.Seal.Why == sealEnd:
		c.End = endSealed
	case v.closed(run):
		c.End = endClosed
	case v.opts.Part && run.last.Seal != nil: // it may continue in a segment that is not part of the input
	case run.torn != nil && !v.opts.Open:
		v.at(run, run.torn.Line, run.last.Seq, "torn", "the last line is not whole: its program was killed while it wrote, or the file was cut")
	case !v.opts.Open:
		v.at(run, run.lastLine, run.last.Seq, "open", fmt.Sprintf("the chain ends with number %d and without a seal: its program still runs or was killed, or the end was cut off; "+
			"which cannot be told", run.last.Seq))
	}
	if run.torn != nil && run.last.Seal != nil {
		v.at(run, run.torn.Line, run.last.Seq, "torn", "there is something after the seal")
	}
	if c.Time.After(v.latest) || v.report.Anchor == "" {
		v.latest, v.report.Anchor = c.Time, c.Digest
	}
	v.report.Chains = append(v.report.Chains, c)
}

// closed reports whether a later chain has recorded that nothing follows.
func (v *verifier) closed(run *segmentRun) bool {
	for _, w := range v.seen[recordPlace{run.chain, run.last.Seq}] {
		if w.Closed && w.Digest == run.digest {
			return true
		}
	}
	return false
}

// missed looks for segments that were seen but are absent.
func (v *verifier) missed() {
	type loss struct {
		place recordPlace
		witness
	}
	worst := map[string]loss{} // by chain
	for at, witnesses := range v.seen {
		w := witnesses[0]
		runs := v.chains[at.chain]
		if w.source != own && w.Segment <= v.upto || len(runs) > 0 && at.seq <= runs[len(runs)-1].last.Seq {
			continue // removed, present, or already reported as missing
		}
		if v.opts.Part && (len(runs) == 0 || runs[len(runs)-1].last.Seal != nil) {
			continue
		}
		if worst[at.chain].place.seq < at.seq {
			worst[at.chain] = loss{at, w}
		}
	}
	var chains []string
	for chain := range worst {
		chains = append(chains, chain)
	}
	slices.Sort(chains)
	for _, chain := range chains {
		l := worst[chain]
		if runs := v.chains[chain]; len(runs) > 0 {
			run := runs[len(runs)-1]
			v.at(run, run.lastLine, run.last.Seq, "cut", fmt.Sprintf("the chain ends here with number %d, and %s", run.last.Seq, v.saw(l.witness, numbers(l.place.seq, l.place.seq))))
			continue
		}
		v.report.problem(Problem{File: l.Segment, Chain: chain, Seq: l.place.seq, Reason: "missing",
			Message: "this segment is not here, and " + v.saw(l.witness, numbers(1, l.place.seq)) + " of its chain"})
	}
}
