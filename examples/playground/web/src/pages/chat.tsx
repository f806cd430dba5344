import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, del, get, post, send } from "../api/client";
import type { ChatAPIConversation, ChatAPIConversationDetail, ChatAPIPreset, ChatAPITurn, ChatOptions, ServerBuiltin, ServerHome } from "../api/types";
import { go, place } from "../router";
import { useData, kept } from "../ui/data";
import { announce, Button, Dialog, Loading, ProblemView, Text, toast } from "../ui/parts";
import { Page } from "../shell/page";
import { ChatList, importChat } from "./chatlist";
import { Library, OptionsDialog, ToolPicker } from "./chatdialogs";
import { Composer, toolless, type Question } from "./composer";
import { branchesAt, branched } from "./branches";
import { useScroll } from "./scroller";
import { answerOf, type Turn } from "./turns";
import { TurnView } from "./turnview";
import { useConversation } from "./conversation";

const windowed = 30; // turns at once, and as many more when somebody goes up
const most = 90; // turns in the page

const queueKey = (id: string) => "lp-queue-" + id;

export function Chat({ args }: { args: string[] }) {
  const id = args[0] ?? "";
  const ask = new URLSearchParams(place.value.query).get("ask");
  const [listOpen, openList] = useState(false);
  const home = useData<ServerHome>((s) => get("/api/home", s), [], ["settings", "home"]);
  const live = useData<ServerBuiltin>((s) => get("/api/mcp/builtin", s), [], ["tools"]);
  const conv = useConversation(id);
  const detail = conv.detail;
  const model = home.data?.model ?? null;
  const own = model ? model.provider + "/" + model.name : "";
  const prefs = (detail?.toolPreferences ?? {}) as Record<string, any>;
  const [dialog, setDialog] = useState<"" | "tools" | "options" | "library" | "rename" | "delete" | "find">("");
  const [fresh, setFresh] = useState<{ tools: string[] | null; options: ChatOptions; system: string }>({ tools: null, options: {}, system: "" });
  const [effort, setEffort] = useState(kept.read("lp-effort") ?? "");
  const [given, give] = useState<Question | null>(ask ? { text: ask, pictures: [] } : null);
  const [editing, edit] = useState<Turn | null>(null);
  const [failure, fail] = useState<unknown>(null);
  const [stopping, setStopping] = useState(false);
  const [queued, setQueued] = useState(kept.read(queueKey(id)) ?? "");
  const [strip, setStrip] = useState(kept.read("lp-demo-strip") !== "off");
  const running = conv.running;
  const turns = conv.turns;
  const tools = id ? (detail?.tools ?? null) : fresh.tools;
  const options: ChatOptions = id ? (prefs.options ?? {}) : fresh.options;
  const locked = Boolean(id && detail?.provider && model && detail.provider !== model.provider);

  // The window: a slice of the turns that are there.
  const [span, setSpan] = useState<{ from: number; to: number } | null>(null);
  const total = turns.length;
  const from = span ? Math.max(0, Math.min(span.from, total - 1)) : Math.max(0, total - windowed);
  const to = span ? Math.min(total, span.to) : total;
  const shown = turns.slice(from, to);
  const scroll = useScroll(id, total);
  const anchor = useRef<{ id: string; top: number } | null>(null);
  const hold = () => {
    const box = scroll.box.current;
    const el = [...(box?.querySelectorAll<HTMLElement>("[data-testid=turn]") ?? [])].find((t) => t.getBoundingClientRect().bottom > box!.getBoundingClientRect().top);
    if (el) anchor.current = { id: el.dataset.id!, top: el.getBoundingClientRect().top };
  };
  useLayoutEffect(() => {
    const a = anchor.current;
    const box = scroll.box.current;
    if (!a || !box) return;
    anchor.current = null;
    const el = box.querySelector<HTMLElement>('[data-testid=turn][data-id="' + CSS.escape(a.id) + '"]');
    if (el) box.scrollTop += el.getBoundingClientRect().top - a.top;
  });
  const older = async () => {
    hold();
    if (from > 0) setSpan({ from: Math.max(0, from - windowed), to: Math.min(to, Math.max(0, from - windowed) + most) });
    else if (conv.more) {
      const added = await conv.older(windowed);
      hold();
      setSpan({ from: 0, to: Math.min(to + added, most) });
    }
  };
  const newer = () => {
    if (to >= total) return;
    hold();
    const end = Math.min(total, to + windowed);
    setSpan(end >= total ? null : { from: Math.max(from, end - most), to: end });
  };
  const onScroll = () => {
    scroll.look(to >= total);
    const b = scroll.box.current;
    if (!b || scroll.following.current) return;
    if (b.scrollTop < 300 && (from > 0 || conv.more)) void older();
    else if (b.scrollHeight - b.scrollTop - b.clientHeight < 300) newer();
  };
  const toEnd = () => {
    setSpan(null);
    setTimeout(scroll.attach);
  };

  const begin = async (to: string, q: Question, modelName?: string) => {
    const turn = await send<ChatAPITurn>("POST", "/api/conversations/" + to + "/turns", {
      ...(q.text ? { text: q.text } : {}),
      ...(q.pictures.length ? { images: q.pictures.map(({ data, mimeType, name }) => ({ data, mimeType, name })) } : {}),
      ...(effort ? { reasoning: effort } : {}),
      ...(Object.keys(options).length ? { options } : {}),
      ...(modelName ? { model: modelName } : {}),
    });
    return turn.data;
  };
  // The model of this page where the conversation may have it: it stays with its provider.
  const modelFor = () => (!locked && own ? own : undefined);
  const ask_ = async (q: Question): Promise<boolean> => {
    fail(null);
    try {
      if (editing) {
        const made = await fork(editing, q.text === editing.question);
        await begin(made.id, q, modelFor());
        edit(null);
        go("/chat/" + made.id);
        return true;
      }
      if (!id) {
        const made = await post<ChatAPIConversation>("/api/conversations", {
          options: { model: own, ...fresh.options },
          ...(fresh.tools ? { tools: fresh.tools } : {}),
          ...(fresh.system ? { systemPrompt: fresh.system } : {}),
          toolPreferences: { options: fresh.options },
        });
        await begin(made.id, q);
        kept.write("lp-draft-new", null);
        go("/chat/" + made.id);
        return true;
      }
      const turn = await begin(id, q, modelFor());
      conv.begun(turn.turnId, q);
      setSpan(null);
      scroll.attach();
      return true;
    } catch (e) {
      fail(e);
      return false;
    }
  };
  /** fork makes the branch that begins at a turn, and lets both sides know of it. */
  const fork = async (at: Turn, retry: boolean) => {
    const { mine, theirs } = branched(prefs, id, at.seq);
    const made = await post<ChatAPIConversation>("/api/conversations/" + id + "/fork", { turns: at.seq - 1, title: (detail!.title.replace(/ · \d+$/, "") || "Chat") + " · " + (theirs.count + 1), toolPreferences: mine });
    const all = [...theirs.list, made.id];
    await Promise.all(all.map(async (c) => {
      const p = c === made.id ? mine : c === id ? prefs : ((await get<ChatAPIConversationDetail>("/api/conversations/" + c + "?turns=1").catch(() => null))?.toolPreferences ?? null);
      if (p) await send("PATCH", "/api/conversations/" + c, { toolPreferences: { ...p, branches: { ...((p as any).branches ?? {}), [at.seq]: all } } }).catch(() => undefined);
    }));
    announce(retry ? "Asked again in a branch." : "The changed question begins a branch.");
    return made;
  };
  const retry = (t: Turn) => {
    fail(null);
    void (async () => {
      try {
        const made = await fork(t, true);
        await begin(made.id, { text: t.question, pictures: t.pictures }, modelFor());
        go("/chat/" + made.id);
      } catch (e) {
        fail(e);
      }
    })();
  };
  const stop = async () => {
    if (!running || stopping) return;
    setStopping(true);
    try {
      await post("/api/turns/" + running.id + "/cancel");
    } catch (e) {
      fail(e);
    }
  };
  useEffect(() => {
    if (!running) setStopping(false);
  }, [running]);
  const act = (run: () => Promise<unknown>) => {
    fail(null);
    void run().catch(fail);
  };

  // One message may wait for the end of the turn. Whoever takes it out of the
  // browser's memory first sends it, so that it goes out once.
  const queue = (text: string) => {
    setQueued(text);
    kept.write(queueKey(id), text || null);
  };
  useEffect(() => {
    if (!id || running || !detail || detail.turnId) return;
    const take = async () => {
      const text = kept.read(queueKey(id));
      if (!text) return setQueued("");
      kept.write(queueKey(id), null);
      setQueued("");
      if (!(await ask_({ text, pictures: [] }))) queue(text);
    };
    if (navigator.locks) void navigator.locks.request(queueKey(id), take);
    else void take();
  }, [id, running === null, detail?.turnId]);
  const lastDone = useRef("");
  useEffect(() => {
    const t = turns[turns.length - 1];
    if (running) lastDone.current = running.id;
    else if (t && t.id === lastDone.current) {
      lastDone.current = "";
      const words = answerOf(t).split(/\s+/).filter(Boolean).length;
      announce(t.status === "completed" ? "Answer complete, " + words + " words" : t.status === "cancelled" ? "Stopped" : "The turn ended: " + (t.problem || t.status));
    }
  }, [running]);
  useEffect(() => () => void (lastDone.current = ""), []);

  const setPrefs = async (more: Record<string, unknown>) => {
    await send("PATCH", "/api/conversations/" + id, { toolPreferences: { ...prefs, ...more } });
    await conv.refresh();
  };
  const chooseTools = async (names: string[] | null) => {
    if (!id) return setFresh({ ...fresh, tools: names });
    await send("PATCH", "/api/conversations/" + id, names === null ? { allTools: true } : { tools: names });
    await conv.refresh();
  };
  const apply = async (p: ChatAPIPreset, values: Record<string, string>) => {
    const names = p.tools.filter((t) => live.data?.tools.some((l) => l.name === t));
    const made = await post<ChatAPIConversation>("/api/conversations", { presetId: p.id, ...(Object.keys(values).length ? { values } : {}), title: p.displayName, ...(p.dynamicTools ? {} : { tools: names }), options: { model: own } });
    setDialog("");
    go("/chat/" + made.id);
  };
  const liveNames = useMemo(() => (live.data?.tools ?? []).map((t) => t.name), [live.data]);
  const offered = tools === null ? liveNames.length : tools.filter((t) => liveNames.includes(t)).length;
  const blocked = model?.state === "unreachable" && !locked ? "The model cannot be reached; what you write is kept." : "";
  const title = detail?.title || (id ? "Chat" : "New chat");
  const latest = turns[turns.length - 1];
  return (
    <Page title="Agentic Chat" full own={[{ id: "new", label: "New chat", run: () => go("/chat"), keys: "n" }]}>
      <div class={"chat" + (listOpen ? " listed" : "")}>
        <ChatList here={id} onImport={(text) => act(() => importChat(text))} />
        <section class="talk" aria-label={title}>
          <header class="row spread talkhead">
            <div class="row nowrap">
              <span class="narrow"><Button tid="chat-list-open" small icon="unfold" label="Conversations" onClick={() => openList(!listOpen)} /></span>
              <h2 class="cut" data-testid="chat-title">{title}</h2>
              {detail?.presetId && <span class="hint cut">{detail.presetId}</span>}
            </div>
            <div class="row">
              <span class="hint" data-testid="chat-model">{latest?.provider ? latest.provider + " · " + latest.model : model ? model.provider + " · " + (model.name || "no model") : ""}</span>
              {id && detail && (
                <>
                  <Button tid="chat-find" small kind="quiet" icon="search" label="Find in this conversation" onClick={() => setDialog("find")} />
                  <Button tid="chat-rename" small kind="quiet" onClick={() => setDialog("rename")}>Rename</Button>
                  <details class="pick">
                    <summary class="btn small quiet" data-testid="chat-export">Export</summary>
                    <div class="stack tight">
                      {[["md", "Markdown"], ["txt", "Text"], ["json", "JSON, can be imported"]].map(([f, name]) => (
                        <a href={"/api/conversations/" + id + "/export?format=" + f} download data-testid={"export-" + f}>{name}</a>
                      ))}
                    </div>
                  </details>
                  <Button tid="chat-delete" small kind="quiet" onClick={() => setDialog("delete")}>Delete</Button>
                </>
              )}
            </div>
          </header>
          {model?.state === "demo" && strip && (
            <div class="banner" data-testid="demo-strip">
              <span>You are talking to a scripted demo, not an AI. It follows fixed rules so you can try every button offline. <a href="/settings/models" data-testid="demo-connect">Connect a model</a>.</span>
              <Button tid="demo-strip-close" small kind="quiet" icon="close" label="Dismiss" onClick={() => (setStrip(false), kept.write("lp-demo-strip", "off"))} />
            </div>
          )}
          {model?.state === "unreachable" && (
            <div class="banner amber" data-testid="model-strip">
              <span class="wrap">{model.provider} at {model.place || "its usual place"} cannot be reached: {model.problem}</span>
              <Button tid="strip-retry" small onClick={() => act(async () => (await post("/api/settings/model/check"), home.reload()))}>Retry</Button>
              <Button tid="strip-use-demo" small onClick={() => act(async () => (await send("PUT", "/api/settings/model", { provider: "demo", name: "demo" }), home.reload()))}>Use demo model</Button>
              <a href="/settings/models" data-testid="strip-settings">Open settings</a>
            </div>
          )}
          {locked && (
            <div class="banner amber" data-testid="provider-lock">
              <span>This conversation belongs to {detail!.provider}; your model is now of {model!.provider}. It goes on with {detail!.provider}, or as a copy with {model!.provider}.</span>
              <Button tid="provider-fork" small onClick={() => act(async () => go("/chat/" + (await post<ChatAPIConversation>("/api/conversations/" + id + "/fork", { model: own })).id))}>Fork to {model!.provider}</Button>
            </div>
          )}
          {conv.lost && <div class="banner amber" data-testid="turn-lost">The stream of this answer is lost. Catching up…</div>}
          <div class="log" ref={scroll.box} onScroll={onScroll} role="log" aria-live="off" aria-label="Messages" tabIndex={0} data-testid="chat-log">
            <div class="inner" ref={scroll.inner}>
              {conv.error !== null && <ProblemView error={conv.error} retry={() => void conv.refresh()} />}
              {id && !detail && conv.error === null && <Loading what="the conversation" />}
              {(from > 0 || conv.more) && detail && <Button tid="chat-older" small onClick={() => void older()}>Show earlier messages</Button>}
              {!id && (
                <div class="empty">
                  <h2>What shall it do?</h2>
                  <p>The model may call {offered} live {offered === 1 ? "tool" : "tools"}. Each has passed its own tests; risky calls ask you first.</p>
                  <div class="row">
                    {["What time is it in Tokyo?", "What is 15% of 80?", "long answer 200", "think first: what is 3 * 14?"].map((q) => (
                      <Button tid="chat-sample" small onClick={() => give({ text: q, pictures: [] })}>{q}</Button>
                    ))}
                  </div>
                </div>
              )}
              {shown.map((t) => {
                const b = branchesAt(prefs, t.seq);
                return (
                  <TurnView key={t.id} turn={t} version={t.live ? "f" + conv.frame : [t.seq, t.status, t.events, t.parts.length, t.question.length].join()} owner={detail} last={t === latest} busy={running !== null} branches={b} here={id} onEdit={(x) => (edit(x), give({ text: x.question, pictures: x.pictures }))} onRetry={retry}
                    onBranch={(c) => go("/chat/" + c)} onResume={(x) => act(async () => conv.resumed((await post<ChatAPITurn>("/api/turns/" + x.id + "/resume")).turnId))} onDrop={(x) => act(async () => (await post("/api/turns/" + x.id + "/cancel"), await conv.refresh()))} />
                );
              })}
              {to < total && <Button tid="chat-newer" small onClick={newer}>Show later messages</Button>}
            </div>
          </div>
          {scroll.away && total > 0 && (
            <div class="jump">
              <Button tid="jump-latest" icon="down" onClick={toEnd}>Jump to latest{scroll.fresh > 0 ? " (" + scroll.fresh + ")" : ""}</Button>
            </div>
          )}
          {failure !== null && (
            <div class="talkfail">
              <ProblemView error={failure} />
              {failure instanceof ApiError && failure.code === "conversation_busy" && <p class="hint">Another tab or program asks here; you follow its answer.</p>}
            </div>
          )}
          <Composer key={id + (editing?.id ?? "")} id={id} given={given} running={running !== null && !editing} stopping={stopping} queued={queued} model={model} blocked={blocked} effort={effort}
            tools={toolless(model) ? "No tools" : offered === 0 ? "No tools" : offered + (offered === 1 ? " tool" : " tools")}
            onEffort={(e) => (setEffort(e), kept.write("lp-effort", e || null))} onSend={ask_} onQueue={queue} onStop={() => void stop()} onTools={() => setDialog("tools")} onLibrary={() => setDialog("library")} onOptions={() => setDialog("options")}
            onEditLast={() => latest && (edit(latest), give({ text: latest.question, pictures: latest.pictures }))} onCancelEdit={editing ? () => (edit(null), give(null)) : null} />
        </section>
      </div>
      {dialog === "tools" && <ToolPicker chosen={tools} onClose={() => setDialog("")} onChoose={chooseTools} />}
      {dialog === "options" && <OptionsDialog options={options} system={id ? (detail?.systemPrompt ?? "") : fresh.system} fresh={!id} onClose={() => setDialog("")} onSave={async (o, system) => (id ? setPrefs({ options: o }) : setFresh({ ...fresh, options: o, system }))} />}
      {dialog === "library" && <Library live={liveNames} onClose={() => setDialog("")} onApply={apply} />}
      {dialog === "rename" && detail && <Rename title={detail.title} onClose={() => setDialog("")} onSave={async (t) => (await send("PATCH", "/api/conversations/" + id, { title: t }), await conv.refresh())} />}
      {dialog === "delete" && detail && (
        <Dialog tid="delete-dialog" title="Delete this conversation?" onClose={() => setDialog("")}>
          <p>“{detail.title || "New chat"}” with its {detail.messageCount ?? 0} messages goes for good. Export it first to keep a copy.</p>
          <footer>
            <Button tid="delete-cancel" onClick={() => setDialog("")}>Keep it</Button>
            <Button tid="delete-confirm" kind="danger" onClick={() => act(async () => (await del("/api/conversations/" + id), setDialog(""), toast("Deleted “" + (detail.title || "New chat") + "”."), go("/chat")))}>Delete conversation</Button>
          </footer>
        </Dialog>
      )}
      {dialog === "find" && <Find load={() => conv.all()} onClose={() => setDialog("")} onGo={(seq) => {
        setDialog("");
        const i = conv.now().findIndex((t) => t.seq === seq);
        scroll.detach();
        setSpan({ from: Math.max(0, i - 5), to: Math.min(conv.now().length, i + 25) });
        setTimeout(() => {
          const el = scroll.box.current?.querySelector<HTMLElement>('[data-seq="' + seq + '"]');
          el?.scrollIntoView({ block: "start" });
          el?.classList.add("found");
        }, 50);
      }} />}
    </Page>
  );
}

