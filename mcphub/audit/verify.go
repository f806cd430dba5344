package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/logline"
)

// Verify verifies the audit log of a store: the digests and numbers of each chain, where
// it begins and ends, and what the chains say about each other. The log may be in use:
// chains without an end are accepted. An error says that the log could not be read; the
// report says what is wrong with the log.
//
// The package comment says what this proves.
func Verify(ctx context.Context, store localpass.Persistence) (*Report, error) {
	sources, err := storeSources(ctx, store)
	if err != nil {
		return nil, err
	}
	return verify(ctx, sources, &VerifyOptions{Open: true}, nil)
}

// verifier reads the sources one after another and keeps only where the chains of each
// source begin and end.
type verifier struct {
	opts    VerifyOptions
	sources []logSource
	report  *Report
	chains  map[string][]*segmentRun
	order   []string // of the chains
	wanted  map[string]bool
	latest  time.Time

	seen     map[recordPlace][]witness
	closings map[string][]witness // by chain: the witnesses of its end
	removals []Removal
	upto     string
	heads    map[string]recordHead // by chain: the last record that retention has removed
}

type recordPlace struct {
	chain string
	seq   uint64
}

// witness is the begin record of a segment, which has seen another record; or the program
// itself, which wrote that record.
type witness struct {
	source int // own stands for the program
	seenSegment
}

const own = -1

// saw reports what a witness knows about one number, or about all numbers up to it.
func (v *verifier) saw(w witness, numbers string) string {
	if w.source == own {
		return "this program has written " + numbers
	}
	return v.sources[w.source].name + " saw " + numbers + " when it began"
}

// segmentRun is the part of one chain in one source.
type segmentRun struct {
	source   int
	chain    string
	first    uint64
	prev     string // of the first record
	line     int    // of the first record
	last     recordMeta
	lastLine int
	digest   string // of the last record
	records  uint64
	gaps     []hole
	wrong    bool // a problem of it was reported
	torn     *logline.Fault
}

// hole is a range of numbers missing before a line.
type hole struct {
	from, to uint64
	line     int
}

// verify verifies sources. wrote, if not nil, is the last record that the calling program
// has written.
func verify(ctx context.Context, sources []logSource, opts *VerifyOptions, wrote *recordHead) (*Report, error) {
	v := &verifier{sources: sources, chains: map[string][]*segmentRun{}, wanted: map[string]bool{}, seen: map[recordPlace][]witness{},
		closings: map[string][]witness{}, heads: map[string]recordHead{}, report: &Report{Segments: len(sources), Chains: []Chain{}, Problems: []Problem{}}}
	if opts != nil {
		v.opts = *opts
	}
	for _, digest := range v.opts.Anchors {
		v.wanted[digest] = false
	}
	if wrote != nil {
		v.seen[recordPlace{wrote.Chain, wrote.Seq}] = []witness{{own, seenSegment{recordHead: *wrote}}}
	}
	for i := range sources {
		if err := v.witnesses(ctx, i); err != nil {
			return nil, err
		}
	}
	for i := range sources {
		if err := v.source(ctx, i); err != nil {
			return nil, err
		}
	}
	for _, chain := range v.order {
		v.chain(chain)
	}
	if len(sources) > 0 && len(v.order) == 0 && !v.opts.Open {
		v.report.problem(Problem{File: sources[0].name, Reason: "missing", Message: "there is no record at all"})
	}
	v.missed()
	for _, digest := range v.opts.Anchors {
		if !v.wanted[digest] {
			v.report.problem(Problem{Reason: "anchor", Message: "no record has the digest " + digest +
				": it was removed or changed, or it is of another log"})
		}
	}
	v.report.Removed = v.removals
	return v.report, nil
}

// witnesses reads what the begin record of a source has seen of others.
func (v *verifier) witnesses(ctx context.Context, i int) error {
	for line, err := range v.sources[i].lines(ctx) {
		if err != nil {
			return err
		}
		var meta recordMeta
		if line.data == nil || json.Unmarshal(line.data, &meta) != nil {
			continue // the next one may be valid
		}
		if meta.Begin != nil {
			for _, s := range meta.Begin.Seen {
				at := recordPlace{s.Chain, s.Seq}
				v.seen[at] = append(v.seen[at], witness{i, s})
				if s.Closed {
					v.closings[s.Chain] = append(v.closings[s.Chain], witness{i, s})
				}
			}
		}
		break
	}
	return nil
}

