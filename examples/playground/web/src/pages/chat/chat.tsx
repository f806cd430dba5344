import { Fragment } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { ApiError, get, post, send } from "../../api/client";
import type {
  ChatAPIConversation,
  ChatAPIConversationDetail,
  ChatAPIPreset,
  ChatAPITurn,
  ChatOptions,
  ServerBuiltin,
  ServerHome,
} from "../../api/types";
import { go, landing, place } from "../../router";
import { useData, kept } from "../../ui/data";
import { later } from "../../ui/later";
import { memo } from "../../ui/memo";
import { announce, Button, Loading, ProblemView, toast } from "../../ui/parts";
import { Page } from "../../shell/page";
import { branchesAt, branched } from "./branches";
import { Meter, useForecast } from "./budget";
import { Banners } from "./chatbanners";
import { chatDraft } from "./chatdraft";
import { After, Changed, ChatHead } from "./chathead";
import { ChatList, importChat, throwAway } from "./chatlist";
import { Composer, toolless, type Question } from "./composer";
import { expectTurn, useConversation } from "./conversation";
import { usePrint, type Span } from "./printing";
import { useScroll } from "./scroller";
import { answerOf, type Turn } from "./turns";
import { TurnView } from "./turnview";

// What is opened by a button is fetched with the first click on it.
const ToolPicker = later(async () => (await import("./chatpanels")).ToolPicker);
const Rename = later(async () => (await import("./chatpanels")).Rename);
const SettingsDrawer = later(async () => (await import("./chatpanels")).SettingsDrawer);
const Library = later(async () => (await import("./chatpanels")).Library);
const ExportDialog = later(async () => (await import("./chatpanels")).ExportDialog);
const Find = later(async () => (await import("./chatpanels")).Find);
const ContextPanel = later(async () => (await import("./chatpanels")).ContextPanel);

const windowed = 30; // turns at once, and as many more when somebody goes up
const most = 90; // turns in the page
const nothing: Question = { text: "", pictures: [] };

/** The list does not care for the frames of an answer that comes. */
const List = memo(ChatList, (a, b) => a.here === b.here);

const queueKey = (id: string) => "lp-queue-" + id;

