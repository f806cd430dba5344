package mcphub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

// dice decides what happens next: a generator in the test, the input in the fuzz
// target.
type dice interface {
	roll(n int) int // 0 to n-1
	over() bool
}

type seeded struct {
	*rand.Rand
	steps int
}

func (s *seeded) roll(n int) int { return s.IntN(n) }
func (s *seeded) over() bool     { s.steps--; return s.steps < 0 }

type scripted struct{ data []byte }

func (s *scripted) roll(n int) int {
	if len(s.data) == 0 {
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return int(b) % n
}
func (s *scripted) over() bool { return len(s.data) == 0 }

// fate is what a person, or the operator beside the client, said of a question.
type fate int

const (
	open fate = iota
	yes       // the operator approved; nothing ran yet
	no        // the operator declined
	over      // used, answered, withdrawn or gone
)

// asked is a question as the model knows it.
type asked struct {
	from     *wire
	who      string
	tool     string
	version  int
	text     string
	deadline time.Time
	fate     fate

	state   string // of a client of 2026-07-28
	elicit  string // the id of the request to the client, of the eras before
	callID  int
	request string // the gate's own id
}

// model says what may run, and holds the hub to it.
type model struct {
	*world
	dice
	wires     []*wire
	questions []*asked
	trace     []string
	may       int // runs of gated tools that the model allowed
}

var (
	texts = []string{"a", "b", "c"}
	// spellings are ways to write one argument object: what counts is its meaning.
	spellings = []string{`{"text":"%s"}`, `{ "text" : "%s" }`, "{\"\\u0074ext\":\"%s\"}"}
	// waits do not add up to the two minutes of a question.
	waits = []time.Duration{11 * time.Second, 53 * time.Second, 131 * time.Second}
)

const limit = 2 * time.Minute

func (m *model) pick(list []string) string { return list[m.roll(len(list))] }

func (m *model) arguments(text string) string {
	return fmt.Sprintf(m.pick(spellings), text)
}

func (m *model) log(format string, args ...any) {
	m.trace = append(m.trace, fmt.Sprintf(format, args...))
}

// good reports whether an answer to q can still let it run.
func (m *model) good(q *asked) bool {
	return time.Now().Before(q.deadline) && q.version == m.version[q.tool]
}

// step does one thing, and then compares what ran with what may have run.
func (m *model) step() {
	switch m.roll(12) {
	case 0, 1, 2:
		m.call()
	case 3, 4, 5, 6, 7:
		m.answer()
	case 8:
		m.decide()
	case 9:
		time.Sleep(waits[m.roll(len(waits))])
		m.log("time passes")
		m.settle(0, 0)
	case 10:
		tool := m.pick([]string{"wipe", "note"})
		m.log("%s is published anew", tool)
		m.republish(tool)
		m.settle(0, 0)
	case 11:
		m.stray()
	}
}

// settle waits until all is quiet, and holds the runs of gated tools against
// what may have run: at least least and at most most of them.
func (m *model) settle(least, most int, want ...ran) (news []string) {
	synctest.Wait()
	runs, requests := m.took()
	for _, c := range m.wires {
		c.mu.Lock()
		for _, message := range c.messages {
			m.log("    to client %d: %.300s", slices.Index(m.wires, c), message)
		}
		c.mu.Unlock()
	}
	gatedRuns := slices.DeleteFunc(slices.Clone(runs), func(r ran) bool { return r.tool == "open" })
	if len(gatedRuns) < least || len(gatedRuns) > most {
		m.fail("%v ran; %d to %d may", gatedRuns, least, most)
	}
	for _, r := range gatedRuns {
		if !slices.Contains(want, r) {
			m.fail("%v ran; of those that may: %v", r, want)
		}
	}
	m.may += len(gatedRuns)
	if len(requests) > 1 {
		m.fail("%d questions were asked in one step", len(requests))
	}
	for _, c := range m.wires {
		for _, message := range c.fresh() {
			m.note(c, message, requests)
			news = append(news, message)
		}
	}
	return news
}

// none is no question.
var none = &asked{}

// note takes a question out of what the server sent.
func (m *model) note(c *wire, message string, requests []approval.Request) {
	r := parseReply(m.t, message)
	if r.Method != "elicitation/create" && r.Result.ResultType != "input_required" {
		return
	}
	if len(requests) != 1 {
		m.fail("a question went out and %d were put: %s", len(requests), message)
	}
	var in textIn
	q := requests[0]
	if err := json.Unmarshal(q.Arguments, &in); err != nil {
		m.fail("a question about %s", q.Arguments)
	}
	a := &asked{from: c, who: c.who, tool: q.Tool, version: m.version[q.Tool], text: in.Text, deadline: time.Now().Add(limit), request: q.ID, callID: m.nextID}
	if r.Method != "" {
		a.elicit = string(r.ID)
	} else {
		a.state = r.Result.RequestState
	}
	m.questions = append(m.questions, a)
}

func (m *model) fail(format string, args ...any) {
	m.t.Helper()
	require.FailNow(m.t, fmt.Sprintf(format, args...), "after:\n  %s", strings.Join(m.trace, "\n  "))
}

// call makes a call that nobody has answered for yet.
func (m *model) call() {
	c := m.wires[m.roll(len(m.wires))]
	tool, text := m.pick([]string{"wipe", "note", "open"}), m.pick(texts)
	m.log("%s calls %s(%s)", m.name(c), tool, text)
	c.send(c.call(m.id(), tool, m.arguments(text), ""))
	m.settle(0, 0)
}

func (m *model) name(c *wire) string {
	return fmt.Sprintf("client %d (%s)", slices.Index(m.wires, c), c.who)
}

// answer answers some question, or what looks like one.
func (m *model) answer() {
	if len(m.questions) == 0 {
		return
	}
	from := max(0, len(m.questions)-6) // mostly fresh ones
	if m.roll(5) == 0 {
		from = 0
	}
	q := m.questions[from+m.roll(len(m.questions)-from)]
	if q.state != "" {
		m.answerModern(q)
	} else {
		m.answerElicit(q)
	}
}

var actions = []string{`{"action":"accept","content":{}}`, `{"action":"accept","content":{}}`, `{"action":"accept","content":{}}`,
	`{"action":"decline"}`, `{"action":"cancel"}`, `{"action":"ACCEPT"}`, `{"action":["accept"]}`, `{}`}

// accepts reports whether an action is a yes.
func accepts(action string) bool { return strings.HasPrefix(action, `{"action":"accept"`) }

// answerModern calls again for q, one way or another.
func (m *model) answerModern(q *asked) {
	c, state, tool, text, able := q.from, q.state, q.tool, q.text, true
	action := m.pick(actions)
	answers := `{"approval":` + action + `}`
	wrong := ""
	switch m.roll(16) {
	case 0:
		wrong, state = "a state of which one byte is other", tamper(state, m.roll(len(state)))
	case 1:
		other := m.questions[m.roll(len(m.questions))]
		if other.state == "" || other.state == state || other.text == text && other.tool == tool && other.who == q.who {
			return
		}
		wrong, state = "the state of another question", other.state
	case 2:
		if text = m.pick(texts); text != q.text {
			wrong = "other arguments"
		}
	case 3:
		if tool = m.pick([]string{"wipe", "note", "open"}); tool != q.tool {
			wrong = "another tool"
		}
	case 4:
		for _, other := range m.wires {
			if other.modern && other.able && other.who != q.who {
				c, wrong = other, "another principal"
			}
		}
	case 5:
		able, wrong = false, "without the capability"
	case 6:
		wrong, state = "no state", ""
	case 7:
		answers, action = `{"other":`+action+`}`, ""
	case 8:
		answers, action = `{}`, ""
	case 9:
		wrong, state = "a made-up state", strings.Repeat("AQ", 60)
	}
	extra := `,"inputResponses":` + answers
	if state != "" {
		extra += `,"requestState":"` + state + `"`
	}
	copies := 1
	if m.roll(4) == 0 {
		copies = 2 + m.roll(3)
	}
	// A second client of the same principal is as good as the first.
	able0 := c.able
	c.able = able
	m.log("%s answers the question about %s(%s) by %s, %d times: %s", m.name(c), q.tool, q.text, answers, copies, orElse(wrong, "as it should"))
	for range copies {
		c.send(c.call(m.id(), tool, m.arguments(text), extra))
	}
	c.able = able0
	if wrong != "" {
		m.settleSeveral(copies, 0, 0)
		return
	}
	least, most := 0, 0
	if m.good(q) {
		said := q.fate
		switch {
		case said == open && accepts(action), said == yes && (action == "" || accepts(action)):
			least, most = 1, 1
		}
		if said != over {
			q.fate = over
		}
	}
	m.settleSeveral(copies, least, most, ran{q.tool, q.version, q.text})
}

// settleSeveral is settle for copies that were sent at once: each that does not
// count may be a question anew.
func (m *model) settleSeveral(copies, least, most int, want ...ran) {
	synctest.Wait()
	if copies == 1 {
		m.settle(least, most, want...)
		return
	}
	m.mu.Lock()
	m.asked = nil // which of the messages belongs to which is nobody's business
	m.mu.Unlock()
	for _, c := range m.wires {
		c.fresh()
	}
	m.settle(least, most, want...)
}

func orElse(s, fallback string) string {
	if s == "" {
		return fallback
	}
	return s
}

// tamper changes one character of base64url into another.
func tamper(state string, at int) string {
	c := byte('A')
	if state[at] == c {
		c = 'Q'
	}
	return state[:at] + string(c) + state[at+1:]
}

// answerElicit answers a request of the server, one way or another.
func (m *model) answerElicit(q *asked) {
	c, id := q.from, q.elicit
	switch m.roll(8) {
	case 0:
		c = m.wires[m.roll(len(m.wires))]
	case 1:
		id = strconv.Itoa(1 + m.roll(40))
	case 2:
		m.cancel(q)
		return
	}
	// Whose question it then is: ids count for each session by itself.
	hit := none
	for _, other := range m.questions {
		if other.from == c && other.elicit == id && other.state == "" {
			hit = other
		}
	}
	bodies := []string{}
	for range 1 + m.roll(4)/3*2 {
		action := m.pick(actions)
		body := `"result":` + action
		if m.roll(10) == 0 {
			body, action = `"error":{"code":-32601,"message":"no"}`, ""
		}
		bodies = append(bodies, body)
		m.log("%s answers its question %s about %s(%s): %s", m.name(c), id, hit.tool, hit.text, body)
		c.send(`{"jsonrpc":"2.0","id":` + id + `,` + body + `}`)
	}
	least, most := 0, 0
	if hit.fate == open && m.good(hit) && hit != none {
		each := 0
		for _, b := range bodies {
			if accepts(strings.TrimPrefix(b, `"result":`)) {
				each++
			}
		}
		if each > 0 {
			most = 1
		}
		if each == len(bodies) { // of several at once the first counts, whichever that is
			least = 1
		}
	}
	if hit != none {
		hit.fate = over
	}
	m.settle(least, most, ran{hit.tool, hit.version, hit.text})
}

// cancel cancels the call that a question belongs to.
func (m *model) cancel(q *asked) {
	m.log("%s cancels the call of %s(%s)", m.name(q.from), q.tool, q.text)
	q.from.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, q.callID))
	q.fate = over
	m.settle(0, 0)
}