function Rename({ title, onClose, onSave }: { title: string; onClose: () => void; onSave: (t: string) => Promise<unknown> }) {
  const [text, set] = useState(title);
  const [failure, fail] = useState<unknown>(null);
  return (
    <Dialog tid="rename-dialog" title="Rename the conversation" onClose={onClose}>
      <form class="stack" onSubmit={(e) => (e.preventDefault(), void onSave(text).then(onClose, fail))}>
        <Text tid="rename-title" label="Title" value={text} onInput={set} error={text.trim() === "" ? "A title has at least one letter." : text.length > 200 ? "At most 200 letters." : undefined} />
        {failure !== null && <ProblemView error={failure} />}
        <div class="row end"><Button tid="rename-save" type="submit" kind="primary" disabled={text.trim() === "" || text.length > 200}>Rename</Button></div>
      </form>
    </Dialog>
  );
}

/** Find looks through all of a conversation: the browser's own search sees only what is in the page. */
function Find({ load, onClose, onGo }: { load: () => Promise<Turn[]>; onClose: () => void; onGo: (seq: number) => void }) {
  const [q, setQ] = useState("");
  const all = useData<Turn[]>(load, []);
  const words = q.trim().toLowerCase();
  const hits = words.length < 2 ? [] : (all.data ?? []).filter((t) => (t.question + "\n" + answerOf(t)).toLowerCase().includes(words)).slice(0, 100);
  return (
    <Dialog tid="find-dialog" title="Find in this conversation" onClose={onClose}>
      <input class="input" type="search" aria-label="Words to find" placeholder="At least two letters" data-testid="find-input" value={q} onInput={(e) => setQ(e.currentTarget.value)} />
      {all.loading && <p class="hint">Reading all messages…</p>}
      {all.error !== null && <ProblemView error={all.error} retry={all.reload} />}
      <ul class="listbox">
        {hits.map((t) => (
          <li>
            <button type="button" class="pickrow" data-testid="find-hit" data-id={String(t.seq)} onClick={() => onGo(t.seq)}>
              <span class="t clamp">{t.question}</span>
              <span class="clamp">{answerOf(t).slice(0, 200)}</span>
            </button>
          </li>
        ))}
      </ul>
      {words.length >= 2 && !all.loading && hits.length === 0 && <p class="muted">No message has “{q}”.</p>}
    </Dialog>
  );
}
