package studioapi

import (
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"

	"github.com/localpass/localpass/internal/httpapi"
	"github.com/localpass/localpass/toolspec"
)

// document is a spec, or several, as JSON text.
type document json.RawMessage

// MarshalJSON exists so that the table of routes rejects a document without its own
// schema.
func (d document) MarshalJSON() ([]byte, error) { return d, nil }

// bundle is the input of an import and the output of an export.
type bundle json.RawMessage

// MarshalJSON exists for the same reason as that of [document].
func (b bundle) MarshalJSON() ([]byte, error) { return b, nil }

func toolPath(id string) string { return "/api/tools/" + url.PathEscape(id) }

func pathID() httpapi.Param {
	return httpapi.Param{In: httpapi.InPath, Name: "id", Description: "The tool id."}
}

func query(name, description string) httpapi.Param {
	return httpapi.Param{In: httpapi.InQuery, Name: name, Description: description}
}

func queryFlag(name, description string) httpapi.Param {
	p := query(name, description)
	p.Enum = []string{"0", "1", "false", "true"}
	return p
}

func ifMatch(required bool) httpapi.Param {
	return httpapi.Param{In: httpapi.InHeader, Name: "If-Match", Required: required, Description: "The ETag of what was read, or * for any version."}
}

func etag() []httpapi.Param {
	return []httpapi.Param{{In: httpapi.InHeader, Name: "ETag", Description: "The version, for If-Match."}}
}

func answer[T any](status int, description string, headers ...httpapi.Param) []httpapi.Answer {
	return []httpapi.Answer{{Status: status, Description: description, Content: httpapi.Of[T](), Headers: headers}}
}

// optional is a body that may be omitted.
func optional[T any]() httpapi.Content {
	c := httpapi.Of[T]()
	c.Optional = true
	return c
}

// routes is the table of the API's routes.
func (a *API) routes() httpapi.Table {
	t := httpapi.Table{
		Tag: "tools", Description: "Specs, their Local Pass and what is published of them.", Problem: problemOf,
		Schemas: map[reflect.Type]json.RawMessage{
			reflect.TypeFor[document](): json.RawMessage(`{"type":"object","description":"One document of the Safe Tool Specification 1.0.","required":["name","code","codeType"]}`),
			reflect.TypeFor[bundle](): json.RawMessage(`{"description":"One document of the Safe Tool Specification 1.0, a list of them, or an object that holds a list, such as {\"toolSpecs\": []}.",` +
				`"type":["object","array"]}`),
			reflect.TypeFor[toolspec.Spec](): json.RawMessage(`{"type":"object","description":"One document of the Safe Tool Specification 1.0."}`),
		},
	}
	t.Routes = append(a.toolRoutes(), a.runRoutes()...)
	t.Routes = append(t.Routes, a.publishRoutes()...)
	if a.opts.Exposure != nil {
		t.Routes = append(t.Routes, a.exposureRoutes()...)
	}
	return t
}

