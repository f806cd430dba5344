import { get, post } from "../api/client";
import type { ServerHome, ServerTourStep } from "../api/types";
import { go } from "../router";
import { useData } from "../ui/data";
import { Foreign } from "../ui/hostile";
import { Icon } from "../ui/icons";
import { Ago, bytes, Button, Copy, Loading, ms, ProblemView } from "../ui/parts";
import { Level, levelWords } from "../ui/risk";
import { Page } from "../shell/page";

const steps: Record<string, [string, string, string]> = {
  make: ["Make a tool", "Begin with a sample of six lines, and save it.", "Open the editor"],
  test: ["Test it", "Its own test values run in the sandbox. A success is its Local Pass.", "Run the test"],
  publish: ["Publish it", "Look at what it may do, then put it on the endpoint.", "Review"],
  call: ["Call it", "From your own MCP client: copy its configuration and ask for the tool.", "Connect a client"],
  break: ["Break it on purpose", "Change one line of a live tool and save: no pass, no run.", "Edit one line"],
};

function target(step: ServerTourStep): string {
  const tool = step.toolId ? "/tools/" + encodeURIComponent(step.toolId) : "/tools/new?from=sample";
  switch (step.id) {
    case "make":
      return step.toolId ? tool : "/tools/new?from=sample";
    case "publish":
      return step.toolId ? tool + "/review" : tool;
    case "call":
      return "/servers/builtin?connect=1";
    default:
      return tool;
  }
}

function Tour({ home, reload }: { home: ServerHome; reload: () => void }) {
  const tour = home.tour;
  if (tour.skipped) return null;
  const done = tour.steps.filter((s) => s.doneAt).length;
  return (
    <section class="card stack" aria-labelledby="tour-title" data-testid="home-tour">
      <div class="row spread">
        <h2 id="tour-title">{done === tour.steps.length ? "You did all five steps" : "Try it in five steps"}</h2>
        <Button tid="tour-skip" small kind="quiet" onClick={async () => (await post("/api/tour", { skipped: true }), reload())}>
          {done === tour.steps.length ? "Hide" : "Skip the tour"}
        </Button>
      </div>
      <ol class="steps">
        {tour.steps.map((s, i) => {
          const [title, text, action] = steps[s.id] ?? [s.id, "", "Open"];
          return (
            <li class={s.doneAt ? "done" : ""} data-testid="tour-step" data-id={s.id} data-done={s.doneAt ? "yes" : "no"}>
              <span class="mark" aria-label={s.doneAt ? "Done" : "Step " + (i + 1)} role="img">
                {s.doneAt ? <Icon name="check" /> : i + 1}
              </span>
              <span>
                <strong>{title}</strong>
                <br />
                <span class="muted">{text}</span>
              </span>
              <Button tid="tour-go" dataId={s.id} small kind={!s.doneAt && i === done ? "primary" : undefined} onClick={() => go(target(s))}>
                {action}
              </Button>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

export function Home() {
  const { data, error, reload } = useData<ServerHome>((s) => get("/api/home", s), [], ["home", "tools", "servers", "approvals", "settings"]);
  return (
    <Page title="Home">
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the overview" lines={8} />}
      {data && (
        <div class="home">
          <div class="stack">
            <div class="hero stack tight">
              <h2>No pass, no run.</h2>
              <p class="muted">A tool says what it touches, proves itself in the sandbox, and only then do models get to call it.</p>
            </div>
            <Tour home={data} reload={reload} />
            {data.attention.length > 0 && (
              <section class="card stack tight" aria-labelledby="attention-title" data-testid="home-attention">
                <h2 id="attention-title">Needs attention</h2>
                <ul class="stack tight">
                  {data.attention.map((a) => (
                    <li class="row spread">
                      <Foreign text={a.text} />
                      <a href={a.where} data-testid="attention-open">Open</a>
                    </li>
                  ))}
                </ul>
              </section>
            )}
            <section class="card stack tight" aria-labelledby="recent-title" data-testid="home-recent">
              <h2 id="recent-title">Recent calls</h2>
              {data.recent.length === 0 ? (
                <p class="muted">Nobody has called a tool since this program started.</p>
              ) : (
                <table class="cards">
                  <thead>
                    <tr>
                      <th scope="col">Tool</th>
                      <th scope="col">Outcome</th>
                      <th scope="col">By</th>
                      <th scope="col">Took</th>
                      <th scope="col">When</th>
                    </tr>
                  </thead>
                  <tbody>
                    {data.recent.map((c) => (
                      <tr data-testid="recent-call">
                        <td>{c.tool}</td>
                        <td data-label="Outcome" class={c.ok ? "ok" : "err"}>{c.ok ? "ok" : [c.kind, c.reason].filter(Boolean).join(" ")}</td>
                        <td data-label="By">{c.by}{c.via ? " via " + c.via : ""}</td>
                        <td data-label="Took">{ms(c.durationMs)}</td>
                        <td data-label="When"><Ago at={c.at} /></td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )}
            </section>
          </div>
          <div class="stack">
            <section class="card stack" aria-labelledby="live-title">
              <h2 id="live-title">What is live now</h2>
              <div class="endpoint">
                <code title={data.endpoint}>{data.endpoint}</code>
                <Copy tid="endpoint-copy" text={data.endpoint} />
              </div>
              {!data.ready && <p class="warn">Tools of this home still earn their pass…</p>}
              <div class="kpis">
                <a class="kpi" href="/servers/builtin" data-testid="kpi-live">
                  <b>{data.live}</b> tools published
                </a>
                <a class="kpi" href="/servers" data-testid="kpi-servers">
                  <b>{Object.values(data.servers).reduce((a, b) => a + b, 0)}</b> servers
                </a>
                <a class="kpi" href="/approvals" data-testid="kpi-pending">
                  <b>{data.pending}</b> approvals wait
                </a>
                <div class="kpi">
                  <b>{data.calls}</b> calls
                </div>
              </div>
              <ul class="stack tight" aria-label="Published tools by risk">
                {Object.keys(levelWords).filter((l) => data.levels[l]).map((l) => (
                  <li class="row spread">
                    <Level level={l} />
                    <a href={"/tools?level=" + l + "&state=live"} data-testid="home-level" data-id={l} class="num">
                      {data.levels[l]} {data.levels[l] === 1 ? "tool" : "tools"}
                    </a>
                  </li>
                ))}
              </ul>
              <div class="row">
                <a class="btn" href="/servers/builtin?connect=1" data-testid="home-connect">Add to your editor</a>
                <a class="btn" href="/tools" data-testid="home-tools">All tools</a>
              </div>
            </section>
            <section class="card stack tight" aria-labelledby="health-title">
              <h2 id="health-title">Health</h2>
              <dl class="kv">
                <dt>Version</dt>
                <dd>{data.health.version}, {data.health.go}, {data.health.system}</dd>
                <dt>Started</dt>
                <dd><Ago at={data.health.startedAt} /></dd>
                <dt>State</dt>
                <dd><code>{data.health.home}</code>, {bytes(data.health.stateBytes)}</dd>
              </dl>
            </section>
          </div>
        </div>
      )}
    </Page>
  );
}
