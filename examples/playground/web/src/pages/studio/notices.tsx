import type { StudioDiff } from "../../api/types";
import { Ago, Button, ProblemView } from "../../ui/parts";
import { DiffRows } from "./diff";
import type { ToolDocument } from "./usetool";

/** Notices are what a person should know about the tool before going on. */
export function Notices({ document: d, origin }: { document: ToolDocument; origin: StudioDiff | null }) {
  const { spec, tool, restored, failure } = d;
  return (
    <>
      {restored && (
        <div class="note mid row spread" data-testid="draft-restored">
          <span>
            Unsaved changes from <Ago at={restored.at} />.
          </span>
          <span class="row">
            <Button tid="draft-take" small onClick={d.takeDraft}>
              Restore
            </Button>
            <Button tid="draft-drop" small onClick={d.discardDraft}>
              Discard
            </Button>
          </span>
        </div>
      )}
      {spec && ("x-local-pass" in spec || "toolSafety" in spec) && (
        <div class="note mid" data-testid="claimed-pass">
          This document says that it passed elsewhere. That is not trusted here: run its test.
        </div>
      )}
      {tool?.forkedFrom && (
        <div
          class={"note row spread" + (origin?.originChanged ? " mid" : "")}
          data-testid="fork-banner"
          data-drift={origin?.originChanged ? "yes" : "no"}
        >
          <span>
            A fork of {tool.forkedFrom.name}.
            {origin?.originChanged
              ? " The original changed since it was copied: look whether the change is for this tool too."
              : ""}
          </span>
          {origin && origin.difference.rows.length > 0 && (
            <details>
              <summary data-testid="fork-diff">
                {origin.difference.rows.length} differences from the original
              </summary>
              <DiffRows difference={origin.difference} />
            </details>
          )}
        </div>
      )}
      {failure !== null && <ProblemView error={failure} />}
    </>
  );
}
