import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

interface Props<T> {
  tid: string;
  label: string;
  items: T[];
  keyOf: (item: T) => string;
  /** heightOf is in CSS pixels. */
  heightOf: (item: T) => number;
  children: (item: T, index: number) => ComponentChildren;
  onEnd?: () => void;
}

const margin = 400; // pixels above and below what is seen

/** VList keeps no more rows in the page than a person can see, and some around them. */
export function VList<T>({ tid, label, items, keyOf, heightOf, children, onEnd }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 800 });
  const offsets: number[] = new Array<number>(items.length + 1);
  offsets[0] = 0;
  for (let i = 0; i < items.length; i++) offsets[i + 1] = offsets[i]! + heightOf(items[i]!);
  const total = offsets[items.length]!;
  const look = () => {
    const b = box.current;
    if (b) setView({ top: b.scrollTop, height: b.clientHeight });
  };
  useLayoutEffect(look, []);
  useEffect(() => {
    const watch = new ResizeObserver(look);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (view.top + view.height > total - 2000) onEnd?.();
  });
  let from = 0;
  while (from < items.length && offsets[from + 1]! < view.top - margin) from++;
  let to = from;
  while (to < items.length && offsets[to]! < view.top + view.height + margin) to++;
  // The arrows go on where the page has no rows yet.
  const keys = (e: KeyboardEvent) => {
    if (e.key !== "ArrowDown" && e.key !== "ArrowUp" && e.key !== "End" && e.key !== "Home") return;
    const rows = [...(box.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    if (at < 0) return;
    e.preventDefault();
    if (e.key === "End" || e.key === "Home") {
      box.current!.scrollTop = e.key === "End" ? total : 0;
      setTimeout(() => {
        const now = [...(box.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
        now[e.key === "End" ? now.length - 1 : 0]?.focus();
      }, 60);
      return;
    }
    rows[at + (e.key === "ArrowDown" ? 1 : -1)]?.focus();
  };
  return (
    <div
      class="vlist"
      ref={box}
      onScroll={look}
      onKeyDown={keys}
      data-testid={tid}
      role="list"
      aria-label={label}
      tabIndex={-1}
    >
      <div style={{ height: total + "px" }}>
        {items.slice(from, to).map((item, i) => (
          <div
            key={keyOf(item)}
            role="listitem"
            aria-setsize={items.length}
            aria-posinset={from + i + 1}
            style={{
              position: "absolute",
              top: offsets[from + i] + "px",
              left: 0,
              right: 0,
              height: heightOf(item) + "px",
            }}
          >
            {children(item, from + i)}
          </div>
        ))}
      </div>
    </div>
  );
}