// source reads one source.
func (v *verifier) source(ctx context.Context, i int) error {
	runs := map[string]*segmentRun{}
	var open []*segmentRun // in the order of the source
	var torn *logline.Fault
	damaged := false // since the last valid record
	for line, err := range v.sources[i].lines(ctx) {
		switch {
		case err != nil:
			return err
		case line.fault == nil:
		case line.fault.Cut:
			torn = line.fault
			continue
		case line.fault.Gone:
			continue // the numbers will show the gap
		default:
			damaged = true
			v.report.problem(Problem{File: v.sources[i].name, Line: line.fault.Line, Reason: "damaged",
				Message: "this line was changed or damaged: " + line.fault.Why.Error()})
			continue
		}
		v.report.Records++
		meta, call, why := readMeta(line.data)
		if why != "" {
			damaged = true
			v.report.problem(Problem{File: v.sources[i].name, Line: line.number, Reason: "foreign", Message: "this is no record of an audit log: " + why})
			continue
		}
		digest := digestHex(line.data)
		run := runs[meta.Chain]
		if run == nil {
			run = &segmentRun{source: i, chain: meta.Chain, first: meta.Seq, prev: meta.Prev, line: line.number}
			runs[meta.Chain] = run
			open = append(open, run)
			v.beginning(run, &meta)
			run.advance(meta, line.number, digest)
		} else if !v.follow(run, meta, line.number, digest, damaged) {
			continue
		}
		damaged = false
		v.note(i, line.number, &meta, call, digest)
	}
	for _, run := range open {
		v.endOfSource(run)
		if len(v.chains[run.chain]) == 0 {
			v.order = append(v.order, run.chain)
		}
		v.chains[run.chain] = append(v.chains[run.chain], run)
	}
	if len(open) > 0 {
		open[len(open)-1].torn = torn
	} else if torn != nil {
		v.report.problem(Problem{File: v.sources[i].name, Line: torn.Line, Reason: "torn", Message: "the file holds no whole record"})
	} else if !damaged {
		return v.bare(ctx, &v.sources[i])
	}
	return nil
}

// bare reports a segment without a record, or without a complete one.
func (v *verifier) bare(ctx context.Context, s *logSource) error {
	if s.bare == nil {
		return nil
	}
	switch size, fine, err := s.bare(ctx); {
	case err != nil || fine:
		return err
	case size > 0:
		v.report.problem(Problem{File: s.name, Line: 1, Reason: "torn", Message: "the file holds no whole record"})
	default:
		v.report.Empty = append(v.report.Empty, s.name)
	}
	return nil
}

// readMeta reads the members that link a record, or reports why the data is not a record.
func readMeta(data []byte) (meta recordMeta, call bool, why string) {
	var record struct {
		recordMeta
		Tool json.RawMessage `json:"tool"`
	}
	if err := json.Unmarshal(data, &record); err != nil {
		return meta, false, err.Error()
	}
	meta = record.recordMeta
	kinds := 0
	for _, is := range []bool{meta.Begin != nil, meta.Seal != nil, meta.Removed != nil, meta.Approval != nil, record.Tool != nil} {
		if is {
			kinds++
		}
	}
	switch {
	case meta.Chain == "" || meta.Seq == 0:
		why = "it has no number in a chain"
	case kinds != 1:
		why = "it is neither of a call, nor of an approval, nor of the log"
	}
	return meta, record.Tool != nil, why
}

func (r *segmentRun) advance(meta recordMeta, line int, digest string) {
	r.last, r.lastLine, r.digest = meta, line, digest
	r.records++
}

func (v *verifier) at(run *segmentRun, line int, seq uint64, reason, message string) {
	run.wrong = true
	v.report.problem(Problem{File: v.sources[run.source].name, Line: line, Chain: run.chain, Seq: seq, Reason: reason, Message: message})
}

// beginning checks the first record of a chain.
func (v *verifier) beginning(run *segmentRun, meta *recordMeta) {
	if meta.Seq == 1 && (meta.Prev != "" || meta.Begin == nil) {
		v.at(run, run.line, 1, "forged", "this record has number 1 of its chain, and is not what a chain begins with")
	}
}

