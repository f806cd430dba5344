import { get, query } from "../../api/client";
import type { ObservePage, ObserveSummary } from "../../api/types";
import { useData } from "../../ui/data";
import { Loading, ms, ProblemView } from "../../ui/parts";
import { adopt } from "../../ui/style";
import { pathOf, seriesOf, sumsOf } from "./series";
import css from "../../styles/dashboard.css" with { type: "text" };

adopt(css);

const hour = 3_600_000;
const parts = 30; // of two minutes
const most = 1000; // traces that are read

interface LastHour {
  list: ObserveSummary[];
  to: number;
  /** There were more traces than are read. */
  more: boolean;
}

async function read(signal: AbortSignal): Promise<LastHour> {
  const list: ObserveSummary[] = [];
  let cursor = "";
  let to = Date.now();
  do {
    const page = await get<ObservePage>(
      "/api/observe/traces" + query({ win: "1h", limit: 200, cursor }),
      signal,
    );
    list.push(...page.items);
    if (cursor === "") to = Date.parse(page.to);
    cursor = page.nextCursor ?? "";
  } while (cursor !== "" && list.length < most);
  return { list, to, more: cursor !== "" };
}

const width = 160;
const height = 36;

/** Spark is a line without axes: the number beside it tells how much. */
function Spark({ list, bad }: { list: number[]; bad: boolean }) {
  return (
    <svg
      class={"spark" + (bad ? " bad" : "")}
      viewBox={"0 -2 " + width + " " + (height + 4)}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={pathOf(list, width, height)} />
    </svg>
  );
}

function Tile({
  id,
  name,
  value,
  list,
  href,
  bad = false,
}: {
  id: string;
  name: string;
  value: string;
  list: number[];
  href: string;
  bad?: boolean;
}) {
  return (
    <a class="kpi tile" href={href} data-testid="dash-tile" data-id={id}>
      <b class={bad ? "err" : ""}>{value}</b> {name}
      <Spark list={list} bad={bad} />
    </a>
  );
}

/** Dashboard is what happened in the last hour, from the traces of this run of the program. */
export function Dashboard() {
  const { data, error, reload } = useData<LastHour>(read, [], ["observe"]);
  return (
    <section class="card stack" aria-labelledby="dash-title" data-testid="home-dashboard">
      <h2 id="dash-title">The last hour</h2>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the last hour" lines={3} />}
      {data && <Tiles {...data} />}
    </section>
  );
}

function Tiles({ list, to, more }: LastHour) {
  const sums = sumsOf(list);
  const series = seriesOf(list, to - hour, to, parts);
  const plus = more ? "+" : "";
  const n = (x: number) => x.toLocaleString("en") + plus;
  return (
    <>
      <div class="kpis">
        <Tile
          id="calls"
          name={sums.calls === 1 ? "tool call" : "tool calls"}
          value={n(sums.calls)}
          list={series.calls}
          href="/observe/traces?win=1h"
        />
        <Tile
          id="failures"
          name={sums.failures === 1 ? "failure" : "failures"}
          value={n(sums.failures)}
          list={series.failures}
          href="/observe/traces?win=1h&status=error"
          bad={sums.failures > 0}
        />
        <Tile
          id="latency"
          name="median duration"
          value={sums.latency > 0 ? ms(sums.latency) : "–"}
          list={series.latency}
          href="/observe/traces?win=1h"
        />
        <Tile
          id="tokens"
          name="tokens"
          value={sums.tokens === null ? "–" : n(sums.tokens)}
          list={series.tokens}
          href="/observe/traces?win=1h"
        />
      </div>
      {list.length === 0 && <p class="muted">No tool was called and no question was asked in this hour.</p>}
      {more && <p class="hint">Counted are the latest {list.length.toLocaleString("en")} traces.</p>}
    </>
  );
}
