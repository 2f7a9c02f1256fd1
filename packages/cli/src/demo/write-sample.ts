/** `node dist/packages/cli/src/demo/write-sample.js` writes the committed sample anew. */
import { writeFileSync } from "node:fs";
import { generateSample } from "./generate-sample.ts";
import { SAMPLE_FILE, writeSample } from "./sample.ts";

writeFileSync(SAMPLE_FILE, writeSample(generateSample()));
