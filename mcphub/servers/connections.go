package servers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/internal/clip"
	"github.com/localpass/localpass/internal/clock"
	"github.com/localpass/localpass/internal/notify"
	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/internal/rpc"
	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/observe/genai"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

// Options are the options of [New]. The zero value works.
type Options struct {
	// Kinds makes transports from records. nil means client.NewRegistry(nil), which has
	// no values for placeholders.
	Kinds *client.Registry
	// Vault encrypts the secrets of stored records: the values of headers and environment
	// variables, secrets of OAuth clients, and secrets in arguments and addresses;
	// placeholders stay as written. Records with unencrypted secrets are rewritten when
	// they are read. If a value cannot be decrypted, only its own server cannot be
	// connected. nil stores records unencrypted.
	Vault *secret.Vault
	// Dial holds the dial options of every session. " - " and the id of the server are
	// appended to Client.Name.
	Dial client.DialOptions
	// Customize functions adjust the dial options for a server, one after another. After
	// an error the server is not connected.
	Customize []func(server Record, dial *client.DialOptions) error

	// Relay says which questions of a server are passed to the caller whose call caused
	// them, for all servers whose record does not set it. Dial's Handler answers all
	// other requests of a server.
	Relay RelayPolicy
	// Results says what is done with the results of all servers whose record does not set it.
	Results ResultPolicy
	// ExactPackages refuses to start a program that fetches a package and runs it, as npx, uvx
	// and docker do, unless the record names an exact version of it: see [scan.Unpinned].
	ExactPackages bool

	// CallTimeout bounds one request to a server, not counting the wait for answers to
	// its questions. Default 15 s.
	CallTimeout time.Duration
	// IdleTimeout is how long a session may be unused before it is closed. A running call
	// counts as use, synchronization does not. Default 30 min.
	IdleTimeout time.Duration
	// SyncEvery is how often a connected server is asked what it offers, with a random
	// deviation of up to a fifth. Default 5 min.
	SyncEvery time.Duration
	// StaleFor is how long the last known offer of a server stays in use after the server
	// failed. Default 10 min.
	StaleFor time.Duration
	// MaxCalls bounds the calls of one server that run at the same time, not counting
	// calls that wait for an answer to a question of the server. MaxQueue bounds the
	// calls that wait for a slot, and QueueTimeout how long they wait. Defaults 8, 64 and
	// 10 s.
	MaxCalls, MaxQueue int
	QueueTimeout       time.Duration
	// MaxTotalCalls bounds the calls of all servers together; further calls also wait up
	// to QueueTimeout. Default 256.
	MaxTotalCalls int

	// Forget is called before the record of a server is created, deleted, or changed to
	// another endpoint. It should remove the permissions of the server that had the id,
	// as [approval.Gate.Forget] does. After an error the record is not changed. nil:
	// nothing is removed.
	Forget func(ctx context.Context, server string) error

	// Telemetry receives log lines for the operator. nil turns it off.
	Telemetry *genai.Telemetry
}

const (
	defaultUpstreamCall  = 15 * time.Second
	defaultUpstreamIdle  = 30 * time.Minute
	defaultSyncEvery     = 5 * time.Minute
	defaultStaleFor      = 10 * time.Minute
	defaultUpstreamCalls = 8
	defaultUpstreamQueue = 64
	defaultQueueTimeout  = 10 * time.Second
	defaultTotalCalls    = 256
)

func (o *Options) defaults() {
	if o.Kinds == nil {
		o.Kinds = client.NewRegistry(nil)
	}
	o.CallTimeout = cmp.Or(max(o.CallTimeout, 0), defaultUpstreamCall)
	o.IdleTimeout = cmp.Or(max(o.IdleTimeout, 0), defaultUpstreamIdle)
	o.SyncEvery = cmp.Or(max(o.SyncEvery, 0), defaultSyncEvery)
	o.StaleFor = cmp.Or(max(o.StaleFor, 0), defaultStaleFor)
	o.MaxCalls = cmp.Or(max(o.MaxCalls, 0), defaultUpstreamCalls)
	o.MaxQueue = cmp.Or(max(o.MaxQueue, 0), defaultUpstreamQueue)
	o.QueueTimeout = cmp.Or(max(o.QueueTimeout, 0), defaultQueueTimeout)
	o.MaxTotalCalls = cmp.Or(max(o.MaxTotalCalls, 0), defaultTotalCalls)
	o.Dial.Client.Name = cmp.Or(o.Dial.Client.Name, rpc.LibraryName)
}

