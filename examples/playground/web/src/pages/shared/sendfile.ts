import { ApiError } from "../../api/client";
import type { Problem } from "../../api/types";
import { bytes } from "../../ui/parts";

/** tooLarge says why a file is not sent; empty: it is. */
export const tooLarge = (file: File, most: number) =>
  file.size > most
    ? "It has " +
      bytes(file.size) +
      ", and up to " +
      bytes(most) +
      " are taken. Divide it, or raise the setting retrieval.maxFile and start again."
    : file.size === 0
      ? "The file is empty."
      : "";

function problemOf(status: number, text: string): ApiError {
  let problem: Problem = {
    type: "about:blank",
    code: status === 0 ? "offline" : "http_" + status,
    status,
    title: status === 0 ? "The playground does not answer." : "The server answered " + status + ".",
    requestId: "",
  };
  try {
    problem = { ...problem, ...(JSON.parse(text) as Problem) };
  } catch {
    // The answer is no text of the API: the status says enough.
  }
  return new ApiError(problem, status);
}

/** sendFile sends a file and reports how many of its bytes were sent. It ends with null if it was stopped. */
export function sendFile<T>(
  path: string,
  file: File,
  onSent: (bytes: number) => void,
): { done: Promise<T | null>; stop: () => void } {
  const request = new XMLHttpRequest();
  const done = new Promise<T | null>((resolve, reject) => {
    request.upload.onprogress = (e) => onSent(e.loaded);
    request.onload = () => {
      if (request.status < 300) resolve(JSON.parse(request.responseText) as T);
      else reject(problemOf(request.status, request.responseText));
    };
    request.onerror = () => reject(problemOf(0, ""));
    request.onabort = () => resolve(null);
    request.open("POST", path);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.setRequestHeader("Accept", "application/json");
    request.send(file);
  });
  return { done, stop: () => request.abort() };
}
