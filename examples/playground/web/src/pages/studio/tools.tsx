import { useEffect, useRef, useState } from "preact/hooks";
import { all, get, post, query, send } from "../../api/client";
import type { StudioTool, StudioToolList } from "../../api/types";
import { go, place, setQuery } from "../../router";
import { kept, useData, useLater } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Icon } from "../../ui/icons";
import { later } from "../../ui/later";
import { Ago, Button, Check, Dialog, Empty, Loading, ProblemView, toast } from "../../ui/parts";
import { Level, State, stateWord } from "../../ui/risk";
import { VList } from "../../ui/vlist";
import { Page } from "../../shell/page";
import { ExposureDrawer } from "../servers/exposure";
import { tryIn } from "./words";
import { download } from "./download";
import { categoryName, categoryRank } from "./words";
import { adopt } from "../../ui/style";
import css from "../../styles/tools.css" with { type: "text" };

adopt(css);

const Share = later(async () => (await import("./studioextras")).Share);

type Filter = {
  q: string;
  cat: string[];
  tag: string[];
  level: string[];
  state: string[];
  source: string[];
  sort: string;
};
const facets = ["cat", "tag", "level", "state", "source"] as const;

function readFilter(search: string): Filter {
  const q = new URLSearchParams(search);
  const list = (name: string) => (q.get(name) ?? "").split(",").filter(Boolean);
  return {
    q: q.get("q") ?? "",
    cat: list("cat"),
    tag: list("tag"),
    level: list("level"),
    state: list("state"),
    source: list("source"),
    sort: q.get("sort") ?? "",
  };
}

const names: Record<string, string> = {
  cat: "Category",
  tag: "Tags",
  level: "Level",
  state: "State",
  source: "Source",
};
const sourceName: Record<string, string> = { mine: "Mine", bundled: "Bundled", loaded: "Loaded" };
const withFilters = (n: number) => (n === 0 ? "" : " with " + n + (n === 1 ? " filter" : " filters"));
const showValue = (facet: string, v: string) =>
  facet === "cat"
    ? categoryName(v)
    : facet === "state"
      ? stateWord(v)
      : facet === "source"
        ? (sourceName[v] ?? v)
        : v;

function Pick({
  facet,
  chosen,
  counts,
  onChange,
}: {
  facet: string;
  chosen: string[];
  counts: Record<string, number>;
  onChange: (v: string[]) => void;
}) {
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const away = (e: MouseEvent) =>
      ref.current?.open && !ref.current.contains(e.target as Node) && (ref.current.open = false);
    document.addEventListener("click", away);
    return () => document.removeEventListener("click", away);
  }, []);
  const values = [...new Set([...Object.keys(counts), ...chosen])].sort((a, b) =>
    facet === "cat" ? categoryRank(a) - categoryRank(b) : a.localeCompare(b),
  );
  return (
    <details
      class="pick"
      ref={ref}
      onKeyDown={(e) =>
        e.key === "Escape" && ref.current?.open && (e.stopPropagation(), (ref.current.open = false))
      }
    >
      <summary class="btn" data-testid={"tools-" + facet}>
        {names[facet]}
        {chosen.length > 0 && <span class="badge">{chosen.length}</span>}
      </summary>
      <div>
        {values.map((v) => (
          <Check
            tid={"tools-" + facet + "-option"}
            dataId={v}
            checked={chosen.includes(v)}
            onChange={(on) => onChange(on ? [...chosen, v] : chosen.filter((c) => c !== v))}
          >
            {showValue(facet, v)} <span class="muted num">{counts[v] ?? 0}</span>
          </Check>
        ))}
        {values.length === 0 && <span class="muted">None</span>}
      </div>
    </details>
  );
}

type Line = { head: string; count: number; open: boolean } | { tool: StudioTool };

interface Listed {
  items: StudioTool[];
  first: StudioToolList;
}

/** Deleting waits a little, so that it can be undone. */
async function removeTool(t: StudioTool, gone: () => void) {
  const { data } = await send<{ spec: unknown }>("GET", "/api/tools/" + encodeURIComponent(t.id));
  await send("DELETE", "/api/tools/" + encodeURIComponent(t.id), undefined, {
    ifMatch: '"v' + t.version + '"',
  });
  gone();
  toast("Deleted " + t.name + ".", {
    label: "Undo",
    run: () =>
      void post("/api/tools", data.spec).then(() => (gone(), toast("Restored " + t.name + " as a draft."))),
  });
}

