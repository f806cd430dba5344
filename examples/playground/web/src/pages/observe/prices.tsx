import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, post, send } from "../../api/client";
import type { ObserveModel, ObservePrice, ObservePrices } from "../../api/types";
import { Page } from "../../shell/page";
import { useData, useLater } from "../../ui/data";
import { Foreign } from "../../ui/hostile";
import { Button, counted, Empty, Loading, ProblemView, Text, toast } from "../../ui/parts";
import { money } from "../shared/money";
import { save as saveFile } from "../shared/save";
import { costOf, tokensOf } from "./tracewords";

const path = "/api/observe/pricing";
const tokens = (m: ObserveModel) => (m.tokens ? m.tokens.input + m.tokens.output : 0);
const unpriced = (m: ObserveModel) => m.cost === "unpriced" || m.cost === "partly";
const sumOf = (models: ObserveModel[]) => models.reduce((sum, m) => sum + (m.costMicroUSD ?? 0), 0);

const known = (models: ObserveModel[]) => models.some((m) => m.costMicroUSD !== undefined);

/** sentence says what other prices change. A cost that is not known is not written as zero. */
function sentence(before: ObserveModel[], after: ObserveModel[]): string {
  const missing = after.filter(unpriced).length;
  const rest = missing ? " " + counted(missing, "model") + " would have no price." : "";
  if (!known(after)) return "With these prices, no cost of what is recorded is known." + rest;
  const was = known(before)
    ? " in place of " + money(sumOf(before)) + "."
    : ". Without them, no cost is known.";
  return "With these prices, what is recorded costs " + money(sumOf(after)) + was + rest;
}

/** written is a price without the boxes that are empty. */
const written = (p: ObservePrice): ObservePrice =>
  Object.fromEntries(
    Object.entries(p).filter(
      ([name, v]) => v !== "" || ["match", "source", "input", "output"].includes(name),
    ),
  ) as ObservePrice;