func (a *API) toolRoutes() []httpapi.Route {
	many := func(p httpapi.Param) httpapi.Param { p.Many = true; return p }
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/api/tools", ID: "listTools", Summary: "Lists tools, filtered, with counts of what a further filter would leave.",
			Params: []httpapi.Param{query("q", "Words that must occur in the name, the description or the tags."),
				query("collection", "mine, published or bundled. Default all tools."),
				many(query("cat", "Categories, any of them.")), many(query("tag", "Tags, any of them.")), many(query("state", "States, any of them.")),
				many(query("level", "Levels, any of them.")), many(query("source", "Sources, any of them.")),
				query("sort", "best, name, edited, passed or level; with - before it the other way round. Best is the tool whose name is q, then those whose names begin with it, then the others by the words they share with it. Default best with q, else name."),
				query("cursor", "The nextCursor of the page before."), {In: httpapi.InQuery, Name: "limit", Type: "integer", Description: "1 to 200. Default 50."},
				{In: httpapi.InHeader, Name: "If-None-Match", Description: "The ETag of what was read before."}},
			Answers: append(answer[ToolList](http.StatusOK, "A page of tools.", etag()...), httpapi.Answer{Status: http.StatusNotModified, Description: "Nothing changed."}),
			Errors:  []httpapi.Kind{httpapi.InvalidArgument}, Handle: a.listTools,
		},
		{
			Method: http.MethodPost, Path: "/api/tools", ID: "createTool", Summary: "Stores a new tool as a draft.",
			Description: "A document with problems is stored too: work in progress is never lost. Without a toolId it gets one.",
			Body:        httpapi.Of[document](), Answers: answer[ToolDetail](http.StatusCreated, "The tool.", etag()...),
			Errors: []httpapi.Kind{httpapi.ValidationFailed, idTaken, storeReadOnly}, Handle: a.createTool,
		},
		{
			Method: http.MethodGet, Path: "/api/tools/{id}", ID: "getTool", Summary: "One tool with its document.", Params: []httpapi.Param{pathID()},
			Answers: answer[ToolDetail](http.StatusOK, "The tool.", etag()...), Errors: []httpapi.Kind{httpapi.NotFound, unreadable}, Handle: a.getTool,
		},
		{
			Method: http.MethodPut, Path: "/api/tools/{id}", ID: "saveTool", Summary: "Saves a tool.",
			Description: "An edit of what a pass is bound to voids it: the tool is a draft again, and off the air.",
			Params:      []httpapi.Param{pathID(), ifMatch(true)}, Body: httpapi.Of[document](), Answers: answer[ToolDetail](http.StatusOK, "The tool.", etag()...),
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.ValidationFailed, httpapi.StaleVersion, httpapi.PreconditionNeeded, readOnly, unreadable, storeReadOnly}, Handle: a.putTool,
		},
		{
			Method: http.MethodDelete, Path: "/api/tools/{id}", ID: "deleteTool", Summary: "Deletes a tool and takes it off the air.",
			Params: []httpapi.Param{pathID(), ifMatch(false)},
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.StaleVersion, readOnly, unreadable, storeReadOnly}, Handle: a.deleteTool,
		},
		{
			Method: http.MethodPost, Path: "/api/tools/validate", ID: "validateTool", Summary: "Says what is wrong with a document. Stores nothing.",
			Description: "A text that is no JSON is a diagnostic too.",
			Body:        httpapi.Of[document](), Answers: answer[Validation](http.StatusOK, "The diagnostics."), Handle: a.validate,
		},
		{
			Method: http.MethodPost, Path: "/api/tools/preview", ID: "previewTool", Summary: "Says what a document would be on this host: what it may do, how risky it is, what clients see. Stores nothing.",
			Body: httpapi.Of[document](), Answers: answer[Preview](http.StatusOK, "The preview."), Errors: []httpapi.Kind{httpapi.ValidationFailed}, Handle: a.preview,
		},
		{
			Method: http.MethodPost, Path: "/api/tools/{id}/fork", ID: "forkTool", Summary: "Copies a tool, a bundled one too, into a draft with an identity of its own.",
			Params: []httpapi.Param{pathID()}, Answers: answer[ToolDetail](http.StatusCreated, "The copy.", etag()...),
			Errors: []httpapi.Kind{httpapi.NotFound, unreadable, storeReadOnly}, Handle: a.forkTool,
		},
		{
			Method: http.MethodPost, Path: "/api/tools/import", ID: "importTools", Summary: "Stores the documents of a text, each as a draft without a pass.",
			Params: []httpapi.Param{queryFlag("dryRun", "Says what would happen, and stores nothing."),
				{In: httpapi.InQuery, Name: "onClash", Enum: []string{"rename", "skip", "replace"}, Description: "What to do with a document whose id or name is taken. Default rename."}},
			Body: httpapi.Of[bundle](), MaxBody: toolspec.MaxDocumentSize, Answers: answer[ImportReport](http.StatusOK, "What became of each document."),
			Errors: []httpapi.Kind{httpapi.InvalidArgument, httpapi.ValidationFailed, storeReadOnly}, Handle: a.importTools,
		},
		{
			Method: http.MethodGet, Path: "/api/tools/export", ID: "exportTools", Summary: "Gives documents away: one as it is, several as {\"toolSpecs\": []}.",
			Description: "It contains nothing of this home: no receipt, and no static value that looks like a credential.",
			Params:      []httpapi.Param{many(query("ids", "Tool ids, with commas between them. Default: all that are the user's own."))},
			Answers: answer[bundle](http.StatusOK, "The documents.", httpapi.Param{Name: "Repr-Digest", Description: "The SHA-256 of the body (RFC 9530)."},
				httpapi.Param{Name: problemsHeader, Type: "integer", Description: "How many places hold what looks like a credential; previewTool names them."}),
			Errors: []httpapi.Kind{httpapi.NotFound, unreadable}, Handle: a.exportTools,
		},
	}
}

