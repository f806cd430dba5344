import { Button } from "../../ui/parts";
import type { Files } from "./composerfiles";

/** FileChips are the files of a question, and the tools that it is limited to. */
export function FileChips({ files, only }: { files: Files; only: string[] }) {
  return (
    <div class="row">
      {only.length > 0 && (
        <span class="chip" data-testid="mentioned">
          Only for this turn: {only.join(", ")}
        </span>
      )}
      {files.documents.map((d, i) => (
        <span class="chip" data-testid="attached" data-id={d.name}>
          <span class="cut">{d.name}</span>{" "}
          <span class="hint num">~{Math.ceil(d.text.length / 4).toLocaleString("en")} tokens</span>
          <Button
            tid="document-remove"
            small
            kind="quiet"
            icon="close"
            label={"Remove " + d.name}
            onClick={() => files.remove("documents", i)}
          />
        </span>
      ))}
      {files.pictures.map((x, i) => (
        <span class="chip" data-testid="attached" data-id={x.name}>
          <span class="cut">{x.name || "picture"}</span>
          <Button
            tid="picture-remove"
            small
            kind="quiet"
            icon="close"
            label={"Remove " + (x.name || "the picture")}
            onClick={() => files.remove("pictures", i)}
          />
        </span>
      ))}
    </div>
  );
}