// Connections manages the MCP servers that this program can reach: their records, and one
// live session for each server in use.
//
// A session is opened when it is needed, once for all callers, and closed when it has not
// been used for a while. A lost session is reopened at increasing intervals; a server
// that keeps failing is not contacted for a time ([StateCircuitOpen]). A server is asked
// what it offers when it is connected, when it reports a change, and at intervals;
// [Connections.Snapshot] returns the last answer without waiting.
//
// All methods are safe for concurrent use. Connections must be closed.
type Connections struct {
	opts  Options
	store localpass.Persistence
	tel   *genai.Telemetry
	clock clock.Clock
	rand  func() float64

	events   eventBus
	pages    pages
	changed  notify.Signal // signals that the callable tools have changed
	updates  notify.Set[resourceUpdate]
	calls    tracker
	places   chan struct{} // slots for all calls together
	syncs    chan struct{} // slots for concurrent scheduled synchronizations
	observer atomic.Pointer[Observer]
	closed   chan struct{} // closed when Shutdown begins

	kill    context.Context // ends the background work
	killNow context.CancelFunc
	taskMu  sync.Mutex
	sealed  bool // no more tasks are accepted
	tasks   sync.WaitGroup

	saving sync.Mutex // held while a record is written or read

	mu         sync.RWMutex // guards the fields below
	servers    map[string]*upstream
	unreadable map[string]error
}

// scheduledSyncs is how many servers are synchronized concurrently by schedule.
const scheduledSyncs = 4

// New reads the records of servers from the store and connects to none of them.
// Unreadable records do not affect the others: see [Connections.Unreadable].
//
// Records are stored in the collection "servers", the last known snapshots in
// "servers-cache". If the store can report changes ([localpass.Watcher]), several
// programs can share them.
func New(store localpass.Persistence, opts *Options) (*Connections, error) {
	if store == nil {
		return nil, errors.New("servers: connections need a store for their records: persistence/memory keeps them as long as the program runs")
	}
	c := &Connections{store: store, rand: rand.Float64, syncs: make(chan struct{}, scheduledSyncs), closed: make(chan struct{}),
		servers: map[string]*upstream{}, calls: tracker{empty: make(chan struct{})}}
	if opts != nil {
		c.opts = *opts
	}
	c.opts.defaults()
	c.places = make(chan struct{}, c.opts.MaxTotalCalls)
	c.pages.spawn = c.spawn
	if err := cmp.Or(c.opts.Relay.Validate(), c.opts.Results.Validate()); err != nil {
		return nil, fmt.Errorf("servers: connections: %w", err)
	}
	c.tel = c.opts.Telemetry
	c.kill, c.killNow = context.WithCancel(context.Background())
	all, plain, unreadable, err := c.readServers(c.kill)
	if err != nil {
		c.killNow()
		return nil, err
	}
	c.unreadable = unreadable
	for _, err := range unreadable {
		c.tel.Log().Warn("servers: a server is left out", "error", err)
	}
	for _, r := range plain {
		c.reseal(c.kill, r)
	}
	for _, r := range all {
		u := c.newUpstream(r)
		u.restoreOffer(c.kill)
		c.servers[r.ID] = u
	}
	if w, ok := store.(localpass.Watcher); ok {
		c.spawn(func() { c.watchStore(c.kill, w) })
	}
	return c, nil
}

// spawn runs a task that the shutdown waits for. After the shutdown it runs nothing.
func (c *Connections) spawn(do func()) bool {
	c.taskMu.Lock()
	defer c.taskMu.Unlock()
	if !c.sealed {
		c.tasks.Go(do)
	}
	return !c.sealed
}

func (c *Connections) server(id string) (*upstream, error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if u := c.servers[id]; u != nil {
		return u, nil
	}
	return nil, notFound(id)
}

// allServers returns the servers, sorted by id.
func (c *Connections) allServers() []*upstream {
	c.mu.RLock()
	out := make([]*upstream, 0, len(c.servers))
	for _, u := range c.servers {
		out = append(out, u)
	}
	c.mu.RUnlock()
	slices.SortFunc(out, func(a, b *upstream) int { return strings.Compare(a.id, b.id) })
	return out
}

// Transport returns the transport that a record defines. The record need not be saved,
// and no connection is made. The error says what is wrong with the record.
func (c *Connections) Transport(r Record) (client.Transport, error) {
	t, err := c.opts.Kinds.Transport(r.Kind, r.Connection)
	if err != nil || !c.opts.ExactPackages || t.Describe().Kind != client.TransportStdio {
		return t, err
	}
	var def client.StdioConfig
	if err := json.Unmarshal(r.Connection, &def); err != nil {
		return nil, fmt.Errorf("the definition of its connection: %w", err)
	}
	if found, why := scan.Unpinned(def.Command, def.Args); why != "" {
		return nil, fmt.Errorf("only exact versions of packages are started here, and it has %q: %s", clip.To(found, 200), why)
	}
	return t, nil
}

