import { Dialog } from "../../ui/parts";
import { known, sheetOpen, singles } from "../../shell/keys";
import { adopt } from "../../ui/style";
import css from "../../styles/keys.css" with { type: "text" };

adopt(css);

/** Shortcuts lists every key that does something, by where it does. */
export function Shortcuts() {
  const all = known();
  const where = [...new Set(all.map((s) => s.where))];
  return (
    <div class="keys" data-testid="shortcut-list">
      {where.map((w) => (
        <section aria-label={w}>
          <h3>{w}</h3>
          <dl>
            {all
              .filter((s) => s.where === w)
              .map((s) => (
                <div class={s.single && !singles.value ? "off" : ""} data-testid="shortcut-row">
                  <dt>
                    {s.keys.split(" ").map((k) => (
                      <kbd>{k}</kbd>
                    ))}
                  </dt>
                  <dd>
                    {s.what}
                    {s.single && !singles.value && <span class="muted"> (off)</span>}
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </div>
  );
}

export function Sheet() {
  return (
    <Dialog tid="shortcuts" title="Keyboard shortcuts" cls="wide" onClose={() => (sheetOpen.value = false)}>
      {!singles.value && (
        <p class="note mid">
          <span>
            Single-key shortcuts are off.{" "}
            <a
              href="/settings/keyboard"
              data-testid="shortcuts-settings"
              onClick={() => (sheetOpen.value = false)}
            >
              Switch them on
            </a>
            .
          </span>
        </p>
      )}
      <Shortcuts />
    </Dialog>
  );
}