func (a *API) runRoutes() []httpapi.Route {
	runID := httpapi.Param{In: httpapi.InPath, Name: "runId"}
	wait := queryFlag("wait", "Answers once the run is over. Who goes away before that stops it.")
	started := append(answer[RunStarted](http.StatusAccepted, "It runs, or waits for its turn."), answer[Run](http.StatusOK, "With wait: the run, over.")...)
	return []httpapi.Route{
		{
			Method: http.MethodPost, Path: "/api/tools/{id}/runs", ID: "runTool", Summary: "Runs a tool: its own test, which earns the pass, or what the body asks for.",
			Params: []httpapi.Param{pathID(), wait}, Body: optional[RunRequest](), Answers: started,
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.InvalidArgument, httpapi.ValidationFailed, httpapi.RateLimited, httpapi.ShuttingDown, unreadable}, Handle: a.startRun,
		},
		{
			Method: http.MethodPost, Path: "/api/tools/{id}/trace", ID: "traceTool", Summary: "Runs a tool under the most that this host permits and proposes the least that it must declare.",
			Description: "Requests are real unless the spec has recorded exchanges; files are a new directory. No pass comes of it.",
			Params:      []httpapi.Param{pathID(), wait}, Answers: started,
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.InvalidArgument, httpapi.RateLimited, httpapi.ShuttingDown, unreadable}, Handle: a.startTrace,
		},
		{
			Method: http.MethodGet, Path: "/api/runs/{runId}", ID: "getRun", Summary: "A run, under way or over. Runs are kept for an hour, at most 200.",
			Params: []httpapi.Param{runID}, Answers: answer[Run](http.StatusOK, "The run."), Errors: []httpapi.Kind{httpapi.NotFound}, Handle: a.getRun,
		},
		{
			Method: http.MethodDelete, Path: "/api/runs/{runId}", ID: "stopRun", Summary: "Stops a run. One that is over stays as it is.",
			Params: []httpapi.Param{runID}, Errors: []httpapi.Kind{httpapi.NotFound}, Handle: a.stopRun,
		},
		{
			Method: http.MethodGet, Path: "/api/runs/{runId}/events", ID: "followRun", Summary: "The events of a run as they happen: run.started, run.console, run.finished.",
			Description: "The stream ends with the run. A connection that broke goes on where it was; an event \"resync\" says that some are gone.",
			Params:      append([]httpapi.Param{runID}, httpapi.StreamParams()...),
			Answers:     []httpapi.Answer{{Status: http.StatusOK, Description: "The events.", Content: httpapi.EventStream[RunEvent]()}},
			Errors:      []httpapi.Kind{httpapi.NotFound}, Handle: a.runEvents,
		},
	}
}