export function Chat({ args }: { args: string[] }) {
  const id = args[0] ?? "";
  const message = args[1] ?? ""; // that somebody came for
  const ask = new URLSearchParams(place.value.query).get("ask");
  const [listOpen, openList] = useState(false);
  const home = useData<ServerHome>((s) => get("/api/home", s), [], ["settings", "home"]);
  const live = useData<ServerBuiltin>((s) => get("/api/mcp/builtin?to=chat", s), [], ["tools"]);
  const conv = useConversation(id, message);
  const detail = conv.detail;
  const model = home.data?.model ?? null;
  const own = model ? model.provider + "/" + model.name : "";
  const prefs = (detail?.toolPreferences ?? {}) as Record<string, any>;
  const [dialog, setDialog] = useState<"" | "tools" | "options" | "library" | "rename" | "export" | "find">(
    "",
  );
  const [which, setWhich] = useState(""); // the preset or the message that the dialog is about
  const [panel, setPanel] = useState(kept.read("lp-context") === "on");
  const [writing, write] = useState<Question>(nothing);
  const [fresh, setFresh] = useState<{ tools: string[] | null; options: ChatOptions; system: string }>({
    tools: null,
    options: {},
    system: "",
  });
  const [effort, setEffort] = useState(kept.read("lp-effort") ?? "");
  const [given, give] = useState<Question | null>(ask ? { text: ask, pictures: [] } : null);
  const [editing, edit] = useState<Turn | null>(null);
  const [failure, fail] = useState<unknown>(null);
  const [stopping, setStopping] = useState(false);
  const [queued, setQueued] = useState(kept.read(queueKey(id)) ?? "");
  const running = conv.running;
  const turns = conv.turns;
  const tools = id ? (detail?.tools ?? null) : fresh.tools;
  const options: ChatOptions = id ? (detail?.options ?? {}) : fresh.options;
  const locked = Boolean(id && detail?.provider && model && detail.provider !== model.provider);

  // The window: a slice of the turns that are there.
  const [span, setSpan] = useState<Span | null>(null);
  const total = turns.length;
  const from = span ? Math.max(0, Math.min(span.from, total - 1)) : Math.max(0, total - windowed);
  const to = span ? Math.min(total, span.to) : total;
  const shown = turns.slice(from, to);
  const scroll = useScroll(id, total);
  const anchor = useRef<{ id: string; top: number } | null>(null);
  const hold = () => {
    const box = scroll.box.current;
    const el = [...(box?.querySelectorAll<HTMLElement>("[data-testid=turn]") ?? [])].find(
      (t) => t.getBoundingClientRect().bottom > box!.getBoundingClientRect().top,
    );
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
    if (from > 0)
      setSpan({ from: Math.max(0, from - windowed), to: Math.min(to, Math.max(0, from - windowed) + most) });
    else if (conv.more) {
      const added = await conv.older(windowed);
      if (!added) return;
      hold();
      setSpan({ from: 0, to: Math.min(to + added, most) });
    }
  };
  const newer = async () => {
    if (to >= total) {
      if (!conv.behind) return;
      hold();
      const added = await conv.newer(windowed);
      if (!added) return; // or somebody went to the end meanwhile
      hold();
      setSpan({ from: Math.max(from, total + added - most), to: total + added });
      return;
    }
    hold();
    const end = Math.min(total, to + windowed);
    setSpan(end >= total && !conv.behind ? null : { from: Math.max(from, end - most), to: end });
  };
  const onScroll = () => {
    scroll.look(to >= total && !conv.behind);
    const b = scroll.box.current;
    if (!b || scroll.following.current) return;
    if (b.scrollTop < 300 && (from > 0 || conv.more)) void older();
    else if (b.scrollHeight - b.scrollTop - b.clientHeight < 300) void newer();
  };
  const toEnd = () => {
    void conv.toEnd().then(() => {
      setSpan(null);
      setTimeout(scroll.attach);
    });
  };
  // Whoever came for a message finds it in view, and marked.
  useLayoutEffect(() => {
    if (!message || !detail) return;
    const at = turns.findIndex((t) => t.messages.includes(message));
    if (at < 0) return;
    setSpan({ from: Math.max(0, at - windowed / 2), to: Math.min(total, at + windowed / 2) });
    scroll.detach();
    const timer = setTimeout(() => {
      const el = scroll.box.current?.querySelector<HTMLElement>(
        '[data-testid=turn][data-id="' + CSS.escape(turns[at]!.id) + '"]',
      );
      scroll.detach();
      el?.scrollIntoView({ block: "start" });
      el?.classList.add("found");
    }, 30);
    return () => clearTimeout(timer);
  }, [message, detail !== null]);

  const begin = async (to: string, q: Question, modelName?: string) => {
    const turn = await send<ChatAPITurn>("POST", "/api/conversations/" + to + "/turns", {
      ...(q.text ? { text: q.text } : {}),
      ...(q.documents?.length ? { attachments: q.documents } : {}),
      ...(q.tools?.length ? { tools: q.tools } : {}),
      ...(q.pictures.length
        ? { images: q.pictures.map(({ data, mimeType, name }) => ({ data, mimeType, name })) }
        : {}),
      ...(effort ? { reasoning: effort } : {}),
      ...(modelName ? { model: modelName } : {}),
    });
    return turn.data;
  };
  // The model of this page where the conversation may have it: it stays with its provider.
  const modelFor = () => (!locked && own && !options.model ? own : undefined);
  /** on goes to the conversation that a question began; who was typing types on. */
  const on = (to: string) => {
    if (document.activeElement?.tagName === "TEXTAREA") landing.on = "textarea";
    go("/chat/" + to);
  };
  const ask_ = async (q: Question): Promise<boolean> => {
    fail(null);
    try {
      if (editing) {
        const made = await fork(editing, q.text === editing.question);
        expectTurn(made.id, (await begin(made.id, q, modelFor())).turnId);
        edit(null);
        on(made.id);
        return true;
      }
      if (!id) {
        const made = await post<ChatAPIConversation>("/api/conversations", {
          ...(Object.keys(fresh.options).length ? { options: fresh.options } : {}),
          ...(fresh.tools ? { tools: fresh.tools } : {}),
          ...(fresh.system ? { systemPrompt: fresh.system } : {}),
        });
        expectTurn(made.id, (await begin(made.id, q, modelFor())).turnId);
        kept.write(chatDraft(""), null);
        on(made.id);
        return true;
      }
      await conv.toEnd();
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
    const made = await post<ChatAPIConversation>("/api/conversations/" + id + "/fork", {
      turns: at.seq - 1,
      title: (detail!.title.replace(/ · \d+$/, "") || "Chat") + " · " + (theirs.count + 1),
      toolPreferences: mine,
    });
    const all = [...theirs.list, made.id];
    await Promise.all(
      all.map(async (c) => {
        const p =
          c === made.id
            ? mine
            : c === id
              ? prefs
              : ((
                  await get<ChatAPIConversationDetail>("/api/conversations/" + c + "?turns=1").catch(
                    () => null,
                  )
                )?.toolPreferences ?? null);
        if (p)
          await send("PATCH", "/api/conversations/" + c, {
            toolPreferences: { ...p, branches: { ...((p as any).branches ?? {}), [at.seq]: all } },
          }).catch(() => undefined);
      }),
    );
    announce(retry ? "Asked again in a branch." : "The changed question begins a branch.");
    return made;
  };
  const retry = (t: Turn) => {
    fail(null);
    void (async () => {
      try {
        const made = await fork(t, true);
        await begin(made.id, { text: t.question, pictures: t.pictures, documents: t.documents }, modelFor());
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
      announce(
        t.status === "completed"
          ? "Answer complete, " + words + " words"
          : t.status === "cancelled"
            ? "Stopped"
            : "The turn ended: " + (t.problem || t.status),
      );
    }
  }, [running]);
  useEffect(() => () => void (lastDone.current = ""), []);

  const patch = async (more: Record<string, unknown>) => {
    await send("PATCH", "/api/conversations/" + id, more);
    await conv.refresh();
  };
  const chooseTools = async (names: string[] | null) => {
    if (!id) return setFresh({ ...fresh, tools: names });
    await patch(names === null ? { allTools: true } : { tools: names });
  };
  const apply = async (p: ChatAPIPreset, values: Record<string, string>) => {
    const made = await post<ChatAPIConversation>("/api/conversations", {
      presetId: p.id,
      ...(Object.keys(values).length ? { values } : {}),
      title: p.displayName,
    });
    setDialog("");
    go("/chat/" + made.id);
  };
  const liveNames = useMemo(() => (live.data?.tools ?? []).map((t) => t.name), [live.data]);
  const offered = tools === null ? liveNames.length : tools.filter((t) => liveNames.includes(t)).length;
  const blocked =
    model?.state === "unreachable" && !locked ? "The model cannot be reached; what you write is kept." : "";
  const title = detail?.title || (id ? "Chat" : "New chat");
  const latest = conv.behind ? undefined : turns[turns.length - 1];
  const forecast = useForecast(
    id,
    writing,
    { ...(modelFor() ? { model: modelFor() } : {}), ...(writing.tools ? { tools: writing.tools } : {}) },
    [
      detail?.updatedAt,
      detail?.turnId,
      running?.id,
      tools?.join(),
      liveNames.length,
      JSON.stringify(options),
    ].join(),
  );
  const showPanel = (on: boolean) => {
    setPanel(on);
    kept.write("lp-context", on ? "on" : null);
  };
  const open = (what: typeof dialog, about = "") => {
    setWhich(about);
    setDialog(what);
  };
  const print = usePrint(conv, span, setSpan, anchor, hold);
  const headAct = (what: "find" | "export" | "rename" | "pin" | "archive" | "print" | "delete") => {
    if (what === "pin") act(() => patch({ pinned: !detail?.pinned }));
    else if (what === "archive")
      act(
        async () => (
          await patch({ archived: !detail?.archived }),
          announce(detail?.archived ? "Brought back." : "Archived.")
        ),
      );
    else if (what === "print") act(print);
    else if (what === "delete") act(async () => (await throwAway([{ id, title }]), go("/chat")));
    else open(what);
  };
  const commands = [
    ["tools", "Choose tools", "which the model is offered"],
    ["settings", "Settings", "model, memory, temperature"],
    ["context", "Context budget", "what the model is sent"],
    ["library", "Prompt library", "presets and templates"],
    ...(id
      ? [
          ["find", "Find", "in this conversation"],
          ["export", "Export", "Markdown, text, HTML, JSON"],
          ["rename", "Rename", "this conversation"],
        ]
      : []),
    ["new", "New chat", ""],
  ].map(([c, label, hint]) => ({
    id: "/" + c!,
    kind: "command",
    label: label!,
    hint: hint!,
    run: () =>
      c === "new"
        ? go("/chat")
        : c === "context"
          ? showPanel(true)
          : open((c === "settings" ? "options" : c) as typeof dialog),
  }));
  const copyLink = (m: string) =>
    void navigator.clipboard.writeText(location.origin + "/chat/" + id + "/m/" + m).then(
      () => toast("The link is copied."),
      () => toast("The browser keeps this page from the clipboard.", undefined, true),
    );
  const changesAt = (seq: number) => (detail?.changes ?? []).filter((c) => c.turn === seq);
  return (
    <Page
      title="Agentic Chat"
      full
      own={[
        { id: "new", label: "New chat", run: () => go("/chat"), keys: "n" },
        ...(id
          ? [{ id: "print", label: "Print this conversation", run: () => act(print), keys: "mod+p" }]
          : []),
      ]}
    >
      <div class={"chat" + (listOpen ? " listed" : "") + (panel ? " paneled" : "")}>
        <List here={id} onImport={(text) => act(() => importChat(text))} />
        <section class="talk" aria-label={title}>
          <ChatHead
            id={id}
            title={title}
            preset={detail?.presetId ?? ""}
            detail={detail}
            latest={latest}
            model={model}
            panel={panel}
            onList={() => openList(!listOpen)}
            onPanel={() => showPanel(!panel)}
            onAct={headAct}
          />
          <Banners
            detail={detail}
            model={model}
            locked={locked}
            act={act}
            onRestore={() => patch({ deleted: false })}
            onFork={async () =>
              go(
                "/chat/" +
                  (await post<ChatAPIConversation>("/api/conversations/" + id + "/fork", { model: own })).id,
              )
            }
            onModel={home.reload}
          />
          {conv.lost && (
            <div class="banner amber" data-testid="turn-lost">
              The stream of this answer is lost. Catching up…
            </div>
          )}
          <div
            class="log"
            ref={scroll.box}
            onScroll={onScroll}
            role="log"
            aria-live="off"
            aria-label="Messages"
            tabIndex={0}
            data-testid="chat-log"
          >
            <div class="inner" ref={scroll.inner}>
              {conv.error !== null && <ProblemView error={conv.error} retry={() => void conv.refresh()} />}
              {conv.error !== null && message && (
                <p>
                  <a href={"/chat/" + id} data-testid="chat-whole">
                    Open the conversation at its end
                  </a>
                </p>
              )}
              {id && !detail && conv.error === null && <Loading what="the conversation" />}
              {detail && to - from < (detail.turns ?? 0) && (
                <p class="onpaper" data-testid="print-part">
                  A part of the conversation: {to - from} of {detail.turns} questions. Print in the menu of
                  the page prints all of them.
                </p>
              )}
              {(from > 0 || conv.more) && detail && (
                <Button tid="chat-older" small onClick={() => void older()}>
                  Show earlier messages
                </Button>
              )}
              {!id && (
                <div class="empty">
                  <h2>What can I help with?</h2>
                  <p>
                    The model may call {offered} live {offered === 1 ? "tool" : "tools"}. Each has passed its
                    own tests; risky calls ask you first.
                  </p>
                  <div class="row">
                    {[
                      "What time is it in Tokyo?",
                      "What is 15% of 80?",
                      "long answer 200",
                      "think first: what is 3 * 14?",
                    ].map((q) => (
                      <Button tid="chat-sample" small onClick={() => give({ text: q, pictures: [] })}>
                        {q}
                      </Button>
                    ))}
                  </div>
                </div>
              )}
              {shown.map((t) => {
                const b = branchesAt(prefs, t.seq);
                return (
                  <Fragment key={t.id}>
                    <Changed list={changesAt(t.seq)} />
                    <TurnView
                      turn={t}
                      version={
                        t.live
                          ? "f" + conv.frame
                          : [t.seq, t.status, t.events, t.parts.length, t.question.length].join()
                      }
                      owner={detail}
                      last={t === latest}
                      busy={running !== null}
                      branches={b}
                      here={id}
                      onEdit={(x) => (
                        edit(x),
                        give({ text: x.question, pictures: x.pictures, documents: x.documents })
                      )}
                      onRetry={retry}
                      onBranch={(c) => go("/chat/" + c)}
                      onContinue={() =>
                        void ask_({ text: "Please continue where you stopped.", pictures: [], documents: [] })
                      }
                      onResume={(x) =>
                        act(async () =>
                          conv.resumed((await post<ChatAPITurn>("/api/turns/" + x.id + "/resume")).turnId),
                        )
                      }
                      onDrop={(x) =>
                        act(async () => (await post("/api/turns/" + x.id + "/cancel"), await conv.refresh()))
                      }
                    />
                    <After turn={t} onExport={(m) => open("export", m)} onLink={copyLink} />
                  </Fragment>
                );
              })}
              {latest && <Changed list={(detail?.changes ?? []).filter((c) => c.turn > latest.seq)} />}
              {(to < total || conv.behind) && detail && (
                <Button tid="chat-newer" small onClick={() => void newer()}>
                  Show later messages
                </Button>
              )}
            </div>
          </div>
          {(scroll.away || conv.behind) && total > 0 && (
            <div class="jump">
              <Button tid="jump-latest" icon="down" onClick={toEnd}>
                Jump to latest{scroll.fresh > 0 ? " (" + scroll.fresh + ")" : ""}
              </Button>
            </div>
          )}
          {failure !== null && (
            <div class="talkfail">
              <ProblemView error={failure} />
              {failure instanceof ApiError && failure.code === "conversation_busy" && (
                <p class="hint">Another tab or program asks here; you follow its answer.</p>
              )}
            </div>
          )}
          <Composer
            key={id + (editing?.id ?? "")}
            id={id}
            given={given}
            running={running !== null && !editing}
            stopping={stopping}
            queued={queued}
            model={model}
            blocked={blocked}
            effort={effort}
            tools={
              toolless(model)
                ? "No tools"
                : offered === 0
                  ? "No tools"
                  : offered + (offered === 1 ? " tool" : " tools")
            }
            commands={commands}
            live={live.data?.tools ?? []}
            onChange={write}
            onEffort={(e) => (setEffort(e), kept.write("lp-effort", e || null))}
            onSend={ask_}
            onQueue={queue}
            onStop={() => void stop()}
            onTools={() => open("tools")}
            onLibrary={(p) => open("library", p)}
            onOptions={() => open("options")}
            onEditLast={() =>
              latest &&
              (edit(latest),
              give({ text: latest.question, pictures: latest.pictures, documents: latest.documents }))
            }
            onCancelEdit={editing ? () => (edit(null), give(null)) : null}
          >
            <Meter budget={forecast.budget} onOpen={() => showPanel(true)} />
          </Composer>
        </section>
        {panel && (
          <ContextPanel
            next={forecast.budget}
            problem={forecast.problem}
            turns={turns}
            live={live.data}
            tools={tools}
            canShorten={Boolean(id) && (options.memoryWindow ?? 20) > 4}
            onClose={() => showPanel(false)}
            onTools={() => open("tools")}
            onNoTools={() => act(() => chooseTools([]))}
            onShorten={() =>
              act(
                async () => (
                  await patch({
                    options: {
                      ...options,
                      memoryWindow: Math.max(4, Math.floor((options.memoryWindow ?? 20) / 2)),
                    },
                  }),
                  announce("From the next question on the model sees fewer messages.")
                ),
              )
            }
          />
        )}
      </div>
      {dialog === "tools" && (
        <ToolPicker chosen={tools} onClose={() => setDialog("")} onChoose={chooseTools} />
      )}
      {dialog === "options" && (
        <SettingsDrawer
          now={{ options, system: id ? (detail?.systemPrompt ?? "") : fresh.system }}
          provider={id ? (detail?.provider ?? "") : ""}
          preset={detail?.presetId ?? ""}
          tools={offered === 1 ? "1 tool is offered." : offered + " tools are offered."}
          onTools={() => open("tools")}
          onClose={() => setDialog("")}
          onSave={async ({ options: o, system }) =>
            id ? patch({ options: o, systemPrompt: system }) : setFresh({ ...fresh, options: o, system })
          }
        />
      )}
      {dialog === "library" && (
        <Library live={liveNames} first={which} onClose={() => setDialog("")} onApply={apply} />
      )}
      {dialog === "export" && (
        <ExportDialog
          id={id}
          message={which}
          onClose={() => setDialog("")}
          onPrint={which ? null : () => act(print)}
        />
      )}
      {dialog === "find" && (
        <Find
          id={id}
          onClose={() => setDialog("")}
          onGo={(m) => (setDialog(""), go("/chat/" + id + "/m/" + m))}
        />
      )}
      {dialog === "rename" && detail && (
        <Rename
          title={detail.title}
          onClose={() => setDialog("")}
          onSave={async (t) => patch({ title: t })}
        />
      )}
    </Page>
  );
}
