import type { ComponentChildren } from "preact";
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { actions, type Action } from "./keys";

/** The title and the way back, which the frame shows for the page. */
export const heading = signal<{ title: string; crumbs: [string, string][] }>({ title: "", crumbs: [] });

/** Page is what every route is made of: its title, its actions, its content. */
export function Page({
  title,
  crumbs = [],
  own = [],
  full,
  children,
}: {
  title: string;
  crumbs?: [string, string][];
  own?: Action[];
  full?: boolean;
  children: ComponentChildren;
}) {
  useLayoutEffect(() => {
    heading.value = { title, crumbs };
    document.title = title + " · localpass";
  }, [title, JSON.stringify(crumbs)]);
  useEffect(() => {
    actions.value = own;
  });
  useEffect(() => () => void (actions.value = []), []);
  return <div class={"page" + (full ? " full" : "")}>{children}</div>;
}
