import { fileURLToPath } from "node:url";

/** The checkout, with a slash at its end. This leads there from dist/packages/tooling/src. */
export const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
