import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, get, post, send } from "../../api/client";
import type { StudioRun, StudioToolDetail } from "../../api/types";
import { on } from "../../api/events";
import { go, leaving, place } from "../../router";
import { kept } from "../../ui/data";
import { Code, type Place, type Word } from "../../ui/code";
import { later } from "../../ui/later";
import { Tree } from "../../ui/json";
import { pieces } from "../../ui/hostile";
import {
  announce,
  Ago,
  Button,
  Dialog,
  Loading,
  ProblemView,
  Select,
  Tabs,
  Text,
  toast,
} from "../../ui/parts";
import { Level, State } from "../../ui/risk";
import { Page } from "../../shell/page";
import { Cases, Params, Variables } from "../shared/params";
import { Risk, Sandbox } from "./posture";
import { RunPanel } from "./run";
import { quickPublish } from "./quickpublish";
import { blank, goodName, sample, suggest, type Param, type Spec } from "./spec";
import { useFindings } from "./studiofindings";
import { Conflict, Diagnostics, draftKey, readDraft, same, SpecJSON, type Draft } from "./studioparts";
import { download } from "./tools";
import { DiffRows } from "./diff";
import { categories } from "./words";

const History = later(async () => (await import("./studioextras")).History, "the passes");
/** ProposeCard stands for Propose until somebody wants it: it comes with what most visits do without. */
const ProposeCard = ({ onOpen }: { onOpen: () => void }) => (
  <section class="card stack" aria-labelledby="propose-title">
    <h2 id="propose-title">Declare what it uses</h2>
    <p class="hint">
      A recording run shows what the code reaches, and proposes the least that it must declare. It earns no
      pass.
    </p>
    <div class="row">
      <Button tid="trace-open" onClick={onOpen}>
        Record a run
      </Button>
    </div>
  </section>
);

const Propose = later(async () => (await import("./studioextras")).Propose, "the proposals");
const Share = later(async () => (await import("./studioextras")).Share);
const Generate = later(async () => (await import("./studioextras")).Generate);