/** PricesPage is the list of prices that the user enters, and what they change. */
export function PricesPage() {
  const { data, error, reload } = useData(async (s) => {
    const answer = await send<ObservePrices>("GET", path, undefined, { signal: s });
    return { ...answer.data, etag: answer.etag };
  }, []);
  const [rows, setRows] = useState<ObservePrice[] | null>(null);
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const now = rows ?? data?.prices ?? [];
  const changed = rows !== null && JSON.stringify(rows.map(written)) !== JSON.stringify(data?.prices);
  const late = useLater(JSON.stringify({ prices: now.map(written) }), 300);
  const [preview, setPreview] = useState<ObserveModel[] | null>(null);
  useEffect(() => {
    if (!changed) return setPreview(null);
    const stop = new AbortController();
    post<ObservePrices>(path + "/preview", undefined, { raw: late, signal: stop.signal }).then(
      (p) => stop.signal.aborted || (setPreview(p.models), setProblem(null)),
      (e: unknown) => stop.signal.aborted || (setPreview(null), setProblem(e)),
    );
    return () => stop.abort();
  }, [late, changed]);

  const change = (i: number, with_: Partial<ObservePrice>) =>
    setRows(now.map((p, at) => (at === i ? { ...p, ...with_ } : p)));
  const add = (m?: ObserveModel) =>
    setRows([
      ...now,
      { match: m?.name ?? "", provider: m?.provider ?? "", input: "", output: "", source: "" },
    ]);
  const store = async () => {
    setBusy(true);
    try {
      await send("PUT", path, { prices: now.map(written) }, { ifMatch: data?.etag ?? "" });
      setRows(null);
      setProblem(null);
      toast("The prices are saved. What was recorded is computed anew.");
      reload();
    } catch (e) {
      setProblem(e);
    }
    setBusy(false);
  };
  const read = async (f: File | undefined) => {
    if (!f) return;
    try {
      const list: unknown = JSON.parse(await f.text());
      const prices = (list as { prices?: unknown }).prices;
      if (!Array.isArray(prices)) throw new Error("There is no list named prices in it.");
      setRows([...now, ...(prices as ObservePrice[])]);
    } catch (e) {
      toast(
        f.name +
          " is not a file of prices. " +
          (e instanceof SyntaxError ? "It is not JSON." : (e as Error).message),
        undefined,
        true,
      );
    }
  };
  const models = data?.models ?? [];
  const missing = (preview ?? models).filter(unpriced);
  const all = models.reduce((sum, m) => sum + tokens(m), 0);
  const stale = problem instanceof ApiError && problem.code === "stale_version";
  return (
    <Page title="Prices" crumbs={[["Observability", "/observe/traces"]]}>
      <div class="stack" data-testid="prices">
        <p class="muted">
          What models cost, in US dollars for a million tokens. localpass contains no prices: copy them from
          the page of your provider, and write down where you found them.
        </p>
        {error !== null && <ProblemView error={error} retry={reload} />}
        {!data && error === null && <Loading what="prices" />}
        {data && missing.length > 0 && (
          <div class="note" data-testid="prices-missing">
            <strong>
              {counted(missing.length, "model")} without a price
              {all > 0
                ? ", " +
                  Math.round((100 * missing.reduce((s, m) => s + tokens(m), 0)) / all) +
                  " % of the tokens"
                : ""}
            </strong>
            {missing.map((m) => (
              <div class="row spread" key={m.provider + "/" + m.name}>
                <span>
                  <Foreign text={(m.provider ? m.provider + "/" : "") + m.name} />{" "}
                  <span class="muted num">{tokensOf(m.tokens)}</span>
                </span>
                <Button tid="price-add-model" dataId={m.name} small onClick={() => add(m)}>
                  Enter its price
                </Button>
              </div>
            ))}
          </div>
        )}
        {data && now.length === 0 && (
          <Empty title="There are no prices yet">
            <p>Costs are shown as unpriced, never as zero, until a price is entered.</p>
          </Empty>
        )}
        {now.map((p, i) => (
          <fieldset class="card pricerow" key={i} data-testid="price-row" data-id={p.match}>
            <legend class="vh">{p.match || "A new price"}</legend>
            <Text
              tid="price-match"
              label="Model"
              value={p.match}
              hint="A star at the end matches the rest."
              onInput={(match) => change(i, { match })}
            />
            <Text
              tid="price-provider"
              label="Provider"
              value={p.provider ?? ""}
              hint="Empty: any."
              onInput={(provider) => change(i, { provider })}
            />
            <Text tid="price-input" label="Input" value={p.input} onInput={(input) => change(i, { input })} />
            <Text
              tid="price-cached"
              label="Cached input"
              value={p.cacheRead ?? ""}
              hint="Empty: as input."
              onInput={(cacheRead) => change(i, { cacheRead })}
            />
            <Text
              tid="price-output"
              label="Output"
              value={p.output}
              onInput={(output) => change(i, { output })}
            />
            <Text
              tid="price-from"
              label="Valid from"
              value={p.validFrom ?? ""}
              placeholder="2026-11-01"
              hint="Empty: always."
              onInput={(validFrom) => change(i, { validFrom })}
            />
            <Text
              tid="price-source"
              label="Source"
              value={p.source}
              hint="Where you found it."
              onInput={(source) => change(i, { source })}
            />
            <Button
              tid="price-remove"
              kind="quiet"
              label={"Remove the price of " + (p.match || "the new model")}
              onClick={() => setRows(now.filter((_, at) => at !== i))}
            >
              Remove
            </Button>
          </fieldset>
        ))}
        {problem !== null && (
          <div data-testid="prices-problem">
            <ProblemView error={problem} />
            {stale && (
              <Button tid="prices-reread" onClick={() => (setRows(null), setProblem(null), reload())}>
                Read the saved prices
              </Button>
            )}
          </div>
        )}
        {preview && (
          <p class="num" role="status" data-testid="prices-preview">
            {sentence(models, preview)}
          </p>
        )}
        {data && (
          <div class="row">
            <Button
              tid="prices-save"
              kind="primary"
              busy={busy}
              disabled={!changed}
              onClick={() => void store()}
            >
              Save the prices
            </Button>
            <Button tid="price-add" icon="plus" onClick={() => add()}>
              Add a price
            </Button>
            <Button tid="prices-import" onClick={() => file.current?.click()}>
              Import a file
            </Button>
            <input
              ref={file}
              type="file"
              accept=".json,application/json"
              hidden
              data-testid="prices-file"
              onChange={(e) => {
                void read(e.currentTarget.files?.[0]);
                e.currentTarget.value = "";
              }}
            />
            {data.prices.length > 0 && (
              <Button
                tid="prices-export"
                onClick={() =>
                  saveFile(
                    JSON.stringify({ prices: data.prices }, null, 2) + "\n",
                    "prices.json",
                    "application/json",
                  )
                }
              >
                Export
              </Button>
            )}
          </div>
        )}
        {data && models.length > 0 && (
          <table class="cards" data-testid="prices-models">
            <caption class="vh">The use of each model in what is recorded</caption>
            <thead>
              <tr>
                <th scope="col">Model</th>
                <th scope="col">Calls</th>
                <th scope="col">Tokens</th>
                <th scope="col">Cost</th>
              </tr>
            </thead>
            <tbody>
              {models.map((m) => (
                <tr key={m.provider + "/" + m.name} data-testid="prices-model" data-id={m.name}>
                  <td data-label="Model">
                    <Foreign text={(m.provider ? m.provider + "/" : "") + m.name} />
                  </td>
                  <td data-label="Calls" class="num">
                    {m.calls.toLocaleString("en")}
                  </td>
                  <td data-label="Tokens" class="num">
                    {tokensOf(m.tokens)}
                  </td>
                  <td data-label="Cost" class="num" data-testid="prices-cost">
                    {costOf({ ...m, models: [m] })}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </div>
    </Page>
  );
}
