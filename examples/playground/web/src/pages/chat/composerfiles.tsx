import { useState } from "preact/hooks";
import { announce, Button } from "../../ui/parts";
import type { Question } from "./question";
import type { Attached, Picture } from "./turns";

export interface Files {
  pictures: Picture[];
  documents: Attached[];
  count: number;
  /** add reads files, and returns why some of them cannot be sent, or "". */
  add: (files: Iterable<File>) => Promise<string>;
  remove: (what: "pictures" | "documents", at: number) => void;
  replace: (q: Pick<Question, "pictures" | "documents"> | null) => void;
}

/** useFiles keeps the files that go with a question. vision says whether the model sees pictures. */
export function useFiles(given: Question | null, vision: boolean): Files {
  const [pictures, setPictures] = useState<Picture[]>(given?.pictures ?? []);
  const [documents, setDocuments] = useState<Attached[]>(given?.documents ?? []);
  const count = pictures.length + documents.length;
  return {
    pictures,
    documents,
    count,
    add: async (files) => {
      const list = [...files]; // the list of an input is empty after a while
      const { take } = await import("./chatpanels");
      const got = await take(list, { pictures, documents }, vision);
      setPictures(got.pictures);
      setDocuments(got.documents);
      const added = got.pictures.length + got.documents.length - count;
      if (added > 0) announce(added + (added === 1 ? " file attached." : " files attached."));
      return got.problems.join(" ");
    },
    remove: (what, at) =>
      what === "pictures"
        ? setPictures(pictures.filter((_, n) => n !== at))
        : setDocuments(documents.filter((_, n) => n !== at)),
    replace: (q) => {
      setPictures(q?.pictures ?? []);
      setDocuments(q?.documents ?? []);
    },
  };
}

/** FileChips are the files of a question, and the tools that it is limited to. */
export function FileChips({ files, only }: { files: Files; only: string[] }) {
  if (files.count + only.length === 0) return null;
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
