/** `npm run generate`: writes the Kubernetes copies of what deploy/nats and deploy/prometheus hold. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { kubernetesFiles } from "./kubernetes-files.ts";
import { ROOT } from "./root.ts";

for (const { file, text } of kubernetesFiles(ROOT)) {
  mkdirSync(dirname(join(ROOT, file)), { recursive: true });
  writeFileSync(join(ROOT, file), text);
}
