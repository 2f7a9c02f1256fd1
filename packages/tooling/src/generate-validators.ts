/*
 * Writes packages/contract/src/generated/validators.ts from the schemas of the route table; `npm run check`
 * compares the two.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./root.ts";
import { VALIDATORS_FILE, validatorsSource } from "./validators-source.ts";

writeFileSync(join(ROOT, VALIDATORS_FILE), validatorsSource());
