package qdrant_test

import (
	"cmp"
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/qdrant/go-client/qdrant"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/localpass/localpass/rag"
)

// server does in memory what the documentation of Qdrant says of the calls that the store
// makes. An approximate search returns half of what there is, and equal scores come in any
// order.
type server struct {
	qdrant.UnimplementedCollectionsServer

	mu          sync.Mutex
	collections map[string]*stored
	fail        error  // of every call
	key         string // that was sent last
}

type stored struct {
	size     uint64
	metadata map[string]*qdrant.Value
	indexed  []string
	points   map[string]*qdrant.PointStruct
}

func serve(t testing.TB) (*server, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &server{collections: map[string]*stored{}}
	g := grpc.NewServer(grpc.MaxRecvMsgSize(math.MaxInt32), grpc.UnaryInterceptor(
		func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			md, _ := metadata.FromIncomingContext(ctx)
			s.key = strings.Join(md.Get("api-key"), ",")
			if s.fail != nil {
				return nil, s.fail
			}
			return next(ctx, req)
		}))
	qdrant.RegisterCollectionsServer(g, s)
	qdrant.RegisterPointsServer(g, points{server: s})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = g.Serve(listener)
	}()
	t.Cleanup(func() { g.Stop(); <-done })
	return s, listener.Addr().String()
}

func (s *server) collection(name string) (*stored, error) {
	if c := s.collections[name]; c != nil {
		return c, nil
	}
	return nil, status.Errorf(codes.NotFound, "Collection `%s` doesn't exist!", name)
}

func (s *server) Get(_ context.Context, r *qdrant.GetCollectionInfoRequest) (*qdrant.GetCollectionInfoResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	config := &qdrant.CollectionConfig{Metadata: c.metadata, Params: &qdrant.CollectionParams{}}
	if c.size > 0 {
		config.Params.VectorsConfig = qdrant.NewVectorsConfig(&qdrant.VectorParams{Size: c.size, Distance: qdrant.Distance_Cosine})
	}
	return &qdrant.GetCollectionInfoResponse{Result: &qdrant.CollectionInfo{Config: config}}, nil
}

func (s *server) Create(_ context.Context, r *qdrant.CreateCollection) (*qdrant.CollectionOperationResponse, error) {
	if s.collections[r.GetCollectionName()] != nil {
		return nil, status.Errorf(codes.AlreadyExists, "Collection `%s` already exists!", r.GetCollectionName())
	}
	s.collections[r.GetCollectionName()] = &stored{size: r.GetVectorsConfig().GetParams().GetSize(), metadata: r.GetMetadata(), points: map[string]*qdrant.PointStruct{}}
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

func (s *server) Update(_ context.Context, r *qdrant.UpdateCollection) (*qdrant.CollectionOperationResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err == nil {
		maps.Copy(c.metadata, r.GetMetadata())
	}
	return &qdrant.CollectionOperationResponse{Result: true}, err
}

func (s *server) Delete(_ context.Context, r *qdrant.DeleteCollection) (*qdrant.CollectionOperationResponse, error) {
	delete(s.collections, r.GetCollectionName())
	return &qdrant.CollectionOperationResponse{Result: true}, nil
}

// points is the other service, whose methods have the same names.
type points struct {
	qdrant.UnimplementedPointsServer
	*server
}

func (s points) CreateFieldIndex(_ context.Context, r *qdrant.CreateFieldIndexCollection) (*qdrant.PointsOperationResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err == nil {
		c.indexed = append(c.indexed, r.GetFieldName())
	}
	return &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{}}, err
}

func (s points) Count(_ context.Context, r *qdrant.CountPoints) (*qdrant.CountResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	return &qdrant.CountResponse{Result: &qdrant.CountResult{Count: uint64(len(c.points))}}, nil
}

func (s points) delete(c *stored, selector *qdrant.PointsSelector) {
	for _, id := range selector.GetPoints().GetIds() {
		delete(c.points, id.GetUuid())
	}
}

func (s points) Delete(_ context.Context, r *qdrant.DeletePoints) (*qdrant.PointsOperationResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	s.delete(c, r.GetPoints())
	return &qdrant.PointsOperationResponse{Result: &qdrant.UpdateResult{}}, nil
}

func (s points) UpdateBatch(_ context.Context, r *qdrant.UpdateBatchPoints) (*qdrant.UpdateBatchResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	for _, op := range r.GetOperations() {
		s.delete(c, op.GetDeletePoints().GetPoints())
		for _, p := range op.GetUpsert().GetPoints() {
			v := p.GetVectors().GetVector().GetDense().GetData()
			if uint64(len(v)) != c.size {
				return nil, status.Errorf(codes.InvalidArgument, "Wrong input: Vector dimension error: expected dim: %d, got %d", c.size, len(v))
			}
			rag.Normalize(v) // as the distance is the cosine
			c.points[p.GetId().GetUuid()] = p
		}
	}
	return &qdrant.UpdateBatchResponse{}, nil
}

