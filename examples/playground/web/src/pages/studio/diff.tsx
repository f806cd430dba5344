import type { ToolspecDifference } from "../../api/types";
import { Foreign } from "../../ui/hostile";

const fieldWords: Record<string, string> = {
  posture: "Posture",
  level: "Level",
  network: "Network",
  hosts: "Hosts",
  fileRead: "Reads files",
  fileWrite: "Writes files",
  destructive: "Destructive",
  basePath: "Directory",
  staticVariables: "Static variables",
  approval: "Approval",
  limits: "Limits",
  classes: "Host classes",
  name: "Name",
  toolId: "Tool id",
  description: "Description",
  category: "Category",
  tags: "Tags",
  schema: "Parameters",
  outputSchema: "Result schema",
  code: "Code",
  language: "Language",
  tests: "Tests",
  other: "Other",
};

/** DiffRows is what separates two versions, what the tool may do first. */
export function DiffRows({ difference }: { difference: ToolspecDifference }) {
  if (difference.rows.length === 0) return <p class="muted">No difference.</p>;
  return (
    <div class="stack tight">
      <div class="scroll-x" tabIndex={0}>
        <table class="cards">
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
              <th scope="col">Direction</th>
            </tr>
          </thead>
          <tbody>
            {difference.rows.map((r) => (
              <tr data-testid="diff-row" data-field={r.field} data-direction={r.direction}>
                <td>
                  {fieldWords[r.field] ?? r.field}
                  {r.item ? " " + r.item : ""}
                </td>
                <td data-label="Before">
                  <Foreign text={r.before || "–"} />
                </td>
                <td data-label="After">
                  <Foreign text={r.after || "–"} />
                </td>
                <td data-label="Direction" class={r.direction === "wider" ? "warn" : ""}>
                  {r.direction === "wider"
                    ? "↑ wider"
                    : r.direction === "narrower"
                      ? "↓ narrower"
                      : difference.from
                        ? "changed"
                        : "new"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {difference.codeDiff && (
        <details>
          <summary data-testid="diff-code">Code</summary>
          <div class="diff" tabIndex={0}>
            {difference.codeDiff.split("\n").map((l) => (
              <span class={l.startsWith("+") ? "a" : l.startsWith("-") ? "d" : l.startsWith("@") ? "h" : ""}>
                <Foreign text={l || " "} />
              </span>
            ))}
          </div>
        </details>
      )}
    </div>
  );
}
