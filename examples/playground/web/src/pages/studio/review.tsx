import { useEffect, useRef, useState } from "preact/hooks";
import { get, post } from "../../api/client";
import type { ServerMeta, StudioDiff, StudioPublished, StudioToolDetail } from "../../api/types";
import { go } from "../../router";
import { useData } from "../../ui/data";
import { Ago, announce, Button, Check, Copy, Loading, ProblemView, Text, toast } from "../../ui/parts";
import { Level, levelWords, levelOf, rankOf } from "../../ui/risk";
import { Page } from "../../shell/page";
import { DiffRows } from "./diff";
import { inspectOwn } from "./selfinspect";
import { tryIn } from "./words";

/** Review is one screen before each publish: what is live now, and what will be. */
export function Review({ args }: { args: string[] }) {
  const id = args[0] ?? "";
  const at = "/api/tools/" + encodeURIComponent(id);
  const { data, error, reload } = useData<{ tool: StudioToolDetail; diff: StudioDiff; meta: ServerMeta }>(
    async (s) => {
      const [tool, diff, meta] = await Promise.all([
        get<StudioToolDetail>(at, s),
        get<StudioDiff>(at + "/diff?against=live", s),
        get<ServerMeta>("/api/meta", s),
      ]);
      return { tool, diff, meta };
    },
    [id],
  );
  const [read, setRead] = useState(false);
  const [name, setName] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  const [done, setDone] = useState<StudioPublished | null>(null);
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), [done]); // the button that had the focus is gone
  const tool = data?.tool;
  const rank = tool ? rankOf(tool.level) : 0;
  const reason = !tool
    ? ""
    : !tool.receipt
      ? "It holds no valid pass: run its test first."
      : tool.missing
        ? "No value for " + tool.missing.join(", ") + "."
        : rank === 4 && !read
          ? "Tick that you reviewed what it can reach."
          : rank >= 5 && name !== tool.name
            ? "Type the name of the tool."
            : "";
  const publish = async () => {
    if (!tool?.receipt) return;
    setBusy(true);
    fail(null);
    try {
      const body: Record<string, unknown> = { receipt: tool.receipt.id };
      if (rank === 4) body.confirm = true;
      if (rank >= 5) body.confirm = name;
      const p = await post<StudioPublished>(at + "/publish", body);
      setDone(p);
      announce("Published");
      toast(p.tool.step?.text ?? "Live on /mcp as " + p.tool.name);
    } catch (e) {
      fail(e);
    } finally {
      setBusy(false);
    }
  };
  const inspect = async (name: string) => {
    setBusy(true);
    fail(null);
    try {
      go(await inspectOwn(name));
    } catch (e) {
      fail(e);
      setBusy(false);
    }
  };
  const crumbs: [string, string][] = [
    ["Tool Studio", "/tools"],
    [tool?.name ?? "Tool", "/tools/" + encodeURIComponent(id)],
  ];
  return (
    <Page title="Publish review" crumbs={crumbs}>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the review" />}
      {data && tool && !done && (
        <div class="stack">
          <div class="sides">
            <section class="card stack tight">
              <h2>Live now</h2>
              {data.diff.difference.from ? (
                <>
                  <strong>{data.diff.difference.from.name}</strong>
                  <Level level={data.diff.difference.from.level} full />
                </>
              ) : (
                <p class="muted">Not published yet.</p>
              )}
            </section>
            <section class="card stack tight">
              <h2>After publishing</h2>
              <strong>{tool.name}</strong>
              <Level level={tool.level} mitigated={tool.mitigatedLevel} full />
              <p class="hint">Every MCP client that is offered it can call it.</p>
            </section>
          </div>
          <section class="card stack tight" aria-labelledby="unasked-title">
            <h2 id="unasked-title">What it may do unasked</h2>
            <p class="wrap" data-testid="review-unasked">
              {tool.unasked}{" "}
              <a href="/approvals/policies" data-testid="review-policies">
                Policies
              </a>{" "}
              can ask or refuse beyond that.
            </p>
          </section>
          <section class="card stack">
            <h2>What changes</h2>
            <DiffRows difference={data.diff.difference} />
          </section>
          <section class="card stack">
            <h2>Receipt</h2>
            {tool.receipt ? (
              <dl class="kv" data-testid="review-receipt">
                <dt>Passed</dt>
                <dd>
                  <Ago at={tool.receipt.at} />, {tool.receipt.cases}{" "}
                  {tool.receipt.cases === 1 ? "case" : "cases"}, {tool.receipt.durationMs} ms
                </dd>
                <dt>Content</dt>
                <dd class="mono">{tool.receipt.contentHash}</dd>
                <dt>Runtime</dt>
                <dd>
                  {[tool.receipt.runtime.id, tool.receipt.runtime.version, tool.receipt.runtime.tier]
                    .filter(Boolean)
                    .join(" ")}
                </dd>
                <dt>Reasons</dt>
                <dd>{tool.reasons.join("; ") || "It reaches nothing."}</dd>
              </dl>
            ) : (
              <p class="err">
                None: run its test first.{" "}
                <a href={"/tools/" + encodeURIComponent(id)} data-testid="review-editor">
                  Open the editor
                </a>
              </p>
            )}
            {tool.diagnostics.map((d) => (
              <p
                class={"wrap " + (d.severity === "error" ? "err" : "warn")}
                data-testid="review-finding"
                data-reason={d.reason}
              >
                {d.severity === "error" ? "Refused, " : ""}
                {d.reason}, <code>{d.path || "document"}</code>: {d.message}. {d.fix}
              </p>
            ))}
          </section>
          <section class="card stack">
            <h2>
              {tool.level} {levelWords[levelOf(tool.level)]}
            </h2>
            {rank >= 3 && tool.posture && (
              <p class="wrap" data-testid="review-reach">
                {tool.posture.network.mode !== "blocked" &&
                  "Network: " +
                    (tool.posture.network.mode === "allowlist"
                      ? (tool.posture.network.hosts ?? []).join(", ")
                      : tool.posture.network.mode) +
                    ". "}
                {(tool.posture.fileRead || tool.posture.fileWrite) &&
                  "Files: " +
                    [tool.posture.fileRead && "read", tool.posture.fileWrite && "write"]
                      .filter(Boolean)
                      .join(" and ") +
                    " " +
                    (tool.posture.fsBasePath || "in the workspace") +
                    "."}
              </p>
            )}
            {rank === 4 && (
              <Check tid="publish-read" checked={read} onChange={setRead}>
                I reviewed what this tool can reach.
              </Check>
            )}
            {rank >= 5 && (
              <Text
                tid="publish-name"
                label={"Type " + tool.name + " to publish"}
                mono
                value={name}
                onInput={setName}
              />
            )}
            {failure !== null && <ProblemView error={failure} />}
            <div class="row">
              <Button tid="publish-cancel" onClick={() => go("/tools/" + encodeURIComponent(id))}>
                Back to the editor
              </Button>
              <Button
                tid="publish-confirm"
                kind="primary"
                busy={busy}
                disabled={reason !== ""}
                describedBy="publish-reason"
                onClick={() => void publish()}
              >
                Publish tool
              </Button>
              <span class="hint" id="publish-reason" data-testid="publish-reason">
                {reason}
              </span>
            </div>
          </section>
        </div>
      )}
      {done && data && (
        <div class="card stack" data-testid="published">
          <h2 tabIndex={-1} ref={title}>
            {done.tool.live ? "Live on /mcp as " : "Published: "}
            {done.tool.name}
          </h2>
          {done.tool.step && <p data-testid="published-step">{done.tool.step.text}</p>}
          {done.tool.step?.path && (
            <div>
              <Button
                tid="published-expose"
                kind="primary"
                onClick={() =>
                  void post<StudioToolDetail>(done.tool.step!.path!).then(
                    (tool) => setDone({ ...done, tool }),
                    fail,
                  )
                }
              >
                Offer to clients
              </Button>
            </div>
          )}
          <div class="endpoint">
            <code>{data.meta.endpoint}</code>
            <Copy tid="published-copy" text={data.meta.endpoint} label="Copy for client" />
          </div>
          <div class="row">
            <a class="btn primary" href={tryIn(done.tool.name)} data-testid="published-chat">
              Try in chat
            </a>
            <a class="btn" href="/servers/builtin?connect=1" data-testid="published-connect">
              Connect a client
            </a>
            <Button
              tid="published-inspect"
              busy={busy}
              title="Connects this program to its own endpoint, as a client would be"
              onClick={() => void inspect(done.tool.name)}
            >
              Open in inspector
            </Button>
            <a class="btn" href={"/tools/" + encodeURIComponent(id)} data-testid="published-editor">
              Back to the editor
            </a>
            <a class="btn" href="/" data-testid="published-home">
              Home
            </a>
          </div>
          {failure !== null && <ProblemView error={failure} />}
        </div>
      )}
    </Page>
  );
}