// decide is the operator, who answers beside the client.
func (m *model) decide() {
	if len(m.questions) == 0 {
		return
	}
	q := m.questions[m.roll(len(m.questions))]
	outcome := approval.Approved
	if m.roll(2) == 0 {
		outcome = approval.Declined
	}
	m.log("the operator says %s to %s(%s) of %s", outcome, q.tool, q.text, m.name(q.from))
	_, err := m.gate.Broker().Decide(context.Background(), approval.Decision{Request: q.request, Outcome: outcome, Via: "http",
		By: toolspec.Principal{Subject: "operator", Via: "http"}})
	if q.fate != open || !time.Now().Before(q.deadline) {
		m.settle(0, 0)
		return
	}
	if err != nil {
		m.fail("the operator's answer was refused: %v", err)
	}
	least := 0
	switch {
	case q.state != "" && outcome == approval.Approved:
		q.fate = yes
	case q.state != "":
		q.fate = no
	default:
		if outcome == approval.Approved && m.good(q) {
			least = 1
		}
		q.fate = over
	}
	m.settle(least, least, ran{q.tool, q.version, q.text})
}

// stray sends what nobody asked for.
func (m *model) stray() {
	c := m.wires[m.roll(len(m.wires))]
	text := m.pick(texts)
	switch m.roll(4) {
	case 0:
		m.log("%s sends an answer out of nothing", m.name(c))
		c.send(c.call(m.id(), "wipe", m.arguments(text), `,"inputResponses":{"approval":{"action":"accept","content":{}}}`))
	case 1:
		m.log("%s says by itself that it was approved", m.name(c))
		c.send(c.call(m.id(), "note", m.arguments(text), `,"inputResponses":{"approval":{"action":"accept"}},"requestState":"approved"`))
	case 2:
		m.log("%s answers a request that there is not", m.name(c))
		c.send(`{"jsonrpc":"2.0","id":4711,"result":{"action":"accept","content":{}}}`)
	case 3:
		if c.stdin != nil || c.modern || !c.able {
			return
		}
		m.log("%s ends its session", m.name(c))
		c.hangUp()
		for _, q := range m.questions {
			if q.from == c {
				q.fate = over
			}
		}
		m.settle(0, 0)
		m.initialize(c)
		return
	}
	m.settle(0, 0)
}

