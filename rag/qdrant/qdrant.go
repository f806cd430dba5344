package qdrant

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/qdrant/go-client/qdrant"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/localpass/localpass"
	"github.com/localpass/localpass/rag"
	"github.com/localpass/localpass/rag/internal/plan"
)

// Options are the options of [Open]. The zero value works.
type Options struct {
	// Embedder makes the vectors of documents and queries that have none. nil: they must
	// come with a vector.
	Embedder rag.Embedder
	// Key is the API key of the server. It is sent without TLS to this machine alone.
	Key string
	// TLS are the settings of a connection by qdrants://. nil means TLS 1.3 and the
	// certificates of the system.
	TLS *tls.Config
	// Exact compares a query with every document, instead of using the server's index.
	Exact bool
	// Now returns the time. nil means time.Now.
	Now func() time.Time
}

// Store is a vector store in a collection of Qdrant. Make one with [Open]. It has all
// upgrades of a [rag.VectorStore].
type Store struct {
	opts   Options
	client *qdrant.Client
	name   string // of the collection
	closed atomic.Bool
	write  sync.Mutex // one writer of this program at a time
}

var _ interface {
	rag.VectorStore
	rag.IDDeleter
	rag.Getter
	rag.Scanner
	rag.Replacer
	rag.StatsReader
} = (*Store)(nil)

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$`)

// Open connects to a server. The address names the host, the port of its gRPC (6334 if
// there is none) and the collection: "qdrant://localhost/documents", or "qdrants://" for TLS.
// The collection is made with its first documents. If its vectors are of another embedder,
// the error is a [*rag.MismatchError]: add the documents to another collection.
func Open(ctx context.Context, address string, opts *Options) (*Store, error) {
	s := &Store{}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Now == nil {
		s.opts.Now = time.Now
	}
	config, name, err := parse(address)
	if err != nil {
		return nil, err
	}
	if s.opts.Key != "" && !config.UseTLS && !isLocal(config.Host) {
		return nil, fmt.Errorf("qdrant: the key would be sent to %s without TLS: use qdrants:// : %w", config.Host, rag.ErrInvalid)
	}
	config.APIKey, config.TLSConfig = s.opts.Key, s.opts.TLS
	s.name = name
	if s.client, err = qdrant.NewClient(config); err != nil {
		return nil, fmt.Errorf("qdrant: %w", err)
	}
	if _, err := s.current(ctx); err != nil {
		return nil, errors.Join(err, s.client.Close())
	}
	return s, nil
}

func parse(address string) (*qdrant.Config, string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "qdrant" && u.Scheme != "qdrants" || u.User != nil || u.RawQuery != "" {
		return nil, "", fmt.Errorf("qdrant: the address must be like qdrant://localhost:6334/documents, without a user or a query: %w", rag.ErrInvalid)
	}
	name := strings.TrimPrefix(u.Path, "/")
	if !validName.MatchString(name) {
		return nil, "", fmt.Errorf("qdrant: the collection %q: use 1 to 100 letters, digits, dots, dashes and underscores: %w", name, rag.ErrInvalid)
	}
	c := &qdrant.Config{Host: u.Hostname(), UseTLS: u.Scheme == "qdrants", PoolSize: 1, SkipCompatibilityCheck: true,
		GrpcOptions: []grpc.DialOption{grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32))}}
	if strings.Contains(c.Host, ":") {
		c.Host = "[" + c.Host + "]"
	}
	if u.Port() != "" {
		if c.Port, err = strconv.Atoi(u.Port()); err != nil || c.Port < 1 || c.Port > math.MaxUint16 {
			return nil, "", fmt.Errorf("qdrant: the port %q: use 1 to 65535: %w", u.Port(), rag.ErrInvalid)
		}
	}
	return c, name, nil
}

func isLocal(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Close closes the connection. After Close every other method returns
// [localpass.ErrClosed].
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	return s.client.Close()
}

// wrap names the package in an error, and adds the end of a context, which gRPC reports in
// its own way.
func wrap(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil && !errors.Is(err, ended) {
		err = errors.Join(ended, err)
	}
	return fmt.Errorf("qdrant: %w", err)
}

// collection is the state of the collection.
type collection struct {
	exists   bool
	manifest rag.Manifest
	count    uint64
}

func (c collection) dimension() int {
	if c.count == 0 {
		return 0
	}
	return c.manifest.Dimension
}

// Keys of the metadata of a collection.
const (
	keyEmbedder = "localpass_embedder"
	keyCreated  = "localpass_created"
)

// current reads the state of the collection, and compares the embedder with it.
func (s *Store) current(ctx context.Context) (collection, error) {
	var c collection
	if s.closed.Load() {
		return c, fmt.Errorf("qdrant: %w", localpass.ErrClosed)
	}
	if err := ctx.Err(); err != nil {
		return c, err
	}
	info, err := s.client.GetCollectionInfo(ctx, s.name)
	if status.Code(unwrapped(err)) == codes.NotFound {
		return c, nil
	}
	if err != nil {
		return c, wrap(ctx, err)
	}
	c.exists = true
	c.manifest.Dimension = int(info.GetConfig().GetParams().GetVectorsConfig().GetParams().GetSize())
	if c.manifest.Dimension == 0 {
		return c, fmt.Errorf("qdrant: the collection %q has no unnamed vectors: it was made by another program: %w", s.name, rag.ErrInvalid)
	}
	metadata := info.GetConfig().GetMetadata()
	c.manifest.Embedder = metadata[keyEmbedder].GetStringValue()
	c.manifest.Created, _ = time.Parse(time.RFC3339Nano, metadata[keyCreated].GetStringValue())
	if c.count, err = s.client.Count(ctx, &qdrant.CountPoints{CollectionName: s.name, Exact: qdrant.PtrOf(true)}); err != nil {
		return c, wrap(ctx, err)
	}
	if s.opts.Embedder != nil && c.count > 0 {
		err = c.manifest.Accepts(rag.DescribeEmbedder(s.opts.Embedder))
	}
	return c, wrap(ctx, err)
}

// unwrapped returns the error within those of the client, which hides its code.
func unwrapped(err error) error {
	for next := err; next != nil; next = errors.Unwrap(next) {
		err = next
	}
	return err
}

func (s *Store) describe(c collection) plan.Store {
	return plan.Store{Embedder: s.opts.Embedder, Dimension: c.dimension()}
}

// Stats implements [rag.StatsReader].
func (s *Store) Stats(ctx context.Context) (rag.Stats, error) {
	c, err := s.current(ctx)
	if err != nil {
		return rag.Stats{}, err
	}
	return rag.Stats{Documents: int(c.count), Dimension: c.dimension(), Modes: []rag.Mode{rag.ModeVector}, Manifest: c.manifest}, nil
}

// pointID returns the id of a document's point, which must be a UUID: of version 8, from a
// hash of the id.
func pointID(id string) *qdrant.PointId {
	sum := sha256.Sum256([]byte(id))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	return qdrant.NewIDUUID(fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16]))
}

func pointIDs(ids []string) []*qdrant.PointId {
	points := make([]*qdrant.PointId, len(ids))
	for i, id := range ids {
		points[i] = pointID(id)
	}
	return points
}