export function ToolList() {
  const [filter, setFilter] = useState(() => readFilter(place.value.query));
  const [exposing, expose] = useState(false);
  const [closed, setClosed] = useState<Record<string, boolean>>({});
  const [chosen, choose] = useState<Set<string>>(new Set());
  const [menu, setMenu] = useState("");
  const [retest, setRetest] = useState("");
  const [failure, fail] = useState<unknown>(null);
  const [stopped, setStopped] = useState<{ tool: StudioTool; done: number; why: string } | null>(null);
  const [tested, setTested] = useState<{ of: number; failed: string[] } | null>(null);
  const [sharing, share] = useState<StudioTool | null>(null);
  const halt = useRef(false);
  const q = useLater(filter.q, 120);
  const wanted = query({
    q,
    cat: filter.cat,
    tag: filter.tag,
    level: filter.level,
    state: filter.state,
    source: filter.source,
    sort: filter.sort,
  });
  useEffect(() => setQuery(wanted), [wanted]);
  const path = "/api/tools" + (wanted || "?");
  const [listed, setListed] = useState<Listed | null>(null);
  const { error, reload, loading } = useData<boolean>(
    async (signal) => {
      const first = await get<StudioToolList>(path + (path.endsWith("?") ? "" : "&") + "limit=200", signal);
      setListed({ first, items: first.items });
      if (first.nextCursor) {
        const items = await all<StudioTool>(path.endsWith("?") ? "/api/tools" : path, signal);
        setListed({ first, items });
      }
      return true;
    },
    [wanted],
    ["tools"],
  );
  const items = listed?.items ?? [];
  const total = listed?.first.total ?? 0;
  const filtered = filter.q !== "" || facets.some((f) => filter[f].length > 0);
  const clear = () =>
    setFilter({ q: "", cat: [], tag: [], level: [], state: [], source: [], sort: filter.sort });

  const lines: Line[] = [];
  if (filter.sort === "" && q === "") {
    const groups = new Map<string, StudioTool[]>();
    for (const t of items) groups.set(t.category, [...(groups.get(t.category) ?? []), t]);
    for (const [cat, tools] of [...groups].sort(([a], [b]) => categoryRank(a) - categoryRank(b))) {
      const open = !closed[cat];
      lines.push({ head: cat, count: tools.length, open });
      if (open) for (const tool of tools) lines.push({ tool });
    }
  } else for (const tool of items) lines.push({ tool });

  // The head of the group that is at the top stays in sight.
  const [group, setGroup] = useState<{ head: string; count: number } | null>(null);
  const under = (top: number) => {
    let at = 0;
    let now: { head: string; count: number } | null = null;
    for (const l of lines) {
      if ("head" in l) {
        if (at >= top) break;
        now = l;
      }
      at += "tool" in l ? rowHeight : 32;
      if (at > top) break;
    }
    if (now?.head !== group?.head) setGroup(now);
  };
  const compact = kept.read("lp-density") === "compact";
  const narrow = innerWidth <= 520;
  const rowHeight = narrow ? 68 : compact ? 32 : 44;

  const act = async (what: () => Promise<unknown>) => {
    fail(null);
    setMenu("");
    try {
      await what();
      reload();
    } catch (e) {
      fail(e);
    }
  };
  const selected = items.filter((t) => chosen.has(t.id));
  const bulk = (kind: "publish" | "unpublish" | "export" | "delete") =>
    act(async () => {
      setStopped(null);
      let done = 0;
      if (kind === "export") return download([...chosen], "tools");
      for (const t of selected) {
        if (kind === "delete") {
          if (t.source === "mine") await send("DELETE", "/api/tools/" + encodeURIComponent(t.id));
        } else if (kind === "unpublish") {
          if (t.published) await post("/api/tools/" + encodeURIComponent(t.id) + "/unpublish");
        } else if (!t.published) {
          if (t.state !== "passed") {
            setStopped({ tool: t, done, why: "holds no valid pass. Run its test first." });
            return;
          }
          if (t.level >= "L4") {
            setStopped({
              tool: t,
              done,
              why: "is " + t.level + ": it is published by itself, after its review.",
            });
            return;
          }
          const { data } = await send<{ receipt?: { id: string } }>(
            "GET",
            "/api/tools/" + encodeURIComponent(t.id),
          );
          await post("/api/tools/" + encodeURIComponent(t.id) + "/publish", {
            receipt: data.receipt?.id ?? "",
          });
          done++;
        }
      }
      choose(new Set());
      if (kind === "publish") toast("Published " + done + ".");
      if (kind === "unpublish")
        toast("Unpublished " + selected.filter((t) => t.published).length + ". Their passes stay valid.");
    });
  const retestAll = () =>
    act(async () => {
      let done = 0;
      halt.current = false;
      setTested(null);
      const failed: string[] = [];
      const mine = items.filter((t) => t.source === "mine");
      try {
        for (const t of mine) {
          if (halt.current) break;
          setRetest("Testing " + ++done + " of " + mine.length + "…");
          const { data } = await send<{ state: string }>(
            "POST",
            "/api/tools/" + encodeURIComponent(t.id) + "/runs?wait=1",
            {},
          );
          if (data.state !== "passed") failed.push(t.name);
        }
      } finally {
        setRetest("");
        setTested({ of: done, failed });
      }
    });
  const mine = items.filter((t) => t.source === "mine").length;

  return (
    <Page
      title="Tool Studio"
      own={[
        { id: "new-tool", label: "New tool", keys: "n", run: () => go("/tools/new") },
        { id: "exposure", label: "Published tools", run: () => expose(true) },
      ]}
    >
      <div class="stack tools">
        <div class="row spread">
          <span class="num" data-testid="tools-count" role="status">
            {listed ? total + " of " + listed.first.all : "…"}
          </span>
          <span class="row">
            {retest && (
              <>
                <span class="muted num" role="status">
                  {retest}
                </span>
                <Button tid="tools-retest-stop" small onClick={() => (halt.current = true)}>
                  Stop
                </Button>
              </>
            )}
            <Button tid="tools-exposure" onClick={() => expose(true)}>
              Published tools
            </Button>
            <Button
              tid="tools-retest"
              onClick={retestAll}
              disabled={retest !== "" || mine === 0}
              title={
                mine === 0
                  ? "None of the tools in the list is yours"
                  : "Runs the test of each of your tools in the list"
              }
            >
              Re-test mine
            </Button>
            <Button tid="tools-export" onClick={() => act(() => download([], "tools"))}>
              Export mine
            </Button>
            <a class="btn" href="/tools/import" data-testid="tools-import">
              Import
            </a>
            <a class="btn primary" href="/tools/new" data-testid="tools-new">
              <Icon name="plus" />
              New tool
            </a>
          </span>
        </div>
        <div class="filters" role="search">
          <input
            class="input search"
            type="search"
            data-filter
            data-testid="tools-search"
            aria-label="Search tools"
            placeholder="Search name, description, tag   /"
            value={filter.q}
            onInput={(e) => setFilter({ ...filter, q: e.currentTarget.value })}
            onKeyDown={(e) => e.key === "Escape" && setFilter({ ...filter, q: "" })}
          />
          {facets.map((f) => (
            <Pick
              facet={f}
              chosen={filter[f]}
              onChange={(v) => setFilter({ ...filter, [f]: v })}
              counts={
                (listed &&
                  {
                    cat: listed.first.facets.categories,
                    tag: listed.first.facets.tags,
                    level: listed.first.facets.levels,
                    state: listed.first.facets.states,
                    source: listed.first.facets.sources,
                  }[f]) ||
                {}
              }
            />
          ))}
          <select
            class="input"
            aria-label="Order"
            data-testid="tools-sort"
            value={filter.sort}
            onChange={(e) => setFilter({ ...filter, sort: e.currentTarget.value })}
          >
            <option value="">{q ? "Best first" : "By category"}</option>
            <option value="name">By name</option>
            <option value="-edited">Recently edited</option>
            <option value="-level">Highest level</option>
            <option value="-passed">Recently passed</option>
          </select>
          {filtered && (
            <Button tid="tools-clear" kind="quiet" onClick={clear}>
              Clear filters
            </Button>
          )}
        </div>
        {failure !== null && <ProblemView error={failure} />}
        {stopped && (
          <div class="note mid row spread" data-testid="bulk-stopped" role="alert">
            <span class="wrap">
              Stopped at{" "}
              <a href={"/tools/" + encodeURIComponent(stopped.tool.id)} data-testid="bulk-stopped-tool">
                <Foreign text={stopped.tool.name} />
              </a>
              : it {stopped.why}{" "}
              {stopped.done === 0
                ? "None was published."
                : stopped.done + " before it " + (stopped.done === 1 ? "was" : "were") + " published."}
            </span>
            <Button
              tid="bulk-stopped-close"
              small
              kind="quiet"
              icon="close"
              label="Dismiss"
              onClick={() => setStopped(null)}
            />
          </div>
        )}
        {tested && (
          <div
            class={"note row spread " + (tested.failed.length > 0 ? "mid" : "")}
            data-testid="tools-tested"
            role="status"
          >
            <span class="wrap">
              Tested {tested.of}: {tested.of - tested.failed.length} passed
              {tested.failed.length > 0 && (
                <>
                  , {tested.failed.length} failed:{" "}
                  <Foreign
                    text={tested.failed.slice(0, 8).join(", ") + (tested.failed.length > 8 ? " …" : "")}
                  />
                </>
              )}
              .
            </span>
            <span class="row">
              {tested.failed.length > 0 && (
                <Button
                  tid="tools-tested-show"
                  small
                  onClick={() =>
                    setFilter({
                      ...filter,
                      q: "",
                      cat: [],
                      tag: [],
                      level: [],
                      source: [],
                      state: ["test_failed"],
                    })
                  }
                >
                  Show those that failed
                </Button>
              )}
              <Button
                tid="tools-tested-close"
                small
                kind="quiet"
                icon="close"
                label="Dismiss"
                onClick={() => setTested(null)}
              />
            </span>
          </div>
        )}
        {error !== null && <ProblemView error={error} retry={reload} />}
        {listed?.first.unreadable && (
          <div class="note bad">
            These stored documents cannot be read: {listed.first.unreadable.join(", ")}
          </div>
        )}
        {chosen.size > 0 && (
          <div class="row note" data-testid="tools-bulk">
            <span class="num">
              {chosen.size} of {total} chosen
            </span>
            {chosen.size < items.length && (
              <Button
                tid="bulk-all"
                small
                kind="quiet"
                onClick={() => choose(new Set(items.map((t) => t.id)))}
              >
                All {items.length} in the list
              </Button>
            )}
            <Button tid="bulk-publish" small onClick={() => bulk("publish")}>
              Publish
            </Button>
            <Button tid="bulk-unpublish" small onClick={() => bulk("unpublish")}>
              Unpublish
            </Button>
            <Button tid="bulk-export" small onClick={() => bulk("export")}>
              Export
            </Button>
            <Button tid="bulk-delete" small kind="danger" onClick={() => setMenu("delete-many")}>
              Delete mine
            </Button>
            <Button tid="bulk-none" small kind="quiet" onClick={() => choose(new Set())}>
              None
            </Button>
          </div>
        )}
        {!listed && error === null && <Loading what="tools" lines={10} />}
        {listed &&
          items.length === 0 &&
          !loading &&
          (filtered ? (
            <Empty
              title={
                "No tool matches" +
                (filter.q ? ' "' + filter.q + '"' : "") +
                withFilters(facets.filter((f) => filter[f].length > 0).length)
              }
            >
              <Button tid="empty-clear" kind="primary" onClick={clear}>
                Clear filters
              </Button>
            </Empty>
          ) : (
            <Empty title="No tools yet">
              <p>A tool is a few lines of JavaScript that say what they touch.</p>
              <a class="btn primary" href="/tools/new" data-testid="empty-new">
                Make the first one
              </a>
            </Empty>
          ))}
        {items.length > 0 && (
          <div class="stuck" onScrollCapture={(e) => under((e.target as HTMLElement).scrollTop)}>
            {group && (
              <div class="group" aria-hidden="true">
                {categoryName(group.head)} <span class="num muted">{group.count}</span>
              </div>
            )}
            <VList
              tid="tools-list"
              label="Tools"
              items={lines}
              keyOf={(l) => ("tool" in l ? l.tool.id : "head " + l.head)}
              heightOf={(l) => ("tool" in l ? rowHeight : 32)}
            >
              {(l) =>
                "tool" in l ? (
                  <div class="line" data-testid="tool-row" data-id={l.tool.id}>
                    <input
                      type="checkbox"
                      class="opt"
                      aria-label={"Choose " + l.tool.name}
                      data-testid="tool-choose"
                      checked={chosen.has(l.tool.id)}
                      onChange={(e) =>
                        choose((c) =>
                          e.currentTarget.checked
                            ? new Set([...c, l.tool.id])
                            : new Set([...c].filter((x) => x !== l.tool.id)),
                        )
                      }
                    />
                    <a
                      class="name"
                      href={"/tools/" + encodeURIComponent(l.tool.id)}
                      data-row
                      data-testid="tool-open"
                      data-id={l.tool.id}
                    >
                      <Foreign text={l.tool.name} />
                    </a>
                    <State
                      state={l.tool.state}
                      tid="tool-state"
                      title={
                        l.tool.failure ||
                        (l.tool.missing ? "Missing: " + l.tool.missing.join(", ") : undefined)
                      }
                    />
                    <Level level={l.tool.level} draft={l.tool.serving === "no_pass"} />
                    {l.tool.approval && (
                      <span
                        class="opt"
                        title="A person is asked before each call"
                        role="img"
                        aria-label="Asks a person"
                      >
                        <Icon name="hand" />
                      </span>
                    )}
                    <span class="desc">
                      <Foreign text={l.tool.description} />
                    </span>
                    {l.tool.tags.slice(0, 2).map((t) => (
                      <span class="chip tag opt">{t}</span>
                    ))}
                    <span class="chip opt">{sourceName[l.tool.source]}</span>
                    <span class="muted small opt">{l.tool.passedAt ? <Ago at={l.tool.passedAt} /> : ""}</span>
                    <Button
                      tid="tool-menu"
                      dataId={l.tool.id}
                      small
                      kind="quiet"
                      icon="more"
                      label={"More about " + l.tool.name}
                      onClick={() => setMenu(menu === l.tool.id ? "" : l.tool.id)}
                    />
                  </div>
                ) : (
                  <div class="line head">
                    <Button
                      tid="tools-group"
                      dataId={l.head}
                      small
                      kind="quiet"
                      icon={l.open ? "down" : "unfold"}
                      onClick={() => setClosed({ ...closed, [l.head]: l.open })}
                    >
                      {categoryName(l.head)} <span class="num muted">{l.count}</span>
                    </Button>
                  </div>
                )
              }
            </VList>
          </div>
        )}
      </div>
      {items.some((t) => t.id === menu) &&
        (() => {
          const t = items.find((x) => x.id === menu)!;
          const at = "/api/tools/" + encodeURIComponent(t.id);
          return (
            <Dialog tid="tool-actions" title={t.name} onClose={() => setMenu("")}>
              <div class="row">
                <Button tid="action-open" onClick={() => go("/tools/" + encodeURIComponent(t.id))}>
                  Open
                </Button>
                <Button
                  tid="action-test"
                  onClick={() =>
                    act(async () => {
                      const { data } = await send<{ state: string; message?: string }>(
                        "POST",
                        at + "/runs?wait=1",
                        {},
                      );
                      toast(
                        data.state === "passed"
                          ? t.name + " passed."
                          : t.name + ": " + (data.message ?? data.state),
                        undefined,
                        data.state !== "passed",
                      );
                    })
                  }
                >
                  Test
                </Button>
                <Button
                  tid="action-fork"
                  onClick={() =>
                    act(async () => {
                      const { data } = await send<{ id: string }>("POST", at + "/fork");
                      go("/tools/" + encodeURIComponent(data.id));
                    })
                  }
                >
                  Fork
                </Button>
                <Button tid="action-export" onClick={() => act(() => download([t.id], t.name))}>
                  Export JSON
                </Button>
                <Button tid="action-share" onClick={() => (setMenu(""), share(t))}>
                  Use elsewhere
                </Button>
                {t.live && (
                  <a class="btn" href={tryIn(t.name)} data-testid="action-chat">
                    Use in chat
                  </a>
                )}
                {t.state === "hidden" && t.serving !== "name_taken" && (
                  <Button
                    tid="action-expose"
                    onClick={() =>
                      act(async () => {
                        await post(at + "/expose");
                        toast("Clients are offered " + t.name + ".");
                      })
                    }
                  >
                    Offer to clients
                  </Button>
                )}
                {t.published && (
                  <Button
                    tid="action-unpublish"
                    onClick={() =>
                      act(async () => {
                        await post(at + "/unpublish");
                        toast(t.name + " is unpublished. Its pass stays valid.");
                      })
                    }
                  >
                    Unpublish
                  </Button>
                )}
                {t.source === "mine" && (
                  <Button tid="action-delete" kind="danger" onClick={() => act(() => removeTool(t, reload))}>
                    Delete
                  </Button>
                )}
              </div>
              {t.live && t.source === "mine" && <p class="hint">Deleting unpublishes it at once.</p>}
            </Dialog>
          );
        })()}
      {menu === "delete-many" && (
        <Dialog
          tid="delete-many"
          title={"Delete " + selected.filter((t) => t.source === "mine").length + " tools?"}
          onClose={() => setMenu("")}
        >
          <p class="wrap">
            {selected
              .filter((t) => t.source === "mine")
              .map((t) => t.name)
              .join(", ")}
            . Those that are live are unpublished. This cannot be undone; export them first to keep a copy.
          </p>
          <footer>
            <Button tid="delete-many-cancel" onClick={() => setMenu("")}>
              Keep them
            </Button>
            <Button tid="delete-many-confirm" kind="danger" onClick={() => bulk("delete")}>
              Delete tools
            </Button>
          </footer>
        </Dialog>
      )}
      {sharing && <Share tool={sharing} onClose={() => share(null)} />}
      {exposing && <ExposureDrawer onClose={() => expose(false)} />}
    </Page>
  );
}
