package config

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/localpass/localpass/toolspec/secret"
)

// Words is the provider of embeddings that needs no model.
const Words = "words"

// The stores of documents. A URL of PostgreSQL or Qdrant is one too.
const (
	StoreFlat    = "flat"
	StoreChromem = "chromem"
)

// Retrieval configures the search in documents.
type Retrieval struct {
	Docs         string // the folder that is followed; empty: none
	TopK         int
	Threshold    *float64 // nil: that of the embedder
	ChunkTokens  int
	ChunkOverlap int
	MaxChars     int
	MaxFile      Size // of a document
}

// Embedding says what makes the vectors of documents. Without a model there are none.
type Embedding struct {
	Provider string // empty: the provider of the profile
	Model    string
}

func retrievalKnobs() []Knob {
	knobs := []Knob{
		{Name: "retrieval.docs", Flags: flagged("docs", retrieving()), at: func(c *Config) any { return &c.Retrieval.Docs },
			Help: "Search the files of the folder `DIR` for each question, and follow their changes."},
		{Name: "retrieval.topK", Unit: "passages", Default: "10", Min: "1", Max: "1000", at: func(c *Config) any { return &c.Retrieval.TopK },
			Help: "Find at most `N` passages."},
		{Name: "retrieval.threshold", Unit: "(-1 to 1)", Min: "-1", Max: "1", at: func(c *Config) any { return &c.Retrieval.Threshold },
			Help: "Leave out passages whose similarity is below `N`; left out, what was measured for the embedding model, if anything. A search by words has its own rule."},
		{Name: "retrieval.chunkTokens", Unit: "tokens", Default: "800", Min: "20", Max: "8000", at: func(c *Config) any { return &c.Retrieval.ChunkTokens },
			Help: "Divide documents into passages of `N` tokens; documents that are there already stay as they are."},
		{Name: "retrieval.chunkOverlap", Unit: "tokens", Default: "0", Min: "0", Max: "4000", at: func(c *Config) any { return &c.Retrieval.ChunkOverlap },
			Help: "Let each passage repeat the last `N` tokens of the one before; less than retrieval.chunkTokens."},
		{Name: "retrieval.maxFile", Default: "20MiB", Min: "1KiB", Max: "200MiB", at: func(c *Config) any { return &c.Retrieval.MaxFile },
			Help: "Take in documents of up to `SIZE`."},
		{Name: "retrieval.maxChars", Unit: "characters", Default: "12000", Min: "100", Max: "10000000", at: func(c *Config) any { return &c.Retrieval.MaxChars },
			Help: "Give the model `N` characters of passages for a question."},
	}
	for i := range knobs {
		knobs[i].Section, knobs[i].Programs = sectionChat, retrieving()
	}
	return knobs
}

// retrieving are the programs that search documents.
func retrieving() []Program { return talking() }

// vectorStore rejects what is no store. Errors do not quote the text.
func vectorStore(text string) error {
	if text == StoreFlat || text == StoreChromem {
		return nil
	}
	u, err := url.Parse(strings.NewReplacer("${", "", "}", "").Replace(text))
	if err != nil || !slices.Contains([]string{"postgres", "postgresql", "qdrant", "qdrants"}, u.Scheme) {
		return errors.New("it must be flat, chromem, or a URL such as postgres://localhost/rag or qdrant://localhost/documents")
	}
	if strings.HasPrefix(u.Scheme, "qdrant") && (u.User.Username() != "" || strings.Trim(u.Path, "/") == "") {
		return errors.New("a URL of Qdrant names the collection, and no user: qdrants://:${KEY}@HOST/COLLECTION")
	}
	if _, has := u.User.Password(); has {
		_, rest, _ := strings.Cut(text, "://")
		user, _, _ := strings.Cut(rest, "@")
		_, password, _ := strings.Cut(user, ":")
		if names := secret.Names(password); len(names) != 1 || password != "${"+names[0]+"}" {
			return errors.New("a secret does not belong into a file: write the password as ${NAME}")
		}
	}
	return nil
}

// checkRetrieval rejects settings that contradict each other.
func (c *Config) checkRetrieval() error {
	if r := &c.Retrieval; r.ChunkOverlap >= r.ChunkTokens {
		return fmt.Errorf("%s: retrieval.chunkOverlap: it must be less than retrieval.chunkTokens, which is %d", c.Origin("retrieval.chunkOverlap").Place, r.ChunkTokens)
	}
	return nil
}
