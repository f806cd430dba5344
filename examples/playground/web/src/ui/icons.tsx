const paths: Record<string, string> = {
  home: "M3 9.5 10 4l7 5.5M5 8.5V16h10V8.5M8.5 16v-4h3v4",
  tools: "M12.5 3.5a4 4 0 0 0-4 5.3L3.5 13.8l2.7 2.7 5-5a4 4 0 0 0 5.2-5.1l-2.3 2.3-2.4-.5-.5-2.4 2.3-2.3z",
  servers: "M3.5 4h13v5h-13zM3.5 11h13v5h-13zM6.5 6.5h.01M6.5 13.5h.01",
  chat: "M4 4h12v9H9l-4 3.5V13H4zM7 7.5h6M7 10h4",
  approvals: "M10 2.8 4 5v5c0 3.6 2.5 6 6 7.2 3.5-1.2 6-3.6 6-7.2V5zM7.4 10l1.9 1.9 3.3-3.7",
  observe: "M3 5h9M6 10h8M10 15h7",
  settings:
    "M10 7.2a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM10 2.5v2M10 15.5v2M2.5 10h2M15.5 10h2M4.7 4.7l1.4 1.4M13.9 13.9l1.4 1.4M15.3 4.7l-1.4 1.4M6.1 13.9l-1.4 1.4",
  search: "M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM13 13l4 4",
  bell: "M5 13.5V9a5 5 0 0 1 10 0v4.5l1.5 1.5h-13zM8.5 17h3",
  sun: "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.4 1.4M14.3 14.3l1.4 1.4M15.7 4.3l-1.4 1.4M5.7 14.3l-1.4 1.4",
  moon: "M16 11.8A6.5 6.5 0 0 1 8.2 4a6.5 6.5 0 1 0 7.8 7.8z",
  auto: "M10 3a7 7 0 1 0 0 14zM10 3a7 7 0 0 1 0 14",
  copy: "M7 7h9v9H7zM4 13V4h9",
  plus: "M10 4v12M4 10h12",
  close: "M5 5l10 10M15 5 5 15",
  up: "M10 16V5M5.5 9.5 10 5l4.5 4.5",
  down: "M10 4v11M5.5 10.5 10 15l4.5-4.5",
  fold: "M12.5 5 7.5 10l5 5",
  unfold: "M7.5 5l5 5-5 5",
  more: "M4.5 10h.01M10 10h.01M15.5 10h.01",
  hand: "M6.5 10V5.5a1 1 0 0 1 2 0V9M8.5 9V4a1 1 0 0 1 2 0v5M10.5 9V5a1 1 0 0 1 2 0v5M12.5 8a1 1 0 0 1 2 0v4.5a4.5 4.5 0 0 1-8.3 2.4L4 11.5a1 1 0 0 1 1.6-1.2L6.5 11.5",
  play: "M6 4l10 6-10 6z",
  stop: "M5.5 5.5h9v9h-9z",
  link: "M8.5 11.5l3-3M7 9l-2 2a2.8 2.8 0 0 0 4 4l2-2M13 11l2-2a2.8 2.8 0 0 0-4-4L9 7",
  model: "M6 6h8v8H6zM8.5 6V3M11.5 6V3M8.5 17v-3M11.5 17v-3M6 8.5H3M6 11.5H3M17 8.5h-3M17 11.5h-3",
  out: "M11.5 4H16v12h-4.5M3.5 10h8M8.5 7l3 3-3 3",
  check: "M4 10.5l4 4 8-9",
};

/** Icon is a picture beside a text, and tells nothing by itself. */
export function Icon({ name }: { name: string }) {
  return (
    <svg class="ico" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={paths[name] ?? ""} />
    </svg>
  );
}