// output returns the requested parts of a point.
func output(p *qdrant.PointStruct, payload *qdrant.WithPayloadSelector, vectors *qdrant.WithVectorsSelector) (map[string]*qdrant.Value, *qdrant.VectorsOutput) {
	fields := p.GetPayload()
	if include := payload.GetInclude(); include != nil {
		fields = map[string]*qdrant.Value{}
		for _, name := range include.GetFields() {
			fields[name] = p.GetPayload()[name]
		}
	}
	if !vectors.GetEnable() {
		return fields, nil
	}
	dense := &qdrant.VectorOutput_Dense{Dense: &qdrant.DenseVector{Data: p.GetVectors().GetVector().GetDense().GetData()}}
	return fields, &qdrant.VectorsOutput{VectorsOptions: &qdrant.VectorsOutput_Vector{Vector: &qdrant.VectorOutput{Vector: dense}}}
}

func (s points) Get(_ context.Context, r *qdrant.GetPoints) (*qdrant.GetResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	res := &qdrant.GetResponse{}
	for _, id := range r.GetIds() {
		if p := c.points[id.GetUuid()]; p != nil {
			payload, vectors := output(p, r.GetWithPayload(), r.GetWithVectors())
			res.Result = append(res.Result, &qdrant.RetrievedPoint{Id: p.GetId(), Payload: payload, Vectors: vectors})
		}
	}
	return res, nil
}

func (s points) Scroll(_ context.Context, r *qdrant.ScrollPoints) (*qdrant.ScrollResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	res := &qdrant.ScrollResponse{}
	for _, id := range slices.Sorted(maps.Keys(c.points)) {
		p := c.points[id]
		if id < r.GetOffset().GetUuid() || !selects(r.GetFilter(), p.GetPayload()) {
			continue
		}
		if uint32(len(res.Result)) == r.GetLimit() {
			res.NextPageOffset = p.GetId()
			break
		}
		payload, vectors := output(p, r.GetWithPayload(), r.GetWithVectors())
		res.Result = append(res.Result, &qdrant.RetrievedPoint{Id: p.GetId(), Payload: payload, Vectors: vectors})
	}
	return res, nil
}

func (s points) Query(_ context.Context, r *qdrant.QueryPoints) (*qdrant.QueryResponse, error) {
	c, err := s.collection(r.GetCollectionName())
	if err != nil {
		return nil, err
	}
	query := slices.Clone(r.GetQuery().GetNearest().GetDense().GetData())
	if uint64(len(query)) != c.size {
		return nil, status.Errorf(codes.InvalidArgument, "Wrong input: Vector dimension error: expected dim: %d, got %d", c.size, len(query))
	}
	rag.Normalize(query)
	var found []*qdrant.ScoredPoint
	for _, p := range c.points {
		if !selects(r.GetFilter(), p.GetPayload()) {
			continue
		}
		score := float32(0)
		for i, x := range p.GetVectors().GetVector().GetDense().GetData() {
			score += x * query[i]
		}
		payload, vectors := output(p, r.GetWithPayload(), r.GetWithVectors())
		found = append(found, &qdrant.ScoredPoint{Id: p.GetId(), Payload: payload, Vectors: vectors, Score: score})
	}
	rand.Shuffle(len(found), func(i, j int) { found[i], found[j] = found[j], found[i] })
	slices.SortStableFunc(found, func(a, b *qdrant.ScoredPoint) int { return cmp.Compare(b.GetScore(), a.GetScore()) })
	if !r.GetParams().GetExact() {
		found = found[:len(found)/2]
	}
	return &qdrant.QueryResponse{Result: found[:min(uint64(len(found)), r.GetLimit())]}, nil
}

// selects evaluates a filter of the server.
func selects(f *qdrant.Filter, payload map[string]*qdrant.Value) bool {
	for _, c := range f.GetMust() {
		if !holds(c, payload) {
			return false
		}
	}
	for _, c := range f.GetMustNot() {
		if holds(c, payload) {
			return false
		}
	}
	return len(f.GetShould()) == 0 || slices.ContainsFunc(f.GetShould(), func(c *qdrant.Condition) bool { return holds(c, payload) })
}

func holds(c *qdrant.Condition, payload map[string]*qdrant.Value) bool {
	if f := c.GetFilter(); f != nil {
		return selects(f, payload)
	}
	field := c.GetField()
	var at *qdrant.Value
	for i, name := range strings.Split(field.GetKey(), ".") {
		if i > 0 {
			payload = at.GetStructValue().GetFields()
		}
		at = payload[name]
	}
	values := at.GetListValue().GetValues()
	if values == nil && at != nil {
		values = []*qdrant.Value{at}
	}
	return slices.ContainsFunc(values, func(v *qdrant.Value) bool {
		if r := field.GetRange(); r != nil {
			n := v.GetDoubleValue()
			switch kind := v.GetKind().(type) {
			case *qdrant.Value_IntegerValue:
				n = float64(kind.IntegerValue)
			case *qdrant.Value_DoubleValue:
			default:
				return false
			}
			return (r.Gt == nil || n > *r.Gt) && (r.Gte == nil || n >= *r.Gte) && (r.Lt == nil || n < *r.Lt) && (r.Lte == nil || n <= *r.Lte)
		}
		text, ok := v.GetKind().(*qdrant.Value_StringValue)
		switch match := field.GetMatch().GetMatchValue().(type) {
		case *qdrant.Match_Keyword:
			return ok && text.StringValue == match.Keyword
		case *qdrant.Match_Keywords:
			return ok && slices.Contains(match.Keywords.GetStrings(), text.StringValue)
		}
		panic("the server of the tests does not know this condition: " + c.String())
	})
}
