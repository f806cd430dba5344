import { useEffect, useState } from "preact/hooks";
import type { Place } from "../../ui/code";
import { Tree } from "../../ui/json";
import { later } from "../../ui/later";
import { ProblemView, Tabs } from "../../ui/parts";
import { ApprovalCard } from "../shared/approval/asked";
import { tried } from "./reach";
import { RunResult } from "./runresult";
import { RunStatus } from "./runstatus";
import type { Spec } from "./spec";
import type { RunState } from "./userun";

const Attempts = later(async () => (await import("./studiodock")).Attempts, "what it tried");
const Console = later(async () => (await import("./studiodock")).Console, "the console");
const Limits = later(async () => (await import("./studiodock")).Limits, "the limits");
const Cases = later(async () => (await import("./studiodock")).Cases, "the cases");
const FixturesForm = later(async () => (await import("./studiodock")).FixturesForm, "the fixtures");

interface Props {
  spec: Spec;
  change: (spec: Spec) => void;
  /** edit changes the document; it runs nothing. */
  edit: (how: (spec: Spec) => Spec) => void;
  readOnly: boolean;
  state: RunState;
  onLine: (place: Place) => void;
  tab: string;
  onTab: (tab: string) => void;
}

/** Dock is what runs beside the code: the latest run, and the cases of the test. */
export function Dock({ spec, change, edit, readOnly, state, onLine, tab, onTab }: Props) {
  const { run, lines, running } = state;
  const [sieve, setSieve] = useState({ text: "", level: "" });
  const cases = run?.cases ?? [];
  // A run is looked at where it begins.
  useEffect(() => {
    if (running && tab === "cases") onTab("result");
  }, [running]);
  return (
    <section class="card dock" aria-label="Runs and cases" data-testid="dock">
      <Tabs
        tid="run-tab"
        label="Runs and cases"
        value={tab}
        onChange={onTab}
        tabs={[
          ["result", "Run"],
          ["console", "Console (" + lines.length + ")"],
          ["network", "Network (" + tried(cases, "fetch") + ")"],
          ["files", "Files (" + tried(cases, "fs") + ")"],
          ["cases", "Cases (" + (spec["x-tests"] ?? []).length + ")"],
          ["limits", "Limits"],
          ["raw", "Raw"],
        ]}
      />
      <div class="dockbody stack">
        {tab !== "cases" && (
          <>
            {state.failure !== null && <ProblemView error={state.failure} />}
            {state.waiting.map((item) => (
              <ApprovalCard key={item.id} item={item} />
            ))}
            <RunStatus spec={spec} state={state} />
          </>
        )}
        {tab === "result" && <RunResult {...{ spec, edit, state, onLine }} />}
        {tab === "console" && (
          <Console
            {...{ lines, running, sieve, onLine }}
            cut={run?.consoleCut ?? 0}
            onSieve={setSieve}
            moved={state.ranCode !== spec.code}
          />
        )}
        {tab === "network" && <Attempts reach="fetch" cases={cases} />}
        {tab === "files" && <Attempts reach="fs" cases={cases} />}
        {tab === "cases" && (
          <>
            <Cases {...{ spec, change, readOnly }} />
            <FixturesForm {...{ spec, change, readOnly, state }} />
          </>
        )}
        {tab === "limits" && <Limits cases={cases} lines={lines.length + (run?.consoleCut ?? 0)} />}
        {tab === "raw" && run && <Tree tid="run-raw" value={run} />}
      </div>
    </section>
  );
}
