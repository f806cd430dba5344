import type { McphubInspectionItem } from "../../api/types";

/** base is where the API keeps a server. */
export const base = (id: string) => "/api/mcp/servers/" + encodeURIComponent(id);

/** Def is what a server says of something: anything at all. */
export type Def = Record<string, any>;

/** Operate does an operation of the inspector, or what stands at another place; null when it could not be done. */
export type Operate = (
  path: string,
  body?: unknown,
  elsewhere?: string,
  signal?: AbortSignal,
) => Promise<McphubInspectionItem | null>;