// List returns the records by id.
func (c *Connections) List() []Record {
	all := c.allServers()
	out := make([]Record, len(all))
	for i, u := range all {
		out[i] = u.recordCopy()
	}
	return out
}

// Get returns one record, or ErrNotFound.
func (c *Connections) Get(id string) (Record, error) {
	u, err := c.server(id)
	if err != nil {
		return Record{}, err
	}
	return u.recordCopy(), nil
}

// Unreadable returns the errors of unreadable records, by key.
func (c *Connections) Unreadable() map[string]error {
	c.mu.RLock()
	defer c.mu.RUnlock()
	out := make(map[string]error, len(c.unreadable))
	for key, err := range c.unreadable {
		out[key] = err
	}
	return out
}

// Status returns the status of a server, or ErrNotFound.
func (c *Connections) Status(id string) (Status, error) {
	u, err := c.server(id)
	if err != nil {
		return Status{}, err
	}
	return *u.status(), nil
}

// Statuses returns the status of all servers, by id.
func (c *Connections) Statuses() []Status {
	all := c.allServers()
	out := make([]Status, len(all))
	for i, u := range all {
		out[i] = *u.status()
	}
	return out
}

// Snapshot returns what a server offered when it was last asked; nil if it never was. It
// never waits. An expired snapshot is returned too, and renewed in the background.
func (c *Connections) Snapshot(id string) *Snapshot {
	u, err := c.server(id)
	if err != nil {
		return nil
	}
	s := u.offer.snapshot.Load()
	if s != nil && !s.Expires.IsZero() && c.clock.Now().After(s.Expires) {
		u.syncSoon()
	}
	return s
}

// Watch calls changed after each change of what the servers offer, until stop is called;
// stop waits for a running call of changed. changed must not block, and must not call
// Connect, which waits for it.
func (c *Connections) Watch(changed func()) (stop func()) { return c.changed.Add(changed) }

// WatchResources calls updated each time a server reports that one of its resources
// changed, with the id of the server and the URI, until stop is called; stop waits for a
// running call of updated. updated must not block.
func (c *Connections) WatchResources(updated func(server, uri string)) (stop func()) {
	if updated == nil {
		return func() {}
	}
	return c.updates.Add(func(u resourceUpdate) { updated(u.server, u.uri) })
}

// resourceUpdate is a server's notification about one of its resources.
type resourceUpdate struct{ server, uri string }

// resourceUpdated forwards notifications/resources/updated.
func (c *Connections) resourceUpdated(server string, params json.RawMessage) {
	if uri, ok := rpc.Text(rpc.Object(params)["uri"]); ok {
		c.updates.Notify(resourceUpdate{server, uri})
	}
}

// Store returns the store of the records.
func (c *Connections) Store() localpass.Persistence { return c.store }

// Telemetry returns Options.Telemetry.
func (c *Connections) Telemetry() *genai.Telemetry { return c.tel }

// Done returns a channel that is closed when Shutdown or Close begins.
func (c *Connections) Done() <-chan struct{} { return c.closed }

// Shutdown ends all connections gracefully: it refuses new calls, lets running calls
// finish until ctx ends, and then closes all sessions concurrently. It returns when
// nothing runs any longer, with the context's error if calls were interrupted.
func (c *Connections) Shutdown(ctx context.Context) error {
	if c.calls.close() {
		close(c.closed)
	}
	for _, u := range c.allServers() {
		u.refuseWork()
	}
	var err error
	select {
	case <-c.calls.empty:
	case <-ctx.Done():
		select {
		case <-c.calls.empty:
		default:
			err = fmt.Errorf("servers: shutdown: calls were cut off: %w", ctx.Err())
		}
	}
	c.killNow()
	for _, u := range c.allServers() {
		u.closeSessions()
	}
	c.taskMu.Lock()
	c.sealed = true
	c.taskMu.Unlock()
	c.tasks.Wait()
	return err
}

// Close ends all connections at once. It never fails.
func (c *Connections) Close() error {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = c.Shutdown(ctx)
	return nil
}

func errConnectionsClosed() error {
	return fmt.Errorf("servers: the connections are closed: %w", toolspec.ErrClosed)
}
