import type { Attached, Picture } from "./turns";

/** Question is what a person sends. */
export interface Question {
  text: string;
  pictures: Picture[];
  documents?: Attached[];
  /** Only these tools are offered in this turn. */
  tools?: string[];
}
