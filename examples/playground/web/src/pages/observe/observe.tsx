import { useEffect, useRef, useState } from "preact/hooks";
import { get, query } from "../../api/client";
import type { ObservePage, ObserveSummary } from "../../api/types";
import { go, place, setQuery } from "../../router";
import { Page } from "../../shell/page";
import { useData, useLater } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import {
  Ago,
  Button,
  counted,
  Empty,
  Loading,
  ProblemView,
  Segments,
  Select,
  Text,
  toast,
} from "../../ui/parts";
import { money } from "../shared/money";
import { PricesPage } from "./prices";
import { TraceView } from "./trace";
import { costOf, kindName, nameOf, Standing, tokensOf } from "./tracewords";
import { lasts } from "./waterfall";
import { adopt } from "../../ui/style";
import css from "../../styles/observe.css" with { type: "text" };

adopt(css);

const windows: [string, string][] = [
  ["5m", "5 min"],
  ["10m", "10 min"],
  ["20m", "20 min"],
  ["30m", "30 min"],
  ["1h", "1 h"],
  ["3h", "3 h"],
  ["all", "This run"],
];
const perPage = 100;
const small = matchMedia("(max-width: 719px)").matches;
const statuses: [string, string][] = [
  ["", "Any status"],
  ["running", "Running"],
  ["ok", "Ok"],
  ["error", "Error"],
  ["cancelled", "Cancelled"],
  ["blocked", "Blocked"],
  ["paused", "Paused"],
  ["incomplete", "Incomplete"],
];
const names = ["win", "from", "to", "model", "tool", "server", "status", "conv", "min", "q"] as const;
type State = Partial<Record<(typeof names)[number], string>>;

/** filters are those of the address; without a window it is the last half hour. */
function filters(): State {
  const q = new URLSearchParams(place.value.query);
  const out: State = {};
  for (const n of names) if (q.get(n)) out[n] = q.get(n)!;
  if (!out.win && !out.from && !out.to) out.win = "30m";
  return out;
}

/** Observe is the traces of this run, or one of them. */
export function Observe({ args }: { args: string[] }) {
  const slug = args[0] ?? "";
  useEffect(() => {
    if (slug === "") go("/observe/traces" + place.value.query, true);
  }, [slug]);
  const trace = new URLSearchParams(place.value.query).get("trace");
  const before = useRef(trace);
  useEffect(() => {
    if (before.current !== trace) document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
    before.current = trace;
  }, [trace]);
  if (slug === "prices") return <PricesPage />;
  if (slug !== "" && slug !== "traces")
    return (
      <Page title="Observability">
        <Empty title="There is no such page here">
          <a class="btn primary" href="/observe/traces" data-testid="observe-to-traces">
            Open the traces
          </a>
        </Empty>
      </Page>
    );
  return trace ? <TraceView id={trace} back={"/observe/traces" + query(filters())} /> : <TraceList />;
}

