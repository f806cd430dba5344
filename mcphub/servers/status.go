package servers

import (
	"errors"
	"fmt"
	"time"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
)

// State is the state of a connection. The zero value is idle.
type State uint8

// The states.
const (
	// StateIdle: there is no session, and none is needed.
	StateIdle State = iota
	// StateMissingConfig: placeholders of the connection have no value; see
	// Status.Missing. No connection was made.
	StateMissingConfig
	// StateConnecting: a session is being opened.
	StateConnecting
	// StateAwaitingAuthorization: the server requires credentials, or other ones; see
	// Status.Challenges. Connect again once they are available; see
	// Connections.Authorized.
	StateAwaitingAuthorization
	// StateConnected: there is a session.
	StateConnected
	// StateError: there is no session, and Status.Error says why.
	StateError
	// StateCircuitOpen: the server failed repeatedly and is not contacted until
	// Status.RetryAt.
	StateCircuitOpen
)

var serverStates = []string{"IDLE", "MISSING_CONFIG", "CONNECTING", "AWAITING_AUTHORIZATION", "CONNECTED", "ERROR", "CIRCUIT_OPEN"}

// String returns the state as one word, such as CONNECTED.
func (s State) String() string {
	if int(s) < len(serverStates) {
		return serverStates[s]
	}
	return "UNKNOWN"
}

// MarshalText returns the state as one word.
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *State) UnmarshalText(text []byte) error {
	for i, name := range serverStates {
		if string(text) == name {
			*s = State(i)
			return nil
		}
	}
	return fmt.Errorf("servers: %q is no state of a connection", text)
}

// SyncStatus is the status of the synchronization with a server. The zero value
// is never.
type SyncStatus uint8

// The states of a synchronization.
const (
	NeverSynced SyncStatus = iota
	Syncing
	Synced
	SyncFailed
)

var syncStatuses = []string{"NEVER_SYNCED", "SYNCING", "SYNCED", "SYNC_FAILED"}

// String returns the state as one word, such as SYNCED.
func (s SyncStatus) String() string {
	if int(s) < len(syncStatuses) {
		return syncStatuses[s]
	}
	return "UNKNOWN"
}

// MarshalText returns the state as one word.
func (s SyncStatus) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *SyncStatus) UnmarshalText(text []byte) error {
	for i, name := range syncStatuses {
		if string(text) == name {
			*s = SyncStatus(i)
			return nil
		}
	}
	return fmt.Errorf("servers: %q is no state of a synchronization", text)
}

// Status is the status of one server. Secrets in its errors are masked.
type Status struct {
	ID    string `json:"serverId"`
	State State  `json:"state"`
	// Since is when it entered this state.
	Since time.Time `json:"since"`
	// Error says why it is in this state, and Attempts how often that happened in a row.
	// RetryAt is when it is tried again automatically; zero if it is not.
	Error    string    `json:"error,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	RetryAt  time.Time `json:"retryAt,omitzero"`
	// Missing names placeholders without a value.
	Missing []string `json:"missing,omitempty"`
	// Challenges are the server's authorization challenges.
	Challenges []string `json:"challenges,omitempty"`
	// AuthorizationURL is the page on which the user grants the authorization, if the
	// credentials have one. It is for that user alone.
	AuthorizationURL string `json:"authorizationUrl,omitempty"`

	// Endpoint is the endpoint of the record.
	Endpoint client.Endpoint `json:"endpoint"`
	// Server, Protocol and Era are what the session negotiated, if there is one.
	Server   client.Identity `json:"server,omitzero"`
	Protocol string          `json:"protocol,omitempty"`
	Era      client.Era      `json:"era,omitzero"`
	// ConnectMS is how long it took to open the session, in milliseconds.
	ConnectMS float64 `json:"connectMs,omitempty"`
	// Generation counts the sessions that were started.
	Generation uint64 `json:"generation"`
	// Running and Waiting count the calls.
	Running int `json:"running"`
	Waiting int `json:"waiting"`

	Sync      SyncStatus `json:"syncStatus"`
	SyncError string     `json:"syncError,omitempty"`
	SyncedAt  time.Time  `json:"lastSyncedAt,omitzero"`
	Tools     int        `json:"toolCount"`
	// LeftOut is how many of the Tools the record's Selection leaves out.
	LeftOut   int `json:"toolsLeftOut,omitempty"`
	Resources int `json:"resourceCount"`
	Templates int `json:"templateCount"`
	Prompts   int `json:"promptCount"`
	// Stale is the time since which the server's offer could not be confirmed.
	Stale time.Time `json:"staleSince,omitzero"`
	// Version is the version of the record.
	Version int64 `json:"version"`
}

// status computes the status of the server. u.mu must not be held.
func (u *upstream) status() *Status {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.statusLocked()
}

func (u *upstream) statusLocked() *Status {
	s := &Status{ID: u.id, State: u.link.state, Since: u.link.since, RetryAt: u.link.retryAt, Generation: u.link.generation,
		Running: len(u.queue.running), Waiting: int(u.queue.waiting.Load()), Sync: u.offer.status, Stale: u.offer.staleSince, Version: u.settings.record.Version}
	if u.settings.transport != nil {
		s.Endpoint = u.settings.transport.Describe()
	}
	if u.link.state != StateConnected {
		s.Attempts = u.redial.attempts
	}
	if u.link.err != nil {
		s.Error = u.link.err.Error()
		var missing *client.MissingConfigError
		var conn *client.ConnError
		if errors.As(u.link.err, &missing) {
			s.Missing = missing.Names
		} else if errors.As(u.link.err, &conn) {
			s.Challenges, s.AuthorizationURL = conn.Challenges, client.AuthorizationURL(u.link.err)
		}
	}
	if u.offer.err != nil {
		s.SyncError = u.offer.err.Error()
	}
	if u.link.live != nil {
		info := u.link.live.session.Info()
		s.Server, s.Protocol, s.Era, s.ConnectMS = info.Server, info.Version, info.Era, rpc.Millis(u.link.dialTime)
	}
	if snap := u.offer.snapshot.Load(); snap != nil {
		s.SyncedAt = snap.At
		s.Tools, s.Resources, s.Templates, s.Prompts = len(snap.Tools), len(snap.Resources), len(snap.Templates), len(snap.Prompts)
		s.LeftOut = len(snap.Tools) - len(u.settings.record.Selection.Filter(snap.Tools))
	}
	return s
}

// publish sends the status of the server to subscribers. u.mu must be held.
func (u *upstream) publish(kind EventKind) { u.publishEvent(Event{Kind: kind}) }

func (u *upstream) publishEvent(e Event) {
	e.At, e.Status = u.c.clock.Now(), u.statusLocked()
	u.c.events.publish(e)
}