func (a *API) publishRoutes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: http.MethodPost, Path: "/api/tools/{id}/publish", ID: "publishTool", Summary: "Publishes a tool that holds a pass.",
			Description: "The exposure stays as it is: where it keeps the tool from clients, the step in the answer offers it to them.",
			Params:      []httpapi.Param{pathID()}, Body: httpapi.Of[PublishRequest](), Answers: answer[Published](http.StatusOK, "It is published."),
			Errors: []httpapi.Kind{httpapi.NotFound, noValidPass, confirmRequired, missingSettings, nameTaken, unreadable, storeReadOnly}, Handle: a.publish,
		},
		{
			Method: http.MethodGet, Path: "/api/tools/{id}/diff", ID: "diffTool", Summary: "What separates a tool from what is live of it, from the tool that it is a fork of, or from what it was when it passed.",
			Params:  []httpapi.Param{pathID(), query("against", "live, origin, or receipt: and the content hash of a pass. Default live; when nothing is, everything is new.")},
			Answers: answer[Diff](http.StatusOK, "The difference."), Errors: []httpapi.Kind{httpapi.NotFound, httpapi.InvalidArgument, unreadable}, Handle: a.diff,
		},
		{
			Method: http.MethodGet, Path: "/api/tools/{id}/history", ID: "listToolPasses", Summary: "The passes of a tool, the latest first.",
			Params: []httpapi.Param{pathID()}, Answers: answer[PassedVersionList](http.StatusOK, "The passes."),
			Errors: []httpapi.Kind{httpapi.NotFound, unreadable}, Handle: a.history,
		},
		{
			Method: http.MethodGet, Path: "/api/tools/{id}/history/{hash}", ID: "getToolVersion", Summary: "The document of a tool as it was when it passed.",
			Description: "Saving it restores that version: as a draft, whose pass is valid if no later test voided it.",
			Params:      []httpapi.Param{pathID(), {In: httpapi.InPath, Name: "hash", Description: "The contentHash of the pass."}}, Answers: answer[document](http.StatusOK, "The document."),
			Errors: []httpapi.Kind{httpapi.NotFound, unreadable}, Handle: a.getVersion,
		},
		{
			Method: http.MethodGet, Path: "/api/tools/{id}/go", ID: "writeToolProgram", Summary: "A Go program that serves the tool, with the tool in it.",
			Description: "The program tests the tool before it serves it: a pass does not travel.",
			Params:      []httpapi.Param{pathID()}, Answers: answer[GoCode](http.StatusOK, "The program."),
			Errors: []httpapi.Kind{httpapi.NotFound, unreadable}, Handle: a.goCode,
		},
		{
			Method: http.MethodPost, Path: "/api/tools/{id}/unpublish", ID: "unpublishTool", Summary: "Takes a tool off the air. Its pass stays good.",
			Params: []httpapi.Param{pathID()}, Answers: answer[ToolDetail](http.StatusOK, "The tool."),
			Errors: []httpapi.Kind{httpapi.NotFound, unreadable, storeReadOnly}, Handle: a.unpublish,
		},
	}
}

func (a *API) exposureRoutes() []httpapi.Route {
	return []httpapi.Route{
		{
			Method: http.MethodGet, Path: "/api/tools/exposure", ID: "getExposure", Summary: "What clients are offered of what is published.",
			Answers: answer[ExposureRecord](http.StatusOK, "The record.", etag()...), Handle: a.getExposure,
		},
		{
			Method: http.MethodPut, Path: "/api/tools/exposure", ID: "setExposure", Summary: "Changes what clients are offered.",
			Params: []httpapi.Param{ifMatch(true)}, Body: httpapi.Of[ExposureRecord](), Answers: answer[ExposureRecord](http.StatusOK, "The record.", etag()...),
			Errors: []httpapi.Kind{httpapi.InvalidArgument, httpapi.StaleVersion, httpapi.PreconditionNeeded, storeReadOnly}, Handle: a.putExposure,
		},
		{
			Method: http.MethodPost, Path: "/api/tools/{id}/expose", ID: "exposeTool", Summary: "Lets clients be offered a tool as soon as it is published.",
			Description: "A bundled tool earns its pass and is published by it.",
			Params:      []httpapi.Param{pathID()}, Answers: answer[ToolDetail](http.StatusOK, "The tool."),
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.StaleVersion, unreadable, storeReadOnly}, Handle: a.exposeTool,
		},
		{
			Method: http.MethodPost, Path: "/api/tools/{id}/hide", ID: "hideTool", Summary: "Keeps a tool from clients, published or not. It stays published.",
			Params: []httpapi.Param{pathID()}, Answers: answer[ToolDetail](http.StatusOK, "The tool."),
			Errors: []httpapi.Kind{httpapi.NotFound, httpapi.StaleVersion, unreadable, storeReadOnly}, Handle: a.hideTool,
		},
		{
			Method: http.MethodGet, Path: "/api/tools/presets", ID: "listPresets", Summary: "Named choices of tools.",
			Answers: answer[PresetList](http.StatusOK, "The presets.", etag()...), Handle: a.getPresets,
		},
	}
}
