import { useEffect, useRef, useState } from "preact/hooks";
import { get, post, send } from "../../api/client";
import type { ChatAPIModels, ServerModelState } from "../../api/types";
import { useData } from "../../ui/data";
import { bytes, Button, Loading, ms, ProblemView, Text, toast } from "../../ui/parts";
import { Foreign } from "../../ui/hostile";
import { pull } from "../shared/stream";

const titles: Record<string, string> = {
  demo: "Demo",
  ollama: "Ollama",
  openai: "OpenAI",
  compatible: "OpenAI-compatible server",
};
const hints: Record<string, string> = {
  demo: "A script that follows fixed rules, offline. It is not an AI.",
  ollama: "Models on this machine: install Ollama, then start it with: ollama serve",
  openai: "The key is OPENAI_API_KEY, from the environment or under Secrets.",
  compatible: "The server of -base-url.",
};
const abilities: [string, string][] = [
  ["tools", "calls tools"],
  ["vision", "sees pictures"],
  ["thinking", "thinks"],
  ["structuredOutput", "answers in schemas"],
];

/** Models lists the providers and their models, chooses the one that answers, and fetches more. */
export function Models() {
  const { data, error, loading, reload } = useData<ChatAPIModels>(
    (s) => get("/api/models", s),
    [],
    ["settings"],
  );
  const now = useData<ServerModelState>(
    async (s) => (await get<{ model: ServerModelState }>("/api/home", s)).model,
    [],
    ["settings"],
  );
  const [tested, setTested] = useState<Record<string, string>>({});
  const [failure, fail] = useState<unknown>(null);
  const choose = async (provider: string, name: string) => {
    fail(null);
    try {
      await send("PUT", "/api/settings/model", { provider, name });
      toast(name + " answers from now on, in new conversations.");
      now.reload();
    } catch (e) {
      fail(e);
    }
  };
  const test = async (provider: string) => {
    setTested({ ...tested, [provider]: "…" });
    const began = performance.now();
    try {
      const list = await get<ChatAPIModels>("/api/models");
      const p = list.providers.find((x) => x.id === provider);
      setTested({
        ...tested,
        [provider]: p?.error ? "" : "It answers, in " + ms(performance.now() - began) + ".",
      });
      await post("/api/settings/model/check");
      reload();
    } catch (e) {
      setTested({ ...tested, [provider]: "" });
      fail(e);
    }
  };
  const key = data && !data.providers.some((p) => p.id === "openai" || p.id === "compatible");
  return (
    <section class="card stack" data-testid="settings-models-section">
      <div class="row spread">
        <h2>Models</h2>
        <Button tid="models-refresh" small busy={loading} onClick={reload}>
          Refresh
        </Button>
      </div>
      {now.data && (
        <p data-testid="model-now">
          Now:{" "}
          <strong>
            {now.data.provider} · {now.data.name || "no model"}
          </strong>{" "}
          <span class="muted">({now.data.why})</span>
        </p>
      )}
      {error !== null && <ProblemView error={error} retry={reload} />}
      {failure !== null && <ProblemView error={failure} />}
      {!data && error === null && <Loading what="models" />}
      {data?.providers.map((p) => {
        const own = data.items.filter((m) => m.provider === p.id && !(m.default && now.data?.name === "")); // that one stands for a model that is not there yet
        return (
          <section
            class="stack tight"
            aria-label={titles[p.id] ?? p.id}
            data-testid="provider"
            data-id={p.id}
          >
            <div class="row spread">
              <h3>{titles[p.id] ?? p.id}</h3>
              <Button
                tid="provider-test"
                dataId={p.id}
                small
                busy={tested[p.id] === "…"}
                onClick={() => void test(p.id)}
              >
                Test
              </Button>
            </div>
            {p.error ? (
              <p class={now.data?.provider === p.id ? "note bad" : "note"} data-testid="provider-error">
                <Foreign text={p.error} />
              </p>
            ) : tested[p.id] && tested[p.id] !== "…" ? (
              <p class="ok">{tested[p.id]}</p>
            ) : null}
            <p class="hint" data-testid="provider-place">
              {hints[p.id]} <Foreign text={now.data?.places?.[p.id] ?? ""} />
            </p>
            {own.length > 0 && (
              <table class="cards">
                <thead>
                  <tr>
                    <th scope="col">Model</th>
                    <th scope="col">Can</th>
                    <th scope="col">Context</th>
                    <th scope="col">Answers</th>
                  </tr>
                </thead>
                <tbody>
                  {own.map((m) => {
                    const chosen = now.data?.provider === m.provider && now.data?.name === m.name;
                    return (
                      <tr data-testid="model-row" data-id={m.provider + "/" + m.name}>
                        <td>
                          <Foreign text={m.name} />
                        </td>
                        <td data-label="Can" class="muted">
                          {abilities
                            .filter(([k]) => (m.capabilities as Record<string, unknown> | undefined)?.[k])
                            .map(([, t]) => t)
                            .join(", ") || "writes text"}
                        </td>
                        <td data-label="Context" class="num">
                          {m.contextTokens ? m.contextTokens.toLocaleString("en") : "not known"}
                        </td>
                        <td>
                          {chosen ? (
                            <span class="ok">chosen</span>
                          ) : (
                            <Button
                              tid="model-use"
                              dataId={m.provider + "/" + m.name}
                              small
                              onClick={() => void choose(m.provider, m.name)}
                            >
                              Use
                            </Button>
                          )}
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            )}
            {p.canPull && !p.error && (
              <Pull
                provider={p.id}
                onDone={() =>
                  void post("/api/settings/model/check").then(() => (now.reload(), reload()), fail)
                }
              />
            )}
          </section>
        );
      })}
      {key && (
        <p class="hint">
          For OpenAI, set OPENAI_API_KEY under{" "}
          <a href="/settings/secrets" data-testid="models-secrets">
            Secrets
          </a>{" "}
          or in the environment, and start the playground again. For a compatible server, start it with
          -profile compatible -base-url URL.
        </p>
      )}
    </section>
  );
}

function Pull({ provider, onDone }: { provider: string; onDone: () => void }) {
  const [name, setName] = useState("");
  const [at, set] = useState<{ status: string; completed: number; total: number } | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [refused, refuse] = useState("");
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const run = async () => {
    setProblem(null);
    refuse("");
    stop.current = new AbortController();
    set({ status: "begins", completed: 0, total: 0 });
    try {
      await pull(
        provider,
        name,
        (event, d) => {
          if (event === "error")
            refuse(
              name +
                " could not be fetched: " +
                (d.message || d.code) +
                ". Check its name, and that its registry can be reached.",
            );
          else if (event === "done") toast("Fetched " + name + ".");
          else set({ status: d.status, completed: d.completed ?? 0, total: d.total ?? 0 });
        },
        stop.current.signal,
      );
      onDone();
    } catch (e) {
      if (!stop.current.signal.aborted) setProblem(e);
    }
    set(null);
  };
  return (
    <form class="stack tight" onSubmit={(e) => (e.preventDefault(), void run())}>
      <Text tid="pull-name" label="Fetch a model" value={name} placeholder="qwen3:0.6b" onInput={setName} />
      {at && (
        <label class="stack tight" data-testid="pull-progress">
          <span class="hint num">
            <Foreign text={at.status} />
            {at.total > 0 ? ", " + bytes(at.completed) + " of " + bytes(at.total) : ""}
          </span>
          <progress
            aria-label="How much is there"
            max={at.total || undefined}
            value={at.total ? at.completed : undefined}
          />
        </label>
      )}
      {problem !== null && <ProblemView error={problem} retry={() => void run()} />}
      {refused !== "" && (
        <p class="note bad" role="alert" data-testid="pull-error">
          <Foreign text={refused} />
        </p>
      )}
      <div class="row">
        <Button tid="pull-start" type="submit" busy={at !== null} disabled={name.trim() === ""}>
          Fetch
        </Button>
        {at && (
          <Button tid="pull-stop" onClick={() => stop.current?.abort()}>
            Stop
          </Button>
        )}
      </div>
    </form>
  );
}
