import { Foreign } from "../../ui/hostile";
import type { Warning } from "./warnings";

const shownAtOnce = 5;

/** WarningList shows what is wrong with a server, and where that is mended. */
export function WarningList({ list }: { list: Warning[] }) {
  return (
    <>
      {list.map((w) => (
        <div class={"note " + w.tone} data-testid="server-warning" data-id={w.id} key={w.id}>
          <span>
            {w.text}{" "}
            {w.way && (
              <a href={w.way[1]} data-testid="warning-way">
                {w.way[0]}
              </a>
            )}
          </span>
          {w.tools && (
            <span class="wrap small">
              <Foreign text={cut(w.tools).join(", ")} />
              {w.tools.length > shownAtOnce && " and " + (w.tools.length - shownAtOnce) + " more"}
            </span>
          )}
          {cut(w.claims ?? []).map((c) => (
            <span class="wrap small">
              <Foreign text={c} />
            </span>
          ))}
          {w.raw && (
            <details>
              <summary class="small" data-testid="warning-details">
                Details
              </summary>
              <code class="wrap">
                <Foreign text={w.raw} />
              </code>
            </details>
          )}
        </div>
      ))}
    </>
  );
}

const cut = (list: string[]) => list.slice(0, shownAtOnce);
