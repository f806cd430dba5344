// Package ragtest is the conformance suite for implementations of rag.VectorStore: those of
// this module, and yours.
//
//	func TestConformance(t *testing.T) {
//		ragtest.TestStore(t, func(t testing.TB, e rag.Embedder) rag.VectorStore {
//			store := open(t, e) // new and empty
//			t.Cleanup(func() { store.Close() })
//			return store
//		}, nil)
//	}
//
// The suite requires only what the documentation of rag.VectorStore and of the implemented
// upgrades says. Scores may differ by 1e-5 from the exact ones.
package ragtest