export function Studio({ args }: { args: string[] }) {
  const given = args[0] ?? "";
  const from = new URLSearchParams(place.value.query).get("from") ?? "";
  const [id, setId] = useState(given);
  const [tool, setTool] = useState<StudioToolDetail | null>(null);
  const [spec, setSpec] = useState<Spec | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [failure, fail] = useState<unknown>(null);
  const [busy, setBusy] = useState("");
  const [tab, setTab] = useState("code");
  const [form, setForm] = useState("about");
  const [at, setAt] = useState<Place | undefined>();
  const [nameError, setNameError] = useState("");
  const [conflict, setConflict] = useState<StudioToolDetail | null>(null);
  const [deleting, setDeleting] = useState(false);
  const [restored, setRestored] = useState<Draft | null>(null);
  const [proposing, propose] = useState(false);
  const [extra, setExtra] = useState<"" | "share" | "schema" | "code">("");
  const nameBox = useRef<HTMLDivElement>(null);
  const startRun = useRef<((show?: boolean) => void) | null>(null);
  const tree = useRef({ id: given, spec: null as Spec | null, tool: null as StudioToolDetail | null });
  tree.current = { id, spec, tool };
  const savedSpec = (tool?.spec ?? null) as Spec | null;
  const dirty = spec !== null && (tool === null ? !same(spec, blank()) : !same(spec, savedSpec));
  const readOnly = tool?.readOnly ?? false;

  const load = async (which: string, keepMine = false) => {
    const { data } = await send<StudioToolDetail>("GET", "/api/tools/" + encodeURIComponent(which));
    const mine = readDraft(which);
    setTool(data);
    if (!keepMine) {
      setSpec(data.spec as unknown as Spec);
      if (mine && !same(mine.spec, data.spec)) setRestored(mine);
      else kept.write(draftKey(which), null);
    }
    return data;
  };
  useEffect(() => {
    if (given) {
      load(given).catch(setError);
      return;
    }
    if (from && from !== "sample") {
      post<StudioToolDetail>("/api/tools/" + encodeURIComponent(from) + "/fork").then(
        (t) => go("/tools/" + encodeURIComponent(t.id), true),
        setError,
      );
      return;
    }
    const mine = readDraft("new");
    setSpec(from === "sample" ? sample() : blank());
    if (mine && from !== "sample" && !same(mine.spec, blank())) setRestored(mine);
  }, []);
  // What another tab or a run did.
  useEffect(
    () =>
      on(["tools"], () => {
        const { id: now, spec: mine, tool: known } = tree.current;
        if (!now || !known) return;
        send<StudioToolDetail>("GET", "/api/tools/" + encodeURIComponent(now)).then(
          ({ data }) => {
            if (data.version === known.version || same(mine, known.spec)) {
              setTool(data);
              if (same(mine, known.spec)) setSpec(data.spec as unknown as Spec);
            }
          },
          () => {},
        );
      }),
    [],
  );
  useEffect(() => {
    if (!spec || readOnly) return;
    const key = draftKey(id || "new");
    if (!dirty) return;
    const timer = setTimeout(
      () => kept.write(key, JSON.stringify({ spec, base: tool?.version ?? 0, at: new Date().toISOString() })),
      2000,
    );
    return () => clearTimeout(timer);
  }, [spec, dirty]);
  useEffect(() => {
    const keep = () => {
      const { id: now, spec: mine, tool: known } = tree.current;
      if (mine && !same(mine, known?.spec ?? blank()) && !known?.readOnly)
        kept.write(
          draftKey(now || "new"),
          JSON.stringify({ spec: mine, base: known?.version ?? 0, at: new Date().toISOString() }),
        );
    };
    leaving.value = keep;
    addEventListener("pagehide", keep);
    return () => {
      leaving.value = null;
      removeEventListener("pagehide", keep);
    };
  }, []);
  const { preview, previewProblem, taken, origin } = useFindings(id, spec, tool);

  /** save stores what is on the page, and gives the id; null: it was not stored. */
  const save = async (): Promise<string | null> => {
    if (!spec) return null;
    if (spec.name.trim() === "") {
      setNameError("A tool needs a name.");
      setForm("about");
      setTimeout(
        () => nameBox.current?.querySelector<HTMLElement>('[data-testid="tool-name-error"]')?.focus(),
        50,
      );
      return null;
    }
    setNameError("");
    if (!dirty && tool) return tool.id;
    setBusy("save");
    fail(null);
    try {
      const answer = tool
        ? await send<StudioToolDetail>(
            "PUT",
            "/api/tools/" + encodeURIComponent(tool.id),
            { ...spec, toolId: tool.id },
            { ifMatch: '"v' + tool.version + '"' },
          )
        : await send<StudioToolDetail>("POST", "/api/tools", spec);
      kept.write(draftKey(tool ? tool.id : "new"), null);
      if (tool?.live && !answer.data.live)
        toast(
          answer.data.name + " is unpublished: it changed since its last pass. No pass, no run.",
          undefined,
          true,
        );
      setTool(answer.data);
      setSpec(answer.data.spec as unknown as Spec);
      setId(answer.data.id);
      setRestored(null);
      if (!tool) history.replaceState(null, "", "/tools/" + encodeURIComponent(answer.data.id));
      announce("Saved");
      return answer.data.id;
    } catch (e) {
      if (e instanceof ApiError && e.status === 412) {
        await get<StudioToolDetail>("/api/tools/" + encodeURIComponent(tool!.id)).then(setConflict, fail);
      } else fail(e);
      return null;
    } finally {
      setBusy("");
    }
  };
  const review = async () => {
    const at = await save();
    if (at) go("/tools/" + encodeURIComponent(at) + "/review");
  };
  const quick = async () => {
    const at = await save();
    if (!at) return;
    setBusy("quick");
    fail(null);
    try {
      const came = await quickPublish(at);
      const now = await load(at, dirtyNow(tree.current));
      if (came.kind === "published")
        toast(came.tool.step ? came.tool.step.text : "Live on /mcp as " + came.tool.name);
      else if (came.kind === "failed")
        fail(new Error("Its test failed, so nothing was published. " + (came.run.message ?? "")));
      else {
        toast(came.why);
        if (now.receipt) go("/tools/" + encodeURIComponent(at) + "/review");
      }
    } catch (e) {
      fail(e);
    } finally {
      setBusy("");
    }
  };
  const fork = async () => {
    try {
      const t = await post<StudioToolDetail>("/api/tools/" + encodeURIComponent(id) + "/fork");
      go("/tools/" + encodeURIComponent(t.id));
    } catch (e) {
      fail(e);
    }
  };
  const remove = async () => {
    if (!tool) return;
    try {
      const was = tool.spec;
      await send("DELETE", "/api/tools/" + encodeURIComponent(tool.id), undefined, {
        ifMatch: '"v' + tool.version + '"',
      });
      kept.write(draftKey(tool.id), null);
      leaving.value = null;
      go("/tools");
      toast("Deleted " + tool.name + ".", {
        label: "Undo",
        run: () =>
          void post<StudioToolDetail>("/api/tools", was).then((t) =>
            go("/tools/" + encodeURIComponent(t.id)),
          ),
      });
    } catch (e) {
      fail(e);
    }
  };

  if (error !== null)
    return (
      <Page title="Tool" crumbs={[["Tool Studio", "/tools"]]}>
        <ProblemView error={error} retry={() => location.reload()} />
      </Page>
    );
  if (!spec)
    return (
      <Page title={given ? "Tool" : "New tool"} crumbs={[["Tool Studio", "/tools"]]}>
        <Loading what="the tool" lines={8} />
      </Page>
    );

  const change = (next: Spec) => {
    if (!readOnly) setSpec(next);
  };
  const diagnostics = preview?.diagnostics ?? [];
  const codeMarks = diagnostics
    .filter((d) => d.path === "code" && d.line)
    .map((d) => ({ line: d.line!, col: d.col, severity: d.severity, message: d.message }));
  const wrong = diagnostics
    .filter((d) => d.severity === "error" && d.path === "code" && d.line)
    .map((d) => "Line " + d.line + ": " + d.message);
  const words: Word[] = [
    ...(spec.params ?? []).map((p) => ({
      name: p.name,
      detail: p.type + (p.required ? "" : ", optional"),
      says: p.description ?? "",
    })),
    ...(spec.staticVariables ?? []).flatMap(Object.keys).map((name) => ({
      name,
      detail: "static variable",
      says: "Set in the document; a secret stands there by its name.",
    })),
  ];
  const mine = tool?.source === "mine";
  // An update of what is live, or was until the last edit, and reaches nothing.
  const update =
    mine &&
    !readOnly &&
    preview?.level === "L0" &&
    preview.valid &&
    (tool.state === "stale_pass" || (tool.published && dirty));
  const valid =
    !dirty &&
    tool !== null &&
    tool.receipt !== undefined &&
    ["passed", "live", "hidden"].includes(tool.state);
  const why = dirty
    ? "Save and run the test: what is on the page has no pass."
    : !tool
      ? "Save it and run its test first."
      : tool.published
        ? (tool.step?.text ?? "This very version is live.")
        : tool.receipt
          ? tool.missing
            ? "No value for " + tool.missing.join(", ") + "."
            : ""
          : tool.state === "test_failed"
            ? "Its last test failed."
            : "Run its test first.";
  const publishable = valid && tool.state === "passed";
  const state = tool === null ? "draft" : dirty && !readOnly ? "draft" : tool.state;
  const badName = spec.name !== "" && !goodName.test(spec.name);
  const claimed = "x-local-pass" in spec || "toolSafety" in spec;
  const nameProblem =
    nameError ||
    (badName
      ? "Begin with a letter; then letters, digits, _ and -, at most 64."
      : taken
        ? "Another tool has this name: only one of them can be live."
        : undefined);
  const title =
    pieces(spec.name)
      .map((p) => p.text)
      .join("") || "New tool";

  return (
    <Page
      title={title}
      crumbs={[["Tool Studio", "/tools"]]}
      full
      own={[
        { id: "save", label: "Save draft", keys: "mod+s", run: () => void save() },
        { id: "run", label: "Run test", keys: "mod+enter", run: () => startRun.current?.() },
        {
          id: "review",
          label: "Review before publishing",
          keys: "mod+shift+enter",
          run: () => publishable && void review(),
        },
      ]}
    >
      <div class="stack">
        <div class="row">
          <State state={state} tid="tool-state" />
          {preview && (
            <Level
              level={preview.level}
              draft={state === "draft" || tool?.serving === "no_pass"}
              tid="tool-level"
            />
          )}
          {tool && (
            <span class="chip">
              {tool.source === "mine"
                ? "Mine"
                : tool.source === "bundled"
                  ? "Bundled, read-only"
                  : "Loaded, read-only"}
            </span>
          )}
          {tool?.live && <span class="chip">On /mcp</span>}
          {tool?.updatedAt && (
            <span class="muted small">
              edited <Ago at={tool.updatedAt} />
            </span>
          )}
          <span class="grow" />
          {tool && (
            <span class="row">
              <Button
                tid="tool-fork"
                small
                kind={readOnly ? "primary" : undefined}
                onClick={() => void fork()}
              >
                {readOnly ? "Fork to edit" : "Fork"}
              </Button>
              <Button tid="tool-share" small onClick={() => setExtra("share")}>
                Use elsewhere
              </Button>
              <Button tid="tool-export" small onClick={() => void download([tool.id], tool.name).catch(fail)}>
                Export JSON
              </Button>
              {mine && (
                <Button tid="tool-delete" small kind="danger" onClick={() => setDeleting(true)}>
                  Delete
                </Button>
              )}
            </span>
          )}
        </div>
        {restored && (
          <div class="note mid row spread" data-testid="draft-restored">
            <span>
              Unsaved changes from <Ago at={restored.at} />.
            </span>
            <span class="row">
              <Button tid="draft-take" small onClick={() => (setSpec(restored.spec), setRestored(null))}>
                Restore
              </Button>
              <Button
                tid="draft-drop"
                small
                onClick={() => (kept.write(draftKey(id || "new"), null), setRestored(null))}
              >
                Discard
              </Button>
            </span>
          </div>
        )}
        {claimed && (
          <div class="note mid" data-testid="claimed-pass">
            This document says that it passed elsewhere. That is not trusted here: run its test.
          </div>
        )}
        {tool?.forkedFrom && (
          <div
            class={"note row spread" + (origin?.originChanged ? " mid" : "")}
            data-testid="fork-banner"
            data-drift={origin?.originChanged ? "yes" : "no"}
          >
            <span>
              A fork of {tool.forkedFrom.name}.
              {origin?.originChanged
                ? " The original changed since it was copied: look whether the change is for this tool too."
                : ""}
            </span>
            {origin && origin.difference.rows.length > 0 && (
              <details>
                <summary data-testid="fork-diff">
                  {origin.difference.rows.length} differences from the original
                </summary>
                <DiffRows difference={origin.difference} />
              </details>
            )}
          </div>
        )}
        {failure !== null && <ProblemView error={failure} />}
        <div class="editor">
          <section>
            <div class="card stack">
              <Tabs
                tid="form"
                label="The document"
                value={form}
                onChange={setForm}
                tabs={[
                  ["about", "About"],
                  ["params", "Parameters (" + (spec.params ?? []).length + ")"],
                  ["cases", "Cases (" + (spec["x-tests"] ?? []).length + ")"],
                  ["static", "Static (" + (spec.staticVariables ?? []).length + ")"],
                ]}
              />
              {form === "about" && (
                <div class="stack" ref={nameBox}>
                  <Text
                    tid="tool-name"
                    label="Name"
                    mono
                    value={spec.name}
                    readOnly={readOnly}
                    onInput={(name) => (setNameError(""), change({ ...spec, name }))}
                    error={nameProblem}
                  />
                  {badName && !readOnly && (
                    <div class="row">
                      <Button
                        tid="tool-name-suggest"
                        small
                        onClick={() => change({ ...spec, name: suggest(spec.name) })}
                      >
                        Use {suggest(spec.name)}
                      </Button>
                    </div>
                  )}
                  <Text
                    tid="tool-description"
                    label="Description, written for the model"
                    lines={5}
                    readOnly={readOnly}
                    value={spec.description ?? ""}
                    onInput={(description) => change({ ...spec, description })}
                    hint={
                      "Say what it does and when to use it. About " +
                      Math.ceil((spec.description ?? "").length / 4) +
                      " tokens; the whole definition " +
                      (preview?.schemaTokens ?? "…") +
                      "."
                    }
                  />
                  <div class="two">
                    <Select
                      tid="tool-category"
                      label="Category"
                      disabled={readOnly}
                      value={spec.category ?? "CUSTOM"}
                      options={categories}
                      onChange={(category) => change({ ...spec, category })}
                    />
                    <Text
                      tid="tool-tags"
                      label="Tags, at most two"
                      readOnly={readOnly}
                      value={(spec.tags ?? []).join(", ")}
                      onInput={(v) =>
                        change({
                          ...spec,
                          tags: v
                            .split(",")
                            .map((t) => t.trimStart())
                            .filter((t, i, all) => t !== "" || i === all.length - 1)
                            .slice(0, 2)
                            .filter(Boolean),
                        })
                      }
                    />
                  </div>
                  <Diagnostics list={diagnostics.filter((d) => d.path !== "code")} />
                </div>
              )}
              {form === "params" && (
                <Params spec={spec} change={change} readOnly={readOnly} generate={setExtra} />
              )}
              {form === "cases" && <Cases spec={spec} change={change} readOnly={readOnly} />}
              {form === "static" && (
                <Variables spec={spec} change={change} readOnly={readOnly} missing={preview?.missing ?? []} />
              )}
            </div>
          </section>
          <section>
            <div class="card stack">
              <Tabs
                tid="pane"
                label="The code"
                value={tab}
                onChange={setTab}
                tabs={[
                  ["code", "Code"],
                  ["model", "What the model sees"],
                  ["json", "Spec JSON"],
                  ["history", "History"],
                ]}
              />
              {tab === "code" && (
                <>
                  <Code
                    tid="tool-code"
                    label="Code"
                    language={spec["x-language"] === "typescript" ? "typescript" : "javascript"}
                    value={spec.code}
                    readOnly={readOnly}
                    marks={codeMarks}
                    at={at}
                    words={words}
                    tidy
                    onInput={(code) => (setAt(undefined), change({ ...tree.current.spec!, code }))}
                  />
                  <Diagnostics
                    list={diagnostics.filter((d) => d.path === "code")}
                    onLine={(n) => setAt({ line: n, focus: true })}
                  />
                </>
              )}
              {tab === "model" && preview && (
                <div class="stack tight">
                  <p class="hint">
                    Exactly this stands in tools/list, about {preview.schemaTokens} tokens with each request.
                  </p>
                  <Tree tid="model-sees" value={preview.mcpDefinition} />
                </div>
              )}
              {tab === "json" && <SpecJSON spec={spec} change={change} readOnly={readOnly} />}
              {tab === "history" &&
                (tool ? (
                  <History tool={tool} />
                ) : (
                  <p class="muted">Nothing is stored yet. Each pass is listed here.</p>
                ))}
            </div>
            <RunPanel
              spec={spec}
              before={async () => (readOnly ? tool!.id : save())}
              start={startRun}
              errors={wrong}
              onLine={(to) => (setTab("code"), setAt(to))}
              edit={(how) => change(how(tree.current.spec!))}
              onRun={(r: StudioRun) => {
                if (r.kind === "test") void load(r.toolId, dirtyNow(tree.current)).catch(() => {});
              }}
            />
          </section>
          <section class="posture">
            <Risk
              spec={spec}
              change={change}
              readOnly={readOnly}
              preview={preview}
              problem={previewProblem}
              draft={state === "draft" || tool?.serving === "no_pass"}
            />
            <Sandbox
              spec={spec}
              change={change}
              readOnly={readOnly}
              preview={preview}
              problem={previewProblem}
              draft
            />
            {!readOnly &&
              (proposing ? (
                <Propose before={save} change={change} />
              ) : (
                <ProposeCard onOpen={() => propose(true)} />
              ))}
          </section>
        </div>
      </div>
      <div class="actionbar">
        <State state={state} tid="bar-state" />
        {valid && tool.receipt && (
          <span class="muted small" data-testid="bar-stamp">
            Local Pass <Ago at={tool.receipt.at} />
          </span>
        )}
        <span class="grow hint" id="publish-why" data-testid="tool-publish-reason">
          {!publishable ? why : ""}
        </span>
        {!readOnly && (
          <Button tid="tool-save" busy={busy === "save"} onClick={() => void save()}>
            {dirty || !tool ? "Save draft" : "Saved"}
          </Button>
        )}
        <Button
          tid="bar-run"
          kind={publishable || readOnly ? undefined : "primary"}
          icon="play"
          onClick={() => startRun.current?.(true)}
        >
          Run test
        </Button>
        {update && (
          <Button
            tid="tool-quick"
            busy={busy === "quick"}
            title="For an update that reaches nothing and may do no more than before"
            onClick={() => void quick()}
          >
            Test and publish
          </Button>
        )}
        <Button
          tid="tool-publish"
          kind={publishable ? "primary" : undefined}
          disabled={!publishable}
          describedBy="publish-why"
          onClick={() => void review()}
        >
          Publish…
        </Button>
        {tool?.step?.path && (
          <Button
            tid="tool-expose"
            onClick={() => void post(tool.step!.path!).then(() => load(tool.id, true), fail)}
          >
            Offer to clients
          </Button>
        )}
        {tool?.published && (
          <Button
            tid="tool-unpublish"
            onClick={() =>
              void post("/api/tools/" + encodeURIComponent(tool.id) + "/unpublish").then(
                () => load(tool.id, true),
                fail,
              )
            }
          >
            Unpublish
          </Button>
        )}
      </div>
      {extra === "share" && tool && <Share tool={tool} onClose={() => setExtra("")} />}
      {(extra === "schema" || extra === "code") && (
        <Generate
          spec={spec}
          how={extra}
          onClose={() => setExtra("")}
          onTake={(found: Param[]) => {
            setExtra("");
            const mineNow = spec.params ?? [];
            change({
              ...spec,
              params: [
                ...mineNow.map((p) => found.find((f) => f.name === p.name) ?? p),
                ...found.filter((f) => !mineNow.some((p) => p.name === f.name)),
              ],
            });
            announce(found.length + " parameters added");
          }}
        />
      )}
      {deleting && tool && (
        <Dialog tid="delete-dialog" title={"Delete " + tool.name + "?"} onClose={() => setDeleting(false)}>
          <p>
            {tool.live ? "It is unpublished at once, for every client. " : ""}You can undo this for ten
            seconds.
          </p>
          <footer>
            <Button tid="delete-cancel" onClick={() => setDeleting(false)}>
              Keep it
            </Button>
            <Button tid="delete-confirm" kind="danger" onClick={() => void remove()}>
              Delete tool
            </Button>
          </footer>
        </Dialog>
      )}
      {conflict && (
        <Conflict
          mine={spec}
          theirs={conflict}
          onClose={() => setConflict(null)}
          onTake={() => (
            setTool(conflict),
            setSpec(conflict.spec as unknown as Spec),
            kept.write(draftKey(conflict.id), null),
            setConflict(null)
          )}
          onKeep={() => (
            setTool(conflict),
            setConflict(null),
            toast("Yours stays on the page. Save to replace theirs.")
          )}
        />
      )}
    </Page>
  );
}

const dirtyNow = (t: { spec: Spec | null; tool: StudioToolDetail | null }) =>
  t.tool !== null && !same(t.spec, t.tool.spec);
