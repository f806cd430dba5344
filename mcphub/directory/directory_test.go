package directory_test

import (
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/localpass/localpass/mcphub/client"
	"github.com/localpass/localpass/mcphub/directory"
	"github.com/localpass/localpass/mcphub/risk"
	"github.com/localpass/localpass/mcphub/scan"
	"github.com/localpass/localpass/toolspec"
	"github.com/localpass/localpass/toolspec/secret"
)

func open(t testing.TB, opts *directory.Options) *directory.Directory {
	t.Helper()
	d, err := directory.New(opts)
	require.NoError(t, err)
	return d
}

func ids(list []*directory.Entry) []string {
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = e.ID
	}
	return out
}

// The bundled data has the promised shape: each entry can be used, names exact packages and
// https addresses, and holds no secret.
func TestBundledData(t *testing.T) {
	d := open(t, nil)
	all := d.Search(directory.Query{})
	require.Len(t, all, 57)
	assert.True(t, slices.IsSorted(ids(all)))
	programs, names := 0, map[string]bool{}
	secretName := regexp.MustCompile(`KEY|TOKEN|SECRET`)
	for _, e := range all {
		t.Run(e.ID, func(t *testing.T) {
			assert.False(t, names[e.Name], "the name occurs twice")
			names[e.Name] = true
			assert.Contains(t, []risk.Trust{risk.TrustVendor, risk.TrustCommunity}, e.Trust)
			assert.Contains(t, []directory.Stability{directory.StabilityGA, directory.StabilityBeta, directory.StabilityPreview}, e.Stability)
			assert.NotEmpty(t, e.Vendor)
			assert.True(t, strings.HasSuffix(e.Description, ".") && len(e.Description) < 120, e.Description)
			for _, note := range e.Notes {
				assert.True(t, strings.HasSuffix(note, "."), note)
			}
			docs, err := url.Parse(e.Docs)
			require.NoError(t, err)
			assert.Equal(t, "https", docs.Scheme)
			for _, v := range e.Variables {
				assert.NotEmpty(t, v.Description)
				assert.Equal(t, secretName.MatchString(v.Name), v.Kind == directory.Secret, v.Name)
			}
			for name, value := range e.Headers {
				assert.NotEmpty(t, secret.Names(value), "the header %s would be a secret in the data", name)
			}

			set := map[string]string{}
			for _, v := range e.Variables {
				if set[v.Name] = "value"; v.Kind == directory.Secret {
					set[v.Name] = "${" + v.Name + "}"
				}
			}
			r, err := e.Instantiate(&directory.Values{Set: set})
			require.NoError(t, err)
			transport, err := client.NewRegistry(nil).Transport(r.Kind, r.Connection)
			require.NoError(t, err)
			endpoint := transport.Describe()
			assert.Equal(t, e.Transport, endpoint.Kind)
			if e.ID == "github" {
				assert.Equal(t, client.AuthBearer, endpoint.Auth, "the token is used in place of OAuth")
			} else if e.ID != "serpapi" && e.ID != "tavily" { // a key within the path, and one that is sent as a bearer token
				assert.Equal(t, e.Auth, endpoint.Auth)
			}
			if e.Transport != client.TransportStdio {
				assert.True(t, strings.HasPrefix(e.URL, "https://"))
				return
			}
			programs++
			require.NotNil(t, e.Package)
			assert.Equal(t, e.Package.Registry == "npm", strings.HasPrefix(e.Package.Integrity, "sha512-"))
			assert.Contains(t, e.Args, e.Package.Name+"@"+e.Package.Version)
			for _, f := range new(scan.Scanner).Launch(scan.Launch{Command: e.Command, Args: e.Args, Env: e.Env}).Findings {
				assert.Equal(t, "not-listed", f.Rule)
			}
		})
	}
	assert.Equal(t, 8, programs)

	categories := d.Categories()
	require.Len(t, categories, 14)
	total := 0
	for i, c := range categories {
		total += c.Servers
		assert.NotEmpty(t, c.Description)
		assert.True(t, i == 0 || categories[i-1].Order < c.Order)
		assert.Equal(t, c.ID == "CUSTOM", c.Servers == 0, c.ID)
		assert.Len(t, d.Search(directory.Query{Categories: []string{c.ID}}), c.Servers)
	}
	assert.Equal(t, 57, total)
}

// Each bundled server has the level that its kind of connection, its trust and its scopes give it
// (section 5.3 of the reference).
func TestLevels(t *testing.T) {
	levels := map[string]toolspec.Level{"onedrive-sharepoint": toolspec.L5, "google-cloud-sql": toolspec.L5, "sqlite": toolspec.L2, "atlassian-rovo": toolspec.L1}
	d := open(t, nil)
	for _, e := range d.Search(directory.Query{}) {
		want, ok := levels[e.ID]
		switch {
		case ok:
		case e.Auth == client.AuthBearer, e.Auth == client.AuthAPIKey, e.Trust == risk.TrustCommunity:
			want = toolspec.L2
		default:
			want = toolspec.L1
		}
		r, err := e.Instantiate(nil)
		if missing := (*directory.MissingError)(nil); !errors.As(err, &missing) {
			require.NoError(t, err)
		}
		assert.Equal(t, want, risk.AssessServer(e.Facts(r)).Level, e.ID)
	}
	parsed, err := directory.ParseRegistry([]byte(weather))
	require.NoError(t, err)
	for _, e := range parsed.Entries {
		r, _ := e.Instantiate(nil)
		assert.False(t, e.Facts(r).Cataloged)
		assert.GreaterOrEqual(t, risk.AssessServer(e.Facts(r)).Level, toolspec.L4, "%s: nothing vouches for it", e.ID)
	}
}

