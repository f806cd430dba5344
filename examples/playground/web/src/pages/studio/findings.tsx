import type { StudioDiagnostic } from "../../api/types";
import type { Place } from "../../ui/code";
import { Button } from "../../ui/parts";
import type { Spec } from "./spec";

interface Props {
  list: StudioDiagnostic[];
  spec: Spec;
  edit: (how: (spec: Spec) => Spec) => void;
  readOnly: boolean;
  /** The tool was never saved: what is not written yet is no mistake. */
  isNew: boolean;
  onLine: (place: Place) => void;
  /** onTab opens the part of the form that a finding is about. */
  onTab: (tab: string) => void;
}

/** What is true of every tool that somebody has just begun. */
const unwritten = /^(name-empty|code-empty|description-empty|description-short|nothing-asserted)$/;

/** tabOf is the part of the form where a member is edited. */
function tabOf(path: string): string {
  if (/^(name|description|category|tags)/.test(path)) return "about";
  if (path.startsWith("params")) return "params";
  if (/^(sandboxOverrides|humanInTheLoop)/.test(path)) return "sandbox";
  if (path.startsWith("staticVariables")) return "static";
  if (/^x-(tests|fixtures)/.test(path)) return "cases";
  return "";
}

const places: Record<string, string> = {
  about: "About",
  params: "Parameters",
  sandbox: "Sandbox",
  static: "Static variables",
  cases: "Cases",
};

/** Findings are what is wrong with a document, each with what to do about it. */
export function Findings({ list, isNew, onLine, onTab }: Props) {
  const shown = list.filter((d) => !isNew || !unwritten.test(d.reason));
  if (shown.length === 0) return null;
  return (
    <ul class="stack tight" aria-label="Findings" data-testid="diagnostics">
      {shown.map((d) => {
        const tab = tabOf(d.path);
        return (
          <li
            class={"note " + (d.severity === "error" ? "bad" : "mid")}
            data-testid="diagnostic"
            data-severity={d.severity}
            data-reason={d.reason}
          >
            <span class="wrap">
              {tab ? places[tab] + ": " : ""}
              {d.message}
            </span>
            {d.fix && <span class="hint">{d.fix}</span>}
            <span class="row">
              {d.path === "code" && d.line ? (
                <Button
                  tid="diagnostic-line"
                  small
                  onClick={() => onLine({ line: d.line!, col: d.col, focus: true })}
                >
                  Go to line {d.line}
                </Button>
              ) : tab ? (
                <Button tid="diagnostic-open" small kind="quiet" onClick={() => onTab(tab)}>
                  Show
                </Button>
              ) : null}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
