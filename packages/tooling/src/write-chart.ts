/** `npm run chart [-- folder]`: the Helm chart, in `.stampede/helm/stampede` or the given folder. */
import { rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { writeChart } from "./helm-chart.ts";
import { ROOT } from "./root.ts";

const [named] = process.argv.slice(2);
const folder = named === undefined ? join(ROOT, ".stampede/helm/stampede") : resolve(named);
// Otherwise a template that this version no longer has would be installed as well. In another folder nothing
// is ours to remove.
if (named === undefined) rmSync(folder, { recursive: true, force: true });
writeChart(ROOT, folder);
process.stdout.write(`${folder}\n`);
