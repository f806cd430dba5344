import { query, send } from "../../api/client";
import { save } from "../shared/save";

/** download saves the documents of tools as a file; without ids, those of all that are the user's own. */
export async function download(ids: string[], name: string) {
  const { data } = await send<unknown>("GET", "/api/tools/export" + query({ ids }));
  save(JSON.stringify(data, null, 2), name + ".json", "application/json");
}
