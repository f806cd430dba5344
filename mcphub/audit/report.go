package audit

import (
	"errors"
	"fmt"
	"time"
)

// ErrBroken reports an audit log whose chain of digests is broken: a record was changed,
// removed or inserted.
var ErrBroken = errors.New("audit: audit log is not as it was written")

// VerifyOptions say what a verification accepts and requires. The zero value accepts only
// a complete log whose chains have all ended.
type VerifyOptions struct {
	// Open accepts chains that end without a seal: their program is still running, or it
	// was killed and no program has started since, or the end was cut off. Verification
	// cannot tell which.
	Open bool
	// Part accepts a log of which only some segments are present: chains may begin in the
	// middle, and other segments that are referred to may be missing.
	Part bool
	// Anchors are digests of records that must be present: the Anchor values of earlier
	// reports, saved where the owner of the log cannot write.
	Anchors []string
}

// Report is the result of verifying an audit log.
type Report struct {
	// Segments counts the files, or segments of a store; Records counts their records,
	// and Calls the records of calls.
	Segments int `json:"segments"`
	Records  int `json:"records"`
	Calls    int `json:"calls"`
	// First and Last are the times of the first and of the last call.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
	// Anchor is the digest of the record that was written last. If you save it elsewhere,
	// it shows later whether the present records still exist.
	Anchor string  `json:"anchor,omitempty"`
	Chains []Chain `json:"chains"`
	// Empty names the segments that hold no record: their program was killed before its
	// first record, or the records were removed. If no other segment refers to it,
	// verification cannot tell which.
	Empty []string `json:"empty,omitempty"`
	// Removed lists what retention has removed, as far as the log still records it.
	Removed []Removal `json:"removed,omitempty"`
	// Problems lists what is wrong, at most 100 problems; ProblemsCut counts the others.
	Problems    []Problem `json:"problems"`
	ProblemsCut int       `json:"problemsCut,omitempty"`
}

// Chain is one chain of an audit log: what one hub recorded in one run.
type Chain struct {
	ID string `json:"id"`
	// First and Last are the numbers of its first and last record here. Time is when the
	// last one was written, and Digest is its digest.
	First  uint64    `json:"first"`
	Last   uint64    `json:"last"`
	Time   time.Time `json:"time"`
	Digest string    `json:"digest"`
	// End is how the chain ends: "sealed" by its program; "closed" without a seal, as a
	// later chain recorded when the program was gone; or "open".
	End string `json:"end"`
	// Torn is how many bytes of an incomplete record follow: the program was killed while
	// it wrote the record, and the call gave no result.
	Torn int64 `json:"torn,omitempty"`
}

// How a chain ends.
const (
	endSealed = "sealed"
	endClosed = "closed"
	endOpen   = "open"
)

// Removal is a cut that retention has made.
type Removal struct {
	// Time is when the cut was made. Upto names the last removed segment; no segment that
	// began before it may exist.
	Time     time.Time `json:"time"`
	Upto     string    `json:"upto"`
	Segments int       `json:"segments"`
	Records  int       `json:"records"`
	// From and To are the times of the first and the last removed record.
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Problem is one fault of an audit log.
type Problem struct {
	// File and Line say where: a file, or a segment of a store with the number
	// of the record in it.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Chain and Seq name the record, if the problem concerns one.
	Chain string `json:"chain,omitempty"`
	Seq   uint64 `json:"seq,omitempty"`
	// Reason is a stable slug:
	//
	//	damaged  a line is not readable, or its checksum is wrong
	//	foreign  a record does not belong to an audit log
	//	changed  a record differs from what the next record says about it
	//	missing  records are absent
	//	doubled  a record occurs a second time
	//	order    a record is in the wrong place
	//	forged   a record is in a place where none can have been written
	//	seal     a seal does not match what it seals
	//	torn     the last line is incomplete
	//	open     a chain has no end
	//	cut      a chain ends earlier than a later chain, or its own program, recorded
	//	anchor   no record has a required digest
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// String returns the place and the fault.
func (p Problem) String() string {
	switch {
	case p.File == "":
		return p.Message
	case p.Line == 0:
		return p.File + ": " + p.Message
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
}

// Err returns nil if the log is complete, otherwise an error that matches [ErrBroken] and
// names the first problem.
func (r *Report) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	more := ""
	if n := len(r.Problems) + r.ProblemsCut - 1; n > 0 {
		more = fmt.Sprintf(" (and %d more)", n)
	}
	return fmt.Errorf("%w: %s%s", ErrBroken, r.Problems[0], more)
}

const mostProblems = 100

func (r *Report) problem(p Problem) {
	if len(r.Problems) < mostProblems {
		r.Problems = append(r.Problems, p)
	} else {
		r.ProblemsCut++
	}
}