func TestGet(t *testing.T) {
	d := open(t, nil)
	e, err := d.Get("notion")
	require.NoError(t, err)
	assert.Equal(t, "Notion", e.Name)
	_, err = d.Get("nothing")
	require.ErrorIs(t, err, directory.ErrNotFound)
	assert.ErrorContains(t, err, `"nothing"`)
}

func TestSearch(t *testing.T) {
	d := open(t, nil)
	for _, tt := range []struct {
		text  string
		first []string
	}{
		{"notion", []string{"notion"}},
		{"GitHub", []string{"github"}},
		{"git", []string{"git"}},
		{"calendar", []string{"google-calendar", "outlook-calendar"}},
		{"brave", []string{"brave-search"}},
		{"wiki", []string{"deepwiki"}},              // a part of a word
		{"ask_question", []string{"deepwiki"}},      // the name of a tool
		{"korea", []string{"korean-law"}},           // a tag
		{"pull request", []string{"github"}},        // the description
		{"postgres branches", []string{"neon"}},     // the best of several
		{"  SQLite  ", []string{"sqlite"}},          // blanks and case do not matter
		{"zzz nothing of the kind zzz", []string{}}, // nothing is like it
	} {
		found := ids(d.Search(directory.Query{Text: tt.text}))
		if len(tt.first) == 0 {
			assert.Empty(t, found, tt.text)
			continue
		}
		require.GreaterOrEqual(t, len(found), len(tt.first), tt.text)
		assert.ElementsMatch(t, tt.first, found[:len(tt.first)], tt.text)
	}
	assert.Equal(t, []string{"kakao-playmcp", "korean-law"}, ids(d.Search(directory.Query{Tags: []string{"korea", "legal"}})), "one tag is enough")
	assert.Equal(t, []string{"korean-law"}, ids(d.Search(directory.Query{Tags: []string{"korea"}, Categories: []string{"DEV", "SEARCH"}})))
	assert.Equal(t, []string{"brave-search"}, ids(d.Search(directory.Query{Text: "brave", Categories: []string{"SEARCH"}, Limit: 1})))
	assert.Len(t, d.Search(directory.Query{Text: strings.Repeat("google ", 10_000), Limit: 3}), 3, "a long text is cut")
	assert.Len(t, d.Search(directory.Query{Limit: 5}), 5)
}

func TestSuggestTags(t *testing.T) {
	d := open(t, nil)
	all := d.SuggestTags("")
	assert.Len(t, all, 10)
	assert.Equal(t, "preview", slices.Sorted(slices.Values(all))[len(all)-2])
	assert.Equal(t, "korea", d.SuggestTags("our Korea office")[0])
	assert.Equal(t, []string{"legal"}, d.SuggestTags("lega")[:1], "a tag that is being typed")
	assert.Contains(t, d.SuggestTags("searches statutes and court decisions"), "legal", "a tag of a similar server")
	assert.NotContains(t, d.SuggestTags("korea", "korea", "community"), "korea")
	assert.Empty(t, d.SuggestTags("qqqq"))
}

func TestMoreEntries(t *testing.T) {
	mine := &directory.Entry{ID: "mine", Name: "Mine", Category: "CUSTOM", Transport: client.TransportHTTP, URL: "https://mcp.example.com/mcp", Tags: []string{"own"}}
	d := open(t, &directory.Options{More: []*directory.Entry{mine}})
	assert.Equal(t, []string{"mine"}, ids(d.Search(directory.Query{Tags: []string{"own"}})))
	for _, tt := range []struct {
		wrong  directory.Entry
		reason string
	}{
		{directory.Entry{ID: "git", Name: "Git", Category: "DEV", Transport: "stdio", Command: "git"}, `two entries "git"`},
		{directory.Entry{ID: "a b", Name: "A", Category: "DEV", Transport: "stdio", Command: "a"}, "its id must"},
		{directory.Entry{ID: "a", Category: "DEV", Transport: "stdio", Command: "a"}, "a name and a category"},
		{directory.Entry{ID: "a", Name: "A", Category: "NONE", Transport: "stdio", Command: "a"}, `no category "NONE"`},
		{directory.Entry{ID: "a", Name: "A", Category: "DEV", Transport: "stdio", URL: "https://a"}, "transport"},
		{directory.Entry{ID: "a", Name: "A", Category: "DEV", Transport: "http", URL: "https://${HOST}"}, "${HOST} is none of its variables"},
		{directory.Entry{ID: "a", Name: "A", Category: "DEV", Transport: "http", URL: "https://a", Variables: []directory.Variable{{Name: "HOST", Kind: directory.Plain}}}, "nothing uses the variable HOST"},
		{directory.Entry{ID: "a", Name: "A", Category: "DEV", Transport: "http", URL: "https://${HOST}", Variables: []directory.Variable{{Name: "HOST"}}}, "HOST must be plain"},
		{directory.Entry{ID: "a", Name: "A", Category: "DEV", Transport: "http", URL: "https://${HOST}", Variables: []directory.Variable{{Name: "HOST", Kind: directory.Plain, Default: "${X}"}}}, "the default of HOST"},
	} {
		_, err := directory.New(&directory.Options{More: []*directory.Entry{&tt.wrong}})
		assert.ErrorContains(t, err, tt.reason)
		_, err = tt.wrong.Instantiate(nil)
		if !strings.Contains(tt.reason, `"`) {
			assert.ErrorContains(t, err, tt.reason)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	d := open(b, nil)
	for b.Loop() {
		d.Search(directory.Query{Text: "google calendar events"})
	}
}