function TraceList() {
  const state = filters();
  const [pages, setPages] = useState<string[]>([]); // where the pages before this one ended
  const [words, setWords] = useState(state.q ?? "");
  const [shortest, setShortest] = useState(state.min ?? "");
  const late = useLater(words, 200);
  const lateMin = useLater(shortest, 300);
  const set = (change: State) => {
    const next = { ...filters(), ...change };
    if (change.win) {
      delete next.from;
      delete next.to;
    } else if (change.from || change.to) delete next.win;
    setPages([]);
    setQuery(query(next));
  };
  useEffect(() => {
    if (late !== (filters().q ?? "")) set({ q: late });
  }, [late]);
  useEffect(() => {
    if (lateMin !== (filters().min ?? "")) set({ min: lateMin });
  }, [lateMin]);
  const key = query(state);
  const { data, error, loading, reload } = useData<ObservePage>(
    (s) =>
      get<ObservePage>(
        "/api/observe/traces" + query({ ...state, limit: perPage, cursor: pages[pages.length - 1] }),
        s,
      ),
    [key, pages],
    ["observe"],
  );

  // By the address: the next key may come before the page is drawn again.
  const step = (by: number) => {
    const at = windows.findIndex(([w]) => w === filters().win);
    if (at >= 0 && windows[at + by]) set({ win: windows[at + by]![0] });
  };
  const absolute = () => {
    const now = new Date(data?.to ?? Date.now());
    const from = data?.from
      ? new Date(data.from)
      : new Date(Math.min(...(data?.items ?? []).map((t) => Date.parse(t.startAt)), now.getTime() - 60_000));
    return { ...state, win: "", from: state.from ?? from.toISOString(), to: state.to ?? now.toISOString() };
  };
  const share = async () => {
    const range = absolute();
    setQuery(query(range));
    try {
      await navigator.clipboard.writeText(location.origin + "/observe/traces" + query(range));
      toast("Copied a link to just this range.");
    } catch {
      toast("The address now holds just this range: copy it from there.");
    }
  };
  const filtered = ["model", "tool", "server", "status", "conv", "min", "q"].filter(
    (n) => state[n as keyof State],
  ).length;
  const clear = () => (
    setWords(""),
    setShortest(""),
    set({ model: "", tool: "", server: "", status: "", conv: "", min: "", q: "" })
  );
  const choices = (all: string[] | undefined, any: string, now: string | undefined): [string, string][] => [
    ["", any],
    ...[...new Set([...(all ?? []), ...(now ? [now] : [])])].map((n): [string, string] => [n, n]),
  ];
  const longest = data?.totals.longestMs ?? 0;
  const t = data?.totals;
  return (
    <Page
      title="Traces"
      crumbs={[["Observability", "/observe/traces"]]}
      own={[
        { id: "refresh", label: "Read the traces again", keys: "r", run: reload },
        { id: "narrower", label: "Narrower window", keys: "[", run: () => step(-1) },
        { id: "wider", label: "Wider window", keys: "]", run: () => step(1) },
        {
          id: "absolute",
          label: "Make the range absolute",
          keys: "t a",
          run: () => setQuery(query(absolute())),
        },
        { id: "share", label: "Copy a link to this range", run: () => void share() },
      ]}
    >
      <div class="stack" data-testid="observe-traces">
        <div class="row spread">
          {state.win ? (
            <Segments
              tid="trace-window"
              label="Window"
              value={state.win}
              options={windows}
              onChange={(win) => set({ win })}
            />
          ) : (
            <div class="row" data-testid="trace-range">
              <span class="chip tag">
                {state.from ? new Date(state.from).toLocaleString() : "The beginning"} to{" "}
                {state.to ? new Date(state.to).toLocaleString() : "now"}
              </span>
              <Button tid="trace-range-live" small onClick={() => set({ win: "30m" })}>
                Follow the last 30 min
              </Button>
            </div>
          )}
          <span class="row">
            <Range state={state} set={set} />
            <Button tid="trace-refresh" small busy={loading && data !== undefined} onClick={reload}>
              Refresh
            </Button>
            <Button tid="trace-share" small icon="link" onClick={() => void share()}>
              Share link
            </Button>
            <a class="btn small" href="/observe/prices" data-testid="trace-prices">
              Prices
            </a>
          </span>
        </div>
        <details class="morefilters" open={!small || undefined}>
          <summary data-testid="trace-filters">Filters{filtered ? " (" + filtered + ")" : ""}</summary>
          <div class="tracefilters">
            <label class="field search">
              <span class="label">Name or id</span>
              <input
                class="input"
                type="search"
                data-filter
                data-testid="trace-search"
                value={words}
                autocomplete="off"
                spellcheck={false}
                onInput={(e) => setWords(e.currentTarget.value)}
                onKeyDown={(e) => e.key === "Escape" && setWords("")}
              />
            </label>
            <Select
              tid="trace-filter-model"
              label="Model"
              value={state.model ?? ""}
              options={choices(data?.models, "Any model", state.model)}
              onChange={(model) => set({ model })}
            />
            <Select
              tid="trace-filter-tool"
              label="Tool"
              value={state.tool ?? ""}
              options={choices(data?.tools, "Any tool", state.tool)}
              onChange={(tool) => set({ tool })}
            />
            <Select
              tid="trace-filter-server"
              label="Server"
              value={state.server ?? ""}
              options={choices(data?.servers, "Any server", state.server)}
              onChange={(server) => set({ server })}
            />
            <Select
              tid="trace-filter-status"
              label="Status"
              value={state.status ?? ""}
              options={statuses}
              onChange={(status) => set({ status })}
            />
            <Text tid="trace-filter-min" label="Min. duration (ms)" value={shortest} onInput={setShortest} />
          </div>
        </details>
        {state.conv && (
          <div class="row">
            <span class="chip tag">
              Conversation <Foreign text={state.conv} />
            </span>
            <Button tid="trace-filter-conv-clear" small kind="quiet" onClick={() => set({ conv: "" })}>
              Show all conversations
            </Button>
          </div>
        )}
        {error !== null && <ProblemView error={error} retry={reload} />}
        {!data && error === null && <Loading what="traces" />}
        {data && t && (
          <p class="num muted" data-testid="trace-totals">
            {t.traces} {t.traces === 1 ? "trace" : "traces"} · {t.errors} with an error
            {t.running ? " · " + t.running + " running" : ""} · {t.toolCalls} tool{" "}
            {t.toolCalls === 1 ? "call" : "calls"} · tokens {tokensOf(t.tokens)}
            {t.costMicroUSD !== undefined ? " · " + money(t.costMicroUSD) : ""}
            {t.unpricedTokens ? " · " + counted(t.unpricedTokens, "token") + " unpriced" : ""}
          </p>
        )}
        {data &&
          data.items.length === 0 &&
          (filtered ? (
            <Empty title={"No trace matches " + filtered + (filtered === 1 ? " filter" : " filters")}>
              <Button tid="trace-clear" kind="primary" onClick={clear}>
                Clear filters
              </Button>
            </Empty>
          ) : (
            <Empty title="Nothing was traced in this window">
              <p>
                Each chat turn, test run and call by an MCP client is recorded here while the playground runs.
                Nothing is sent anywhere.
              </p>
              <a class="btn primary" href="/chat" data-testid="trace-empty-chat">
                Start a chat
              </a>
              {state.win !== "all" && (
                <Button tid="trace-empty-all" onClick={() => set({ win: "all" })}>
                  Show all of this run
                </Button>
              )}
            </Empty>
          ))}
        {data && data.items.length > 0 && (
          <table class={"cards traces" + (error !== null ? " stale" : "")} data-testid="trace-list">
            <thead>
              <tr>
                <th scope="col">Started</th>
                <th scope="col">What</th>
                <th scope="col">Model</th>
                <th scope="col">Duration</th>
                <th scope="col">Tokens</th>
                <th scope="col">Cost</th>
                <th scope="col">Status</th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((s) => (
                <TraceRow key={s.traceId} trace={s} longest={longest} state={state} />
              ))}
            </tbody>
          </table>
        )}
        {data && (data.nextCursor || pages.length > 0) && (
          <nav class="row" aria-label="Pages of traces">
            <Button
              tid="trace-newer"
              disabled={pages.length === 0}
              onClick={() => setPages(pages.slice(0, -1))}
            >
              Newer
            </Button>
            <Button
              tid="trace-older"
              disabled={!data.nextCursor}
              onClick={() => setPages([...pages, data.nextCursor!])}
            >
              Older
            </Button>
            <span class="muted num" data-testid="trace-place">
              {pages.length * perPage + 1} to {pages.length * perPage + data.items.length} of{" "}
              {data.totals.traces}
            </span>
          </nav>
        )}
      </div>
    </Page>
  );
}

