import { useState } from "preact/hooks";
import { get, post } from "../../api/client";
import type { ServerCheckList, ServerDiagnostics } from "../../api/types";
import { go } from "../../router";
import { useData } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Ago, bytes, Button, Copy, Loading, ms, ProblemView } from "../../ui/parts";

/** About tells what runs here, tries it, and gives what somebody needs who is asked for help. */
export function About() {
  const { data, error, reload } = useData<ServerDiagnostics>((s) => get("/api/diagnostics", s), []);
  const [checked, set] = useState<ServerCheckList | null>(null);
  const [busy, setBusy] = useState(false);
  const [failure, fail] = useState<unknown>(null);
  const check = async () => {
    setBusy(true);
    fail(null);
    try {
      set(await post<ServerCheckList>("/api/diagnostics/check"));
      reload();
    } catch (e) {
      fail(e);
    }
    setBusy(false);
  };
  const items = checked?.items ?? data?.checks ?? [];
  const bad = items.filter((c) => !c.ok).length;
  return (
    <>
      {error !== null && <ProblemView error={error} retry={reload} />}
      {!data && error === null && <Loading what="the facts" lines={5} />}
      {data && (
        <dl class="kv">
          <dt>Version</dt>
          <dd>
            {data.version}
            {data.revision ? ", commit " + data.revision.slice(0, 12) : ""}
          </dd>
          <dt>Built with</dt>
          <dd>
            {data.go}, {data.system}
          </dd>
          <dt>Page</dt>
          <dd class="mono">{data.assets}</dd>
          <dt>Started</dt>
          <dd>
            <Ago at={data.startedAt} />
          </dd>
          <dt>Sandbox</dt>
          <dd>
            {[data.sandbox.runtime.id, data.sandbox.runtime.version, data.sandbox.runtime.tier]
              .filter(Boolean)
              .join(", ")}
            {data.sandbox.layers?.length ? "; layers: " + data.sandbox.layers.join(", ") : ""}
          </dd>
          <dt>Memory</dt>
          <dd>{bytes(data.heapBytes)} in use</dd>
          <dt>Sends home</dt>
          <dd>Nothing.</dd>
        </dl>
      )}
      {data && data.sandbox.weaker?.length > 0 && (
        <details>
          <summary data-testid="about-weaker">
            What holds less on this machine ({data.sandbox.weaker.length})
          </summary>
          <ul class="bullets">
            {data.sandbox.weaker.map((w) => (
              <li class="wrap">{w}</li>
            ))}
          </ul>
        </details>
      )}
      <h3>Self-check</h3>
      <p class="hint">
        It writes to the home, looks at the keys, runs a tool in the sandbox, follows the audit log from its
        beginning, and asks for the model.
      </p>
      {failure !== null && <ProblemView error={failure} retry={() => void check()} />}
      {items.length > 0 && (
        <>
          <p role="status" class={bad > 0 ? "err" : "ok"} data-testid="check-summary">
            {bad > 0 ? bad + " of " + items.length + " do not hold." : "All " + items.length + " hold."}
          </p>
          <ul class="checks" data-testid="check-list">
            {items.map((c) => (
              <li data-testid="check-row" data-id={c.id} data-ok={c.ok ? "yes" : "no"}>
                <strong class={c.ok ? "ok" : "err"}>{c.ok ? "✓ holds" : "✗ fails"}</strong>
                <span class="wrap grow">
                  {c.name}.{" "}
                  <span class="muted">
                    <Foreign text={c.detail} />
                  </span>
                  {c.remedy && (
                    <>
                      <br />
                      {c.remedy}
                    </>
                  )}
                </span>
                <span class="muted num">{ms(c.durationMs)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <div class="row">
        <Button tid="self-check" kind="primary" busy={busy} onClick={() => void check()}>
          Run the self-check
        </Button>
      </div>
      <h3>For a report</h3>
      <p class="hint">
        Versions, settings, the sandbox, how servers and the model are, and the last self-check. No secret, no
        address of a server, nothing that was written or answered.
      </p>
      <div class="row">
        {data && (
          <Copy tid="diagnostics-copy" text={JSON.stringify(data, null, 2)} label="Copy diagnostics" />
        )}
        <a
          class="btn small"
          href="/api/diagnostics"
          download="localpass-diagnostics.json"
          data-testid="diagnostics-download"
        >
          Download diagnostics
        </a>
      </div>
      <h3>More</h3>
      <div class="row">
        <Button
          tid="tour-again"
          onClick={() => void post("/api/tour", { skipped: false }).then(() => go("/"), fail)}
        >
          Show the tour again
        </Button>
        <a class="btn" href="/api/openapi.json" data-testid="about-api">
          The API, OpenAPI 3.1
        </a>
        <a class="btn" href="/assets/NOTICES.txt" data-testid="about-notices">
          Licences of the page
        </a>
      </div>
    </>
  );
}
