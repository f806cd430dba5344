import { useState } from "preact/hooks";
import { ApiError, send } from "../../api/client";
import type { StudioImportReport } from "../../api/types";
import { go } from "../../router";
import { Foreign } from "../../ui/hostile";
import { bytes, Button, counted, ProblemView, Select, toast } from "../../ui/parts";
import { Level } from "../../ui/risk";
import { Page } from "../../shell/page";

const maxBytes = 16 * 1024 * 1024;
const outcomes: Record<string, string> = {
  import: "import",
  rename: "import under another name",
  skip: "skip",
  replace: "replace",
  refused: "refused",
};

/** Import shows what a bundle would bring before anything is stored. */
export function Import() {
  const [text, setText] = useState("");
  const [clash, setClash] = useState("rename");
  const [report, setReport] = useState<StudioImportReport | null>(null);
  const [failure, fail] = useState<unknown>(null);
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const look = async (raw: string, onClash: string) => {
    setText(raw);
    setReport(null);
    fail(null);
    if (raw.trim() === "") return;
    try {
      const { data } = await send<StudioImportReport>(
        "POST",
        "/api/tools/import?dryRun=1&onClash=" + onClash,
        undefined,
        { raw },
      );
      setReport(data);
    } catch (e) {
      fail(e);
    }
  };
  const read = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > maxBytes) {
      fail(
        new ApiError(
          {
            type: "",
            code: "too_large",
            status: 413,
            title: "The file is too large",
            detail: bytes(file.size) + ": at most " + bytes(maxBytes) + " are read.",
            requestId: "",
          },
          413,
        ),
      );
      return;
    }
    await look(await file.text(), clash);
  };
  const confirm = async () => {
    setBusy(true);
    try {
      const { data } = await send<StudioImportReport>(
        "POST",
        "/api/tools/import?onClash=" + clash,
        undefined,
        { raw: text },
      );
      const n = (data.counts["import"] ?? 0) + (data.counts["rename"] ?? 0) + (data.counts["replace"] ?? 0);
      toast("Imported " + counted(n, "tool") + (n === 1 ? " as a draft." : " as drafts."));
      go("/tools?source=mine&sort=-edited");
    } catch (e) {
      fail(e);
      setBusy(false);
    }
  };
  const good = report
    ? report.items.filter((i) => i.outcome !== "refused" && i.outcome !== "skip").length
    : 0;
  return (
    <Page title="Import" crumbs={[["Tool Studio", "/tools"]]}>
      <div class="stack">
        <div
          class={"drop" + (over ? " over" : "")}
          data-testid="tool-import"
          onDragOver={(e) => (e.preventDefault(), setOver(true))}
          onDragLeave={() => setOver(false)}
          onDrop={(e) => (e.preventDefault(), setOver(false), void read(e.dataTransfer?.files[0]))}
        >
          <p>Drop a file here: one spec, a list of them, or a bundle.</p>
          <label class="btn">
            Choose a file
            <input
              class="vh"
              type="file"
              accept=".json,application/json"
              data-testid="import-file"
              onChange={(e) => void read(e.currentTarget.files?.[0])}
            />
          </label>
        </div>
        <label class="field">
          <span class="label">Or paste JSON</span>
          <textarea
            class="input mono"
            rows={6}
            data-testid="import-text"
            value={text}
            spellcheck={false}
            onInput={(e) => void look(e.currentTarget.value, clash)}
          />
        </label>
        <Select
          tid="import-clash"
          label="When a name or an id is taken"
          value={clash}
          options={[
            ["rename", "Import under another name"],
            ["skip", "Skip it"],
            ["replace", "Replace mine"],
          ]}
          onChange={(v) => (setClash(v), void look(text, v))}
        />
        {failure !== null && <ProblemView error={failure} />}
        {report && (
          <section class="card stack" aria-labelledby="dry-title">
            <h2 id="dry-title">What would happen</h2>
            <p data-testid="import-summary">
              {good} import, {report.counts["refused"] ?? 0} refused, {report.counts["skip"] ?? 0} skipped.
              Nothing is stored yet. Everything comes in as a draft: a pass of elsewhere counts nothing here.
            </p>
            <div class="scroll-x" tabIndex={0}>
              <table class="cards">
                <thead>
                  <tr>
                    <th scope="col">Place</th>
                    <th scope="col">Name</th>
                    <th scope="col">Level</th>
                    <th scope="col">Outcome</th>
                    <th scope="col">Notes</th>
                  </tr>
                </thead>
                <tbody>
                  {report.items.map((i) => (
                    <tr data-testid="import-row" data-outcome={i.outcome}>
                      <td data-label="Place" class="mono">
                        {i.pointer || "–"}
                      </td>
                      <td data-label="Name">
                        <Foreign text={i.name} />
                        {i.wasNamed && <span class="muted"> (was {i.wasNamed})</span>}
                      </td>
                      <td>{i.outcome !== "refused" && <Level level={i.level} draft />}</td>
                      <td data-label="Outcome" class={i.outcome === "refused" ? "err" : ""}>
                        {outcomes[i.outcome] ?? i.outcome}
                      </td>
                      <td class="small">
                        {(i.problems ?? []).map((p) => (
                          <div class={p.severity === "error" ? "err" : "warn"}>
                            <code>{p.pointer || "document"}</code> {p.code} {p.reason}:{" "}
                            <Foreign text={p.message} />
                          </div>
                        ))}
                        {i.missing && <div class="warn">Missing: {i.missing.join(", ")}</div>}
                        {i.unknown && <div class="muted">Kept without effect: {i.unknown.join(", ")}</div>}
                        {i.claimedPass && (
                          <div class="warn">
                            Claimed pass{i.claimedPass.runtime ? " of " + i.claimedPass.runtime : ""}: not
                            trusted here
                          </div>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
            <div class="row">
              <Button
                tid="import-confirm"
                kind="primary"
                busy={busy}
                disabled={good === 0}
                onClick={() => void confirm()}
              >
                Import {good} {good === 1 ? "tool" : "tools"}
              </Button>
              <a class="btn" href="/tools" data-testid="import-cancel">
                Cancel
              </a>
            </div>
          </section>
        )}
      </div>
    </Page>
  );
}
