import { useState } from "preact/hooks";
import { Button, Check, Dialog, Text } from "../../ui/parts";
import { intoLast } from "../shared/last";
import type { Exchange, Fixtures, Spec } from "./spec";
import type { RunState } from "./userun";

interface Props {
  spec: Spec;
  change: (spec: Spec) => void;
  readOnly: boolean;
  state: RunState;
}

/** put replaces fixtures; a document without any has no member for them. */
function put(spec: Spec, fixtures: Fixtures): Spec {
  const own = Object.fromEntries(Object.entries(fixtures).filter(([, v]) => v !== undefined));
  const { "x-fixtures": _, ...rest } = spec;
  return (Object.keys(own).length > 0 ? { ...rest, "x-fixtures": own } : rest) as Spec;
}

/** FixturesForm is what the test meets in place of the network and of the workspace. */
export function FixturesForm({ spec, change, readOnly, state }: Props) {
  const own = spec["x-fixtures"] ?? {};
  const set = (next: Partial<Fixtures>) => change(put(spec, { ...own, ...next }));
  return (
    <div class="stack">
      <Answers list={own.fetch} set={(fetch) => set({ fetch })} {...{ spec, readOnly, state }} />
      <Files files={own.files} set={(files) => set({ files })} readOnly={readOnly} />
    </div>
  );
}

interface AnswersProps {
  spec: Spec;
  list: Exchange[] | undefined;
  set: (list: Exchange[] | undefined) => void;
  readOnly: boolean;
  state: RunState;
}

/** Answers are the requests that the test may make, each with its answer. */
function Answers({ spec, list, set, readOnly, state }: AnswersProps) {
  const [asking, ask] = useState(false);
  const edit = (i: number, e: Exchange) => set(list!.map((x, j) => (j === i ? e : x)));
  return (
    <fieldset class="params" disabled={readOnly}>
      <legend class="label">Network of the test</legend>
      <div class="row spread">
        <Check tid="fixtures-fetch" checked={list !== undefined} onChange={(on) => set(on ? [] : undefined)}>
          Answer its requests from this list
        </Check>
        {!readOnly && (
          <Button tid="fixtures-record" small disabled={state.running} onClick={() => ask(true)}>
            Record from a live run
          </Button>
        )}
      </div>
      {list?.map((e, i) => (
        <fieldset class="param" key={i} data-testid="fixture" disabled={readOnly}>
          <legend class="vh">Answer {i + 1}</legend>
          <div class="fixture">
            <Text
              tid="fixture-method"
              label="Method"
              mono
              value={e.request.method}
              onInput={(method) => edit(i, { ...e, request: { ...e.request, method: method.toUpperCase() } })}
            />
            <Text
              tid="fixture-url"
              label="Address"
              mono
              value={e.request.url}
              onInput={(url) => edit(i, { ...e, request: { ...e.request, url } })}
            />
            {e.response && (
              <Text
                tid="fixture-status"
                label="Status"
                mono
                value={String(e.response.status ?? 200)}
                onInput={(status) =>
                  edit(i, {
                    ...e,
                    response: { ...e.response, status: Number(status.replace(/\D/g, "")) || 0 },
                  })
                }
              />
            )}
          </div>
          {e.response ? (
            <Text
              tid="fixture-body"
              label="Body"
              mono
              lines={Math.min(8, 1 + (e.response.body ?? "").split("\n").length)}
              value={e.response.body ?? ""}
              onInput={(body) => edit(i, { ...e, response: { ...e.response, body } })}
            />
          ) : (
            <p class="hint">It fails: {String(e.error?.["message"] ?? e.error?.["reason"] ?? "")}</p>
          )}
          {!readOnly && (
            <div class="row end">
              <Button
                tid="fixture-remove"
                small
                kind="quiet"
                icon="close"
                label={"Remove the answer to " + e.request.url}
                onClick={() => set(list.filter((_, j) => j !== i))}
              />
            </div>
          )}
        </fieldset>
      ))}
      {list && !readOnly && (
        <div class="row">
          <Button
            tid="fixture-add"
            small
            icon="plus"
            onClick={() => (
              set([
                ...list,
                { request: { method: "GET", url: "https://" }, response: { status: 200, body: "" } },
              ]),
              intoLast("fixture-url")
            )}
          >
            Answer
          </Button>
        </div>
      )}
      {asking && <RecordDialog spec={spec} state={state} onClose={() => ask(false)} />}
    </fieldset>
  );
}

/** RecordDialog says what a live run does before it is started. */
function RecordDialog({ spec, state, onClose }: { spec: Spec; state: RunState; onClose: () => void }) {
  const o = spec.sandboxOverrides ?? {};
  const hosts =
    o.networkMode === "allowlist"
      ? (o.hostsAllow ?? []).join(", ")
      : o.networkMode === "strict"
        ? "any public host"
        : o.networkMode === "open"
          ? "any host"
          : "";
  return (
    <Dialog tid="record-dialog" title="Record from a live run?" onClose={onClose}>
      {hosts ? (
        <p>
          The code runs with the test values and with each case. Its requests are real, with real secrets, to{" "}
          {hosts} and nowhere else. Its files are a copy of the workspace. You then choose whether the test is
          answered from what came back; the values of secrets are masked in it.
        </p>
      ) : (
        <p>The tool declares no network: allow the hosts under Sandbox first.</p>
      )}
      <footer>
        <Button tid="record-cancel" onClick={onClose}>
          Cancel
        </Button>
        <Button
          tid="record-run"
          kind="primary"
          disabled={hosts === ""}
          onClick={() => (onClose(), void state.begin({ live: true, record: true }))}
        >
          Record
        </Button>
      </footer>
    </Dialog>
  );
}

interface FilesProps {
  files: Record<string, string> | undefined;
  set: (files: Record<string, string> | undefined) => void;
  readOnly: boolean;
}

/** Files are what the test finds in a workspace of its own. */
function Files({ files, set, readOnly }: FilesProps) {
  const all = Object.entries(files ?? {});
  const write = (entries: [string, string][]) => set(Object.fromEntries(entries));
  return (
    <fieldset class="params" disabled={readOnly}>
      <legend class="label">Files of the test</legend>
      <Check tid="fixtures-files" checked={files !== undefined} onChange={(on) => set(on ? {} : undefined)}>
        Run in a directory with these files, and not in a copy of the workspace
      </Check>
      {all.map(([path, text], i) => (
        <fieldset class="param" key={i} data-testid="fixture-file" disabled={readOnly}>
          <legend class="vh">File {path}</legend>
          <Text
            tid="fixture-path"
            label="Path"
            mono
            value={path}
            onInput={(p) => write(all.map((e, j) => (j === i ? [p, text] : e)))}
          />
          <Text
            tid="fixture-text"
            label="Text"
            mono
            lines={Math.min(8, 1 + text.split("\n").length)}
            value={text}
            onInput={(t) => write(all.map((e, j) => (j === i ? [path, t] : e)))}
          />
          {!readOnly && (
            <div class="row end">
              <Button
                tid="fixture-file-remove"
                small
                kind="quiet"
                icon="close"
                label={"Remove " + path}
                onClick={() => write(all.filter((_, j) => j !== i))}
              />
            </div>
          )}
        </fieldset>
      ))}
      {files && !readOnly && (
        <div class="row">
          <Button
            tid="fixture-file-add"
            small
            icon="plus"
            onClick={() => (
              write([...all, ["file" + (all.length + 1) + ".txt", ""]]),
              intoLast("fixture-path")
            )}
          >
            File
          </Button>
        </div>
      )}
    </fieldset>
  );
}