// follow checks a record against the previous one in its source. It returns false for a
// record that does not belong there.
func (v *verifier) follow(run *segmentRun, meta recordMeta, line int, digest string, damaged bool) bool {
	last := run.last.Seq
	switch {
	case meta.Seq > last+1:
		if damaged {
			run.wrong = true // the missing records were reported as damaged
		} else {
			run.gaps = append(run.gaps, hole{last + 1, meta.Seq - 1, line})
		}
	case meta.Seq == last && digest == run.digest:
		v.at(run, line, meta.Seq, "doubled", fmt.Sprintf("number %d is here a second time", meta.Seq))
		return false
	case meta.Seq <= last:
		if !run.fill(meta.Seq) {
			v.at(run, line, meta.Seq, "doubled", fmt.Sprintf("a number %d is here, after number %d: it was inserted, or is here a second time", meta.Seq, last))
		} else {
			v.at(run, line, meta.Seq, "order", fmt.Sprintf("number %d is here, after number %d", meta.Seq, last))
		}
		return false
	case meta.Prev != run.digest:
		v.at(run, run.lastLine, last, "changed", fmt.Sprintf("number %d was changed: it is not what number %d, in line %d, says that it was", last, meta.Seq, line))
	case run.last.Seal != nil:
		v.at(run, line, meta.Seq, "forged", fmt.Sprintf("number %d is after the seal of its segment", meta.Seq))
	}
	run.advance(meta, line, digest)
	return true
}

// fill removes a number from the gaps, and reports whether it was in one.
func (r *segmentRun) fill(seq uint64) bool {
	for i, g := range r.gaps {
		if seq < g.from || seq > g.to {
			continue
		}
		rest := append([]hole(nil), r.gaps[:i]...)
		if g.from < seq {
			rest = append(rest, hole{g.from, seq - 1, g.line})
		}
		if seq < g.to {
			rest = append(rest, hole{seq + 1, g.to, g.line})
		}
		r.gaps = append(rest, r.gaps[i+1:]...)
		return true
	}
	return false
}

// endOfSource reports the numbers that never appeared, and checks the seal.
func (v *verifier) endOfSource(run *segmentRun) {
	for _, g := range run.gaps {
		v.at(run, g.line, g.from, "missing", numbers(g.from, g.to)+" "+isAre(g.from, g.to)+" missing in front of this line")
	}
	if s := run.last.Seal; s != nil && !run.wrong && s.Records != run.records-1 {
		v.at(run, run.lastLine, run.last.Seq, "seal", fmt.Sprintf("the seal is for %d records, and %d are here", s.Records, run.records-1))
	}
}

func numbers(from, to uint64) string {
	if from == to {
		return fmt.Sprintf("number %d", from)
	}
	return fmt.Sprintf("numbers %d to %d", from, to)
}

func isAre(from, to uint64) string {
	if from == to {
		return "is"
	}
	return "are"
}

// note stores the content of a valid record.
func (v *verifier) note(i, line int, meta *recordMeta, call bool, digest string) {
	r := v.report
	if call {
		r.Calls++
		if r.First.IsZero() || meta.Time.Before(r.First) {
			r.First = meta.Time
		}
		if meta.Time.After(r.Last) {
			r.Last = meta.Time
		}
	}
	if _, ok := v.wanted[digest]; ok {
		v.wanted[digest] = true
	}
	if m := meta.Removed; m != nil {
		v.removals = append(v.removals, Removal{Time: meta.Time, Upto: m.Upto, Segments: m.Segments, Records: m.Records, From: m.From, To: m.To})
		v.upto = max(v.upto, m.Upto)
		for _, h := range m.Heads {
			if v.heads[h.Chain].Seq < h.Seq {
				v.heads[h.Chain] = h
			}
		}
	}
	for _, w := range v.seen[recordPlace{meta.Chain, meta.Seq}] {
		if w.Digest != digest {
			r.problem(Problem{File: v.sources[i].name, Line: line, Chain: meta.Chain, Seq: meta.Seq, Reason: "changed",
				Message: fmt.Sprintf("number %d was changed: %s as another one", meta.Seq, v.saw(w, "it"))})
			return
		}
	}
}
