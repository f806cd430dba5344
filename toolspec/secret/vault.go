package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"sync"
)

// ErrSealed reports a value that cannot be opened: it is damaged, it belongs to
// another place, or it was sealed with another key. Nothing of it is given.
var ErrSealed = errors.New("secret: the value cannot be opened with this key")

// The format of a sealed value, "lpsec1:" and base64url of: format (1), key
// derivation (1), iterations (4), salt (16), nonce (12), AES-256-GCM ciphertext
// and tag.
const (
	sealPrefix    = "lpsec1:"
	sealFormat    = 1
	sealPassword  = 1 // PBKDF2-HMAC-SHA256
	sealKey       = 2 // HKDF-SHA256
	sealHead      = 34
	sealRounds    = 600_000   // OWASP's number for PBKDF2-HMAC-SHA256
	sealMaxRounds = 5_000_000 // of a value that is read: more is an attack
	sealKeys      = 64        // derived keys that are remembered
	keySize       = 32
)

// IsSealed reports whether a text has the form of a sealed value.
func IsSealed(text string) bool { return strings.HasPrefix(text, sealPrefix) }

// Vault seals secrets for storage and opens them again. A value is bound to the
// place that it is sealed for: at another place it cannot be opened. Vaults are
// safe for concurrent use.
type Vault struct {
	kind     byte
	secret   []byte
	previous *Vault
	err      error // why there is no key

	mu      sync.Mutex
	salt    [16]byte // of what is sealed here, so that one key is derived for all
	derived map[derivation]cipher.AEAD
}

type derivation struct {
	salt   [16]byte
	rounds uint32
}

// VaultOptions are the options of a [Vault]. The zero value works.
type VaultOptions struct {
	// Previous opens what this vault cannot, while a key is being replaced; see
	// [Vault.Rewrap]. Optional.
	Previous *Vault
}

// NewVault returns a vault whose key is derived from 32 random bytes, such as
// those of [KeyFile].
func NewVault(key []byte, opts *VaultOptions) (*Vault, error) {
	if len(key) != keySize {
		return nil, fmt.Errorf("secret: vault: the key has %d bytes: give %d random ones", len(key), keySize)
	}
	return newVault(sealKey, key, opts), nil
}

// OpenVault returns the vault whose key is that of a file, as [KeyFile] reads or
// makes it. When no key can be obtained, the vault seals and opens nothing, and each
// error says why; everything that needs no secret continues to work. [Vault.Err]
// returns the reason.
func OpenVault(path string) *Vault {
	key, err := KeyFile(path)
	if err != nil {
		return &Vault{err: err}
	}
	return newVault(sealKey, key, nil)
}

// Err says why the vault seals and opens nothing; nil when it works.
func (v *Vault) Err() error { return v.err }

// NewPasswordVault returns a vault whose key is derived from a password. The
// first use takes a good part of a second; that is what protects the password.
func NewPasswordVault(password string, opts *VaultOptions) (*Vault, error) {
	if password == "" {
		return nil, errors.New("secret: vault: the password is empty")
	}
	return newVault(sealPassword, []byte(password), opts), nil
}

func newVault(kind byte, secret []byte, opts *VaultOptions) *Vault {
	v := &Vault{kind: kind, secret: append([]byte(nil), secret...), derived: map[derivation]cipher.AEAD{}}
	if opts != nil {
		v.previous = opts.Previous
	}
	rand.Read(v.salt[:]) // never fails: crypto/rand ends the program instead
	return v
}

// Seal encrypts a value for a place, any text that names where it belongs.
func (v *Vault) Seal(plain []byte, place string) (string, error) {
	var nonce [12]byte
	rand.Read(nonce[:])
	return v.seal(plain, place, v.salt, nonce)
}

func (v *Vault) seal(plain []byte, place string, salt [16]byte, nonce [12]byte) (string, error) {
	if v.err != nil {
		return "", v.err
	}
	var rounds uint32
	if v.kind == sealPassword {
		rounds = sealRounds
	}
	aead, err := v.cipher(derivation{salt, rounds})
	if err != nil {
		return "", err
	}
	out := make([]byte, 0, sealHead+len(plain)+aead.Overhead())
	out = append(out, sealFormat, v.kind)
	out = binary.BigEndian.AppendUint32(out, rounds)
	out = append(append(out, salt[:]...), nonce[:]...)
	out = aead.Seal(out, nonce[:], plain, []byte(place))
	return sealPrefix + base64.RawURLEncoding.EncodeToString(out), nil
}

// Open decrypts a value that was sealed for the same place. The error is an
// ErrSealed.
func (v *Vault) Open(sealed, place string) ([]byte, error) {
	plain, err := v.open(sealed, place)
	if err != nil && v.previous != nil {
		return v.previous.Open(sealed, place)
	}
	return plain, err
}

func (v *Vault) open(sealed, place string) ([]byte, error) {
	if v.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSealed, v.err)
	}
	text, ok := strings.CutPrefix(sealed, sealPrefix)
	if !ok {
		return nil, fmt.Errorf("%w: it does not begin with %q", ErrSealed, sealPrefix)
	}
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(data) < sealHead || data[0] != sealFormat {
		return nil, fmt.Errorf("%w: it is damaged", ErrSealed)
	}
	rounds := binary.BigEndian.Uint32(data[2:6])
	switch {
	case data[1] != v.kind:
		return nil, fmt.Errorf("%w: it was sealed with another kind of key", ErrSealed)
	case v.kind == sealKey && rounds != 0, v.kind == sealPassword && (rounds == 0 || rounds > sealMaxRounds):
		return nil, fmt.Errorf("%w: it is damaged", ErrSealed)
	}
	aead, err := v.cipher(derivation{[16]byte(data[6:22]), rounds})
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, data[22:sealHead], data[sealHead:], []byte(place))
	if err != nil {
		return nil, ErrSealed
	}
	return plain, nil
}

// cipher derives the key of a salt, once.
func (v *Vault) cipher(d derivation) (cipher.AEAD, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if aead := v.derived[d]; aead != nil {
		return aead, nil
	}
	var key []byte
	var err error
	if v.kind == sealPassword {
		key, err = pbkdf2.Key(sha256.New, string(v.secret), d.salt[:], int(d.rounds), keySize)
	} else {
		key, err = hkdf.Key(sha256.New, v.secret, d.salt[:], "lpsec1", keySize)
	}
	if err != nil {
		return nil, fmt.Errorf("secret: vault: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("secret: vault: %w", err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, fmt.Errorf("secret: vault: %w", err)
	}
	if len(v.derived) >= sealKeys {
		clear(v.derived)
	}
	v.derived[d] = aead
	return aead, nil
}

// Rewrap seals a value anew with this vault's own key, whichever of its keys
// opened it.
func (v *Vault) Rewrap(sealed, place string) (string, error) {
	plain, err := v.Open(sealed, place)
	if err != nil {
		return "", err
	}
	return v.Seal(plain, place)
}
