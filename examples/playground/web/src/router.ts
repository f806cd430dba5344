import { signal } from "@preact/signals";

/** Where the page is. */
export const place = signal({ path: location.pathname, query: location.search });

/** landing is what gets the focus on the next page: its title, where nobody says otherwise. */
export const landing = { on: "h1" };

/** leaving may keep the page from going: it is asked before. */
export const leaving = signal<(() => void) | null>(null);

function settle() {
  place.value = { path: location.pathname, query: location.search };
}
addEventListener("popstate", settle);

/** go opens a page of this application. */
export function go(to: string, replace = false) {
  leaving.value?.();
  if (to === location.pathname + location.search) return settle();
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  settle();
  if (!replace) scrollTo(0, 0);
}

/** setQuery changes the end of the address without a new page. */
export function setQuery(query: string) {
  if (query !== location.search) {
    history.replaceState(null, "", location.pathname + query);
    place.value = { path: location.pathname, query: location.search };
  }
}

/** follow makes a click on one of our links a change of the page. */
export function follow(event: MouseEvent) {
  if (
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey ||
    event.altKey
  )
    return;
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  if (/^\/(api|assets|mcp|healthz|readyz)(\/|$)/.test(link.pathname)) return;
  if (link.hash && link.pathname === location.pathname) return;
  event.preventDefault();
  go(link.pathname + link.search);
}
