import { prepareBatch } from "./prepare-batch.ts";

/** What a worker thread runs: see `prepareBatch`. Message bytes arrive by transfer. */
export default prepareBatch;