// play runs a whole sequence.
func play(t *testing.T, d dice) (steps int) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{world: newWorld(t, nil), dice: d}
		defer m.close()
		m.wires = []*wire{m.overHTTP("ada", true, true), m.overHTTP("bob", true, true), m.overHTTP("ada", false, true), m.overHTTP("bob", false, true),
			m.overHTTP("ada", false, false), m.overHTTP("ada", true, false), m.overStdio(false, true), m.overStdio(true, true)}
		for ; !m.over(); steps++ {
			m.step()
		}
		m.close()
		runs, _ := m.took()
		for _, r := range runs {
			if r.tool != "open" {
				m.fail("%v ran at the end", r)
			}
		}
		if used := m.audit.count(approval.AuditUsed); used < m.may {
			m.fail("%d approvals were used and %d calls ran", used, m.may)
		}
	})
	return steps
}

// Whatever clients send, in whatever order: no gated tool runs without a yes that
// is for just this call, in time, and not used before; a yes that is runs it once,
// and without another question.
func TestApprovalModel(t *testing.T) {
	sequences, seed := 60, rand.Uint64()
	if s := os.Getenv("LOCALPASS_SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
		sequences = 1
	}
	steps := 0
	for i := range sequences {
		own := seed + uint64(i)
		ok := t.Run(fmt.Sprintf("LOCALPASS_SEED=%d", own), func(t *testing.T) {
			steps += play(t, &seeded{Rand: rand.New(rand.NewPCG(own, 1)), steps: 60})
		})
		require.True(t, ok, "again: LOCALPASS_SEED=%d go test ./mcphub -run TestApprovalModel", own)
	}
	t.Logf("%d steps from seed %d on", steps, seed)
}

// FuzzApproval lets the input decide what happens.
func FuzzApproval(f *testing.F) {
	for i := range 8 {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		data := make([]byte, 40+40*i)
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		play(t, &scripted{data[:min(len(data), 600)]})
	})
}
