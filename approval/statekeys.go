package approval

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/localpass/localpass"
)

const (
	collectionKeys = "approval-keys"
	stateKeyName   = "state"
	stateKeySize   = 32
	// stateReread is how often at most a state that no key opens makes a program
	// look whether another one has made a new key.
	stateReread = time.Second
)

// stateKeys are the key that seals and the one before, which still opens what
// it has sealed.
type stateKeys struct {
	store  localpass.Persistence // nil: in memory only
	rotate time.Duration         // how long a key seals
	keep   time.Duration         // how long it opens afterwards

	mu   sync.Mutex
	now  keyPair
	read time.Time // when the store was read last
}

// keyPair is the stored document.
type keyPair struct {
	Current  sealKey  `json:"current"`
	Previous *sealKey `json:"previous,omitempty"`
}

type sealKey struct {
	Key   []byte    `json:"key"`
	Since time.Time `json:"since"`
	// Until is when a key that seals no more ceases to open.
	Until time.Time `json:"until,omitzero"`
}

func (k *sealKey) aead() (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.Key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// seal returns the cipher that seals at a time, with a new key where the old
// one has served its time.
func (k *stateKeys) seal(ctx context.Context, now time.Time) (cipher.AEAD, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.fresh(now) {
		if err := k.renew(ctx, now); err != nil {
			return nil, fmt.Errorf("approval: the key of approval states: %w", err)
		}
	}
	return k.now.Current.aead()
}

func (k *stateKeys) fresh(now time.Time) bool {
	return k.now.Current.Key != nil && now.Before(k.now.Current.Since.Add(k.rotate))
}

// renew reads the key that another program made, or makes one. When two make one
// at once, one of them wins and both use the winner's.
func (k *stateKeys) renew(ctx context.Context, now time.Time) error {
	if k.store == nil {
		k.now = k.next(now)
		return nil
	}
	for range 4 {
		version, err := k.load(ctx, now)
		if err != nil || k.fresh(now) {
			return err
		}
		next := k.next(now)
		data, err := json.Marshal(next)
		if err != nil {
			return err
		}
		_, err = k.store.Put(ctx, collectionKeys, stateKeyName, localpass.Document{Version: version, Data: data})
		if err == nil {
			k.now = next
			return nil
		}
		if !errors.Is(err, localpass.ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("%s/%s changes all the time: %w", collectionKeys, stateKeyName, localpass.ErrConflict)
}

func (k *stateKeys) next(now time.Time) keyPair {
	pair := keyPair{Current: sealKey{Key: make([]byte, stateKeySize), Since: now}}
	rand.Read(pair.Current.Key) // never fails
	if old := k.now.Current; old.Key != nil {
		old.Until = now.Add(k.keep)
		pair.Previous = &old
	}
	return pair
}

// load reads the stored keys; version is [localpass.NoVersion] when there are
// none.
func (k *stateKeys) load(ctx context.Context, now time.Time) (version int64, err error) {
	k.read = now
	doc, err := k.store.Get(ctx, collectionKeys, stateKeyName)
	if errors.Is(err, localpass.ErrNotFound) {
		k.now = keyPair{}
		return localpass.NoVersion, nil
	}
	if err != nil {
		return 0, err
	}
	var pair keyPair
	if err := doc.Decode(&pair); err != nil || len(pair.Current.Key) != stateKeySize || pair.Previous != nil && len(pair.Previous.Key) != stateKeySize {
		return 0, fmt.Errorf("%s/%s holds no key of %d bytes: delete it, and open questions are asked anew", collectionKeys, stateKeyName, stateKeySize)
	}
	k.now = pair
	return doc.Version, nil
}

// open tries the keys that open at a time.
func (k *stateKeys) open(ctx context.Context, now time.Time, try func(cipher.AEAD) ([]byte, error)) ([]byte, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	plain, err := k.try(now, try)
	if err == nil || k.store == nil {
		return plain, err
	}
	if k.fresh(now) && !now.Before(k.read) && now.Sub(k.read) < stateReread {
		return nil, err
	}
	if _, lerr := k.load(ctx, now); lerr != nil {
		return nil, errors.Join(err, lerr)
	}
	return k.try(now, try)
}

func (k *stateKeys) try(now time.Time, try func(cipher.AEAD) ([]byte, error)) ([]byte, error) {
	keys := []*sealKey{&k.now.Current}
	if p := k.now.Previous; p != nil && now.Before(p.Until) {
		keys = append(keys, p)
	}
	err := errors.New("the store holds no key")
	for _, key := range keys {
		if key.Key == nil {
			continue
		}
		var aead cipher.AEAD
		var plain []byte
		if aead, err = key.aead(); err != nil {
			return nil, err
		}
		if plain, err = try(aead); err == nil {
			return plain, nil
		}
	}
	return nil, err
}
