import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Conversation } from "./conversation";
import { usePrint, type Span } from "./printing";
import { useScroll } from "./scroller";
import type { Turn } from "./turns";

const step = 30; // turns that are shown at first, and added by each step up or down
const most = 90; // turns in the page

export interface TurnWindow {
  scroll: ReturnType<typeof useScroll>;
  /** The turns that are in the page. */
  shown: Turn[];
  /** How many turns have been read, and whether there are others before or behind those in the page. */
  total: number;
  earlier: boolean;
  later: boolean;
  showEarlier: () => Promise<void>;
  showLater: () => Promise<void>;
  onScroll: () => void;
  /** toEnd reads the last turns where they have not been read, and follows them. */
  toEnd: () => void;
  /** follow shows the last of the turns that have been read, and keeps them in view. */
  follow: () => void;
  /** print puts the whole conversation into the page and opens the browser's dialog. */
  print: () => Promise<void>;
}

/**
 * useTurnWindow keeps a part of a long conversation in the page. What a person reads
 * stays where it is while turns are added before or behind it. A message is an id
 * that the address names: its turn is shown first, and marked.
 */
export function useTurnWindow(conv: Conversation, id: string, message: string): TurnWindow {
  const [span, setSpan] = useState<Span | null>(null);
  const { turns, detail } = conv;
  const total = turns.length;
  const from = span ? Math.max(0, Math.min(span.from, total - 1)) : Math.max(0, total - step);
  const to = span ? Math.min(total, span.to) : total;
  const scroll = useScroll(id, total);
  const anchor = useRef<{ id: string; top: number } | null>(null);

  /** hold notes the turn at the top of the view; the next drawing puts it there again. */
  const hold = () => {
    const box = scroll.box.current;
    const el = [...(box?.querySelectorAll<HTMLElement>("[data-testid=turn]") ?? [])].find(
      (t) => t.getBoundingClientRect().bottom > box!.getBoundingClientRect().top,
    );
    if (el) anchor.current = { id: el.dataset.id!, top: el.getBoundingClientRect().top };
  };
  useLayoutEffect(() => {
    const held = anchor.current;
    const box = scroll.box.current;
    if (!held || !box) return;
    anchor.current = null;
    const el = turnElement(box, held.id);
    if (el) box.scrollTop += el.getBoundingClientRect().top - held.top;
  });

  const showEarlier = async () => {
    hold();
    if (from > 0) {
      const first = Math.max(0, from - step);
      setSpan({ from: first, to: Math.min(to, first + most) });
    } else if (conv.more) {
      const added = await conv.older(step);
      if (!added) return;
      hold();
      setSpan({ from: 0, to: Math.min(to + added, most) });
    }
  };
  const showLater = async () => {
    if (to < total) {
      hold();
      const end = Math.min(total, to + step);
      setSpan(end >= total && !conv.behind ? null : { from: Math.max(from, end - most), to: end });
      return;
    }
    if (!conv.behind) return;
    hold();
    const added = await conv.newer(step);
    if (!added) return; // a click on "Jump to latest" may have been faster
    hold();
    setSpan({ from: Math.max(from, total + added - most), to: total + added });
  };
  const earlier = from > 0 || conv.more;
  const later = to < total || conv.behind;
  const onScroll = () => {
    scroll.look(!later);
    const box = scroll.box.current;
    if (!box || scroll.following.current) return;
    if (box.scrollTop < 300 && earlier) void showEarlier();
    else if (box.scrollHeight - box.scrollTop - box.clientHeight < 300) void showLater();
  };

  useLayoutEffect(() => {
    if (!message || !detail) return;
    const at = turns.findIndex((t) => t.messages.includes(message));
    if (at < 0) return;
    setSpan({ from: Math.max(0, at - step / 2), to: Math.min(total, at + step / 2) });
    scroll.detach();
    const timer = setTimeout(() => {
      scroll.detach();
      const el = scroll.box.current && turnElement(scroll.box.current, turns[at]!.id);
      el?.scrollIntoView({ block: "start" });
      el?.classList.add("found");
    }, 30);
    return () => clearTimeout(timer);
  }, [message, detail !== null]);

  return {
    scroll,
    shown: turns.slice(from, to),
    total,
    earlier,
    later,
    showEarlier,
    showLater,
    onScroll,
    toEnd: () =>
      void conv.toEnd().then(() => {
        setSpan(null);
        setTimeout(scroll.attach);
      }),
    follow: () => {
      setSpan(null);
      scroll.attach();
    },
    print: usePrint(conv, span, setSpan, anchor, hold),
  };
}

const turnElement = (box: HTMLElement, id: string) =>
  box.querySelector<HTMLElement>('[data-testid=turn][data-id="' + CSS.escape(id) + '"]');
