import type { Attached, Picture } from "./turns";

const maxPicture = 10 << 20; // bytes, as the server takes
const maxText = 1 << 20; // bytes of all documents of a question together
const most = 5; // of each kind

/** Taken is what came of some files: what can be sent, and why the rest cannot. */
export interface Taken {
  pictures: Picture[];
  documents: Attached[];
  problems: string[];
}

const base64 = (file: File) =>
  new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",")[1] ?? "");
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });

/** take reads files as pictures or as text; others cannot go with a question. */
export async function take(
  files: File[],
  have: { pictures: Picture[]; documents: Attached[] },
  vision: boolean,
): Promise<Taken> {
  const out: Taken = { pictures: [...have.pictures], documents: [...have.documents], problems: [] };
  const encoder = new TextEncoder();
  let size = out.documents.reduce((n, d) => n + encoder.encode(d.text).length, 0);
  for (const f of files) {
    try {
      if (/^image\/(png|jpeg|webp|gif)$/.test(f.type)) {
        if (!vision)
          out.problems.push(f.name + " is a picture, and this model sees none. Choose a model with vision.");
        else if (f.size > maxPicture) out.problems.push(f.name + " is larger than 10 MB.");
        else if (out.pictures.length >= most)
          out.problems.push(f.name + " is one too many: at most " + most + " pictures go with a question.");
        else out.pictures.push({ name: f.name, mimeType: f.type, data: await base64(f) });
        continue;
      }
      if (f.size + size > maxText) {
        out.problems.push(f.name + " does not fit: all documents of a question have at most 1 MB of text.");
        continue;
      }
      if (out.documents.length >= most) {
        out.problems.push(f.name + " is one too many: at most " + most + " documents go with a question.");
        continue;
      }
      let text: string;
      try {
        text = new TextDecoder("utf-8", { fatal: true }).decode(await f.arrayBuffer());
      } catch {
        text = "\0";
      }
      if (text.includes("\0"))
        out.problems.push(f.name + " is no text and no PNG, JPEG, WebP or GIF. Save it as text first.");
      else if (text.trim() === "") out.problems.push(f.name + " has no text in it.");
      else {
        out.documents.push({ name: f.name, text, ...(f.type ? { mimeType: f.type } : {}) });
        size += f.size;
      }
    } catch {
      out.problems.push(f.name + " could not be read. Is it still where it was?");
    }
  }
  return out;
}
