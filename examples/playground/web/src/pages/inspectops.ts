import type { McphubInspectionItem } from "../api/types";

/** base is where the API keeps a server. */
export const base = (id: string) => "/api/mcp/servers/" + encodeURIComponent(id);

/** Def is what a server says of something: anything at all. */
export type Def = Record<string, any>;

/** Operate does an operation of the inspector; null when it could not be done. */
export type Operate = (path: string, body?: unknown) => Promise<McphubInspectionItem | null>;
