package tinymodel

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// The names under which [Register] adds the models.
const (
	ModelPlain    = "tiny-plain"    // writes text
	ModelTools    = "tiny-tools"    // calls tools
	ModelThinking = "tiny-thinking" // calls tools and thinks
	ModelEmbed    = "tiny-embed"    // only makes embeddings
)

// Register adds the models to the Ollama server at a base URL. It may be called
// repeatedly.
func Register(ctx context.Context, base string) error {
	file, err := Chat()
	if err != nil {
		return err
	}
	chat, err := upload(ctx, base, file)
	if err != nil {
		return err
	}
	embed, err := upload(ctx, base, Embed())
	if err != nil {
		return err
	}
	for name, model := range map[string]map[string]any{
		ModelPlain:    {"files": map[string]string{"tiny.gguf": chat}, "template": Template(false, false)},
		ModelTools:    {"files": map[string]string{"tiny.gguf": chat}, "template": Template(true, false)},
		ModelThinking: {"files": map[string]string{"tiny.gguf": chat}, "template": Template(true, true)},
		ModelEmbed:    {"files": map[string]string{"tiny.gguf": embed}},
	} {
		model["model"], model["stream"] = name, false
		// One thread, since several would wait for each other on a busy machine.
		model["parameters"] = map[string]any{"num_thread": 1}
		body, err := json.Marshal(model)
		if err != nil {
			return fmt.Errorf("tinymodel: %s: %w", name, err)
		}
		if err := post(ctx, base+"/api/create", "application/json", body); err != nil {
			return fmt.Errorf("tinymodel: %s: %w", name, err)
		}
	}
	return nil
}

// upload sends a file to the server, and returns its digest.
func upload(ctx context.Context, base string, file []byte) (string, error) {
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(file))
	return digest, post(ctx, base+"/api/blobs/"+digest, "application/octet-stream", file)
}

func post(ctx context.Context, url, kind string, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("tinymodel: %w", err)
	}
	req.Header.Set("Content-Type", kind)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("tinymodel: %w", err)
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(io.LimitReader(resp.Body, 4<<10))
	if err != nil {
		return fmt.Errorf("tinymodel: %w", err)
	}
	if resp.StatusCode >= 300 || strings.Contains(string(said), `"error"`) {
		return fmt.Errorf("tinymodel: %s answers %s: %s", req.URL.Path, resp.Status, said)
	}
	return nil
}
