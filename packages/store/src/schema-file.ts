import { fileURLToPath } from "node:url";

/** The committed dump. This leads from dist/packages/store/src back to the source tree. */
export const SCHEMA_FILE = fileURLToPath(new URL("../../../../packages/store/schema.txt", import.meta.url));
