package mcphub_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing/synctest"
	"time"

	"github.com/localpass/localpass/approval"
	"github.com/localpass/localpass/toolspec"
)

// call makes a call that nobody has answered for yet.
func (m *approvalModel) call() {
	c := m.wires[m.roll(len(m.wires))]
	tool, text := m.pick([]string{"wipe", "note", "open"}), m.pick(texts)
	m.log("%s calls %s(%s)", m.name(c), tool, text)
	c.send(c.call(m.id(), tool, m.arguments(text), ""))
	m.settle(0, 0)
}

func (m *approvalModel) name(c *rawClient) string {
	return fmt.Sprintf("client %d (%s)", slices.Index(m.wires, c), c.who)
}

// answer answers some question, or what looks like one.
func (m *approvalModel) answer() {
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
func (m *approvalModel) answerModern(q *asked) {
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
func (m *approvalModel) settleSeveral(copies, least, most int, want ...ran) {
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
func (m *approvalModel) answerElicit(q *asked) {
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
func (m *approvalModel) cancel(q *asked) {
	m.log("%s cancels the call of %s(%s)", m.name(q.from), q.tool, q.text)
	q.from.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, q.callID))
	q.fate = over
	m.settle(0, 0)
}

// decide is the operator, who answers beside the client.
func (m *approvalModel) decide() {
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
func (m *approvalModel) stray() {
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
