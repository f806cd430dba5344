import { signal } from "@preact/signals";
import type { ServerHome } from "../api/types";
import type { Loaded } from "../ui/data";

/** home is what the first page shows. The frame reads it, and shares it with that page: one request serves both. */
export const home = signal<Loaded<ServerHome | null>>({
  data: undefined,
  error: null,
  loading: true,
  reload: () => undefined,
  set: () => undefined,
});