/** local writes a moment as the browser's own box for one wants it. */
function local(at: string | undefined): string {
  const t = at ? new Date(at) : new Date(NaN);
  return isNaN(t.getTime())
    ? ""
    : new Date(t.getTime() - t.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** Range asks for a window of one's own. */
function Range({ state, set }: { state: State; set: (change: State) => void }) {
  const box = useRef<HTMLDetailsElement>(null);
  const [from, setFrom] = useState(local(state.from));
  const [to, setTo] = useState(local(state.to));
  const wrong = from !== "" && to !== "" && from > to;
  const show = (e: SubmitEvent) => {
    e.preventDefault();
    if (wrong || (from === "" && to === "")) return;
    set({ from: from ? new Date(from).toISOString() : "", to: to ? new Date(to).toISOString() : "" });
    if (box.current) box.current.open = false;
  };
  return (
    <details
      class="pick"
      ref={box}
      onKeyDown={(e) => e.key === "Escape" && box.current && (box.current.open = false)}
    >
      <summary class="btn small" data-testid="trace-range-open">
        Custom range
      </summary>
      <div>
        <form class="stack tight" onSubmit={show as never}>
          <label class="field">
            <span class="label">From</span>
            <input
              class="input"
              type="datetime-local"
              step="1"
              data-testid="trace-range-from"
              value={from}
              onInput={(e) => setFrom(e.currentTarget.value)}
            />
          </label>
          <label class="field">
            <span class="label">To, or empty for now</span>
            <input
              class="input"
              type="datetime-local"
              step="1"
              data-testid="trace-range-to"
              value={to}
              onInput={(e) => setTo(e.currentTarget.value)}
            />
          </label>
          {wrong && (
            <p class="err" role="alert">
              The end lies before the beginning. Choose a later end.
            </p>
          )}
          <Button
            tid="trace-range-show"
            kind="primary"
            type="submit"
            disabled={wrong || (from === "" && to === "")}
          >
            Show range
          </Button>
        </form>
      </div>
    </details>
  );
}

function TraceRow({ trace: s, longest, state }: { trace: ObserveSummary; longest: number; state: State }) {
  const models = s.models ?? [];
  const name = nameOf(s);
  const tools = s.tools ?? [];
  return (
    <tr data-testid="trace-row" data-id={s.traceId} data-status={s.outcome ?? s.status}>
      <td data-label="Started">
        <Ago at={s.startAt} />
      </td>
      <td>
        <a
          href={"/observe/traces" + query({ ...state, trace: s.traceId })}
          data-row
          data-testid="trace-open"
          data-id={s.traceId}
        >
          {kindName(s.operation)}
          {name && (
            <>
              {" "}
              · <Foreign text={name} />
            </>
          )}
        </a>
        <div class="hint num">
          {s.spanCount} {s.spanCount === 1 ? "span" : "spans"}
          {tools.length > 0 && (
            <>
              {" "}
              ·{" "}
              <Foreign
                text={
                  tools
                    .slice(0, 4)
                    .map((t) => t.name + (t.calls > 1 ? " ×" + t.calls : ""))
                    .join(", ") + (tools.length > 4 ? ", and " + (tools.length - 4) + " more" : "")
                }
              />
            </>
          )}
          {s.toolErrors > 0 && (
            <span class="err">
              {" "}
              · {s.toolErrors} tool {s.toolErrors === 1 ? "error" : "errors"}
            </span>
          )}
        </div>
      </td>
      <td data-label="Model">
        {models.length === 0 ? (
          <span class="muted">—</span>
        ) : (
          <Foreign
            text={models[0]!.name + (models.length > 1 ? " and " + (models.length - 1) + " more" : "")}
          />
        )}
      </td>
      <td data-label="Duration" class="num" data-testid="trace-duration" data-ms={s.durationMs}>
        {lasts(s.durationMs)}
        <span class="spark" aria-hidden="true">
          <i style={{ width: Math.max(1, longest > 0 ? (s.durationMs / longest) * 100 : 0) + "%" }} />
        </span>
      </td>
      <td data-label="Tokens" class="num">
        {tokensOf(s.tokens)}
      </td>
      <td data-label="Cost" data-testid="trace-cost">
        {costOf(s)}
      </td>
      <td data-label="Status">
        <Standing of={s.outcome ?? s.status} tid="trace-status" />
        {s.errorType && s.outcome !== "cancelled" && (
          <div class="hint">
            <Foreign text={s.errorType} />
          </div>
        )}
      </td>
    </tr>
  );
}
