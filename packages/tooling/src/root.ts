import { fileURLToPath } from "node:url";

/** The checkout, with a slash at its end. The path leads there from dist/packages/tooling/src. */
export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** A committed file that is generated, by its path from the root of the checkout. */
export interface GeneratedFile {
  readonly file: string;
  readonly text: string;
}
