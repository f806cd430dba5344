import { useRef, useState } from "preact/hooks";
import { Button, bytes, announce } from "../../ui/parts";
import { dismissUpload, upload, uploads } from "./upload";

/** UploadBox takes files that are dropped or chosen, and shows how far each is. */
export function UploadBox({ most, onTaken }: { most: number; onTaken: () => void }) {
  const file = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const send = async (files: File[]) => {
    for (const f of files) {
      const taken = await upload(f, "?name=" + encodeURIComponent(f.name), most);
      if (taken) announce(f.name + " was sent");
      onTaken();
    }
  };
  return (
    <div class="stack tight">
      <div
        class={"doc-drop row spread" + (over ? " over" : "")}
        data-testid="documents-drop"
        onDragOver={(e) => (e.preventDefault(), setOver(true))}
        onDragLeave={() => setOver(false)}
        onDrop={(e) => {
          e.preventDefault();
          setOver(false);
          void send([...(e.dataTransfer?.files ?? [])]);
        }}
      >
        <span class="muted">
          Drop files here: PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, HTML, Markdown, CSV, JSON, e-mail
          or text, up to {bytes(most)} each.
        </span>
        <Button tid="documents-choose" kind="primary" icon="plus" onClick={() => file.current?.click()}>
          Add files
        </Button>
        <input
          ref={file}
          type="file"
          multiple
          hidden
          data-testid="documents-file"
          aria-label="Files"
          onChange={(e) => {
            const files = [...(e.currentTarget.files ?? [])];
            e.currentTarget.value = "";
            void send(files);
          }}
        />
      </div>
      {uploads.value.map((u) => (
        <div class={"note row spread" + (u.problem ? " bad" : "")} key={u.id} data-testid="upload">
          <span class="wrap">
            <strong>{u.name}</strong> {u.problem || "sent " + bytes(u.sent) + " of " + bytes(u.size)}
          </span>
          {u.problem ? (
            <Button tid="upload-dismiss" small onClick={() => dismissUpload(u.id)}>
              Dismiss
            </Button>
          ) : (
            <span class="row nowrap">
              <progress max={u.size} value={u.sent} aria-label={"Sending " + u.name} />
              <Button tid="upload-cancel" small onClick={u.stop}>
                Cancel
              </Button>
            </span>
          )}
        </div>
      ))}
    </div>
  );
}
