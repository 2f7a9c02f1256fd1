/**
 * The last step of `npm run build`: writes the validators next to the compiled code, for
 * `validation/validators.d.ts`.
 */
import { writeFileSync } from "node:fs";
import { validatorsSource } from "./validators-source.ts";

writeFileSync(new URL("../validation/validators.js", import.meta.url), validatorsSource());
