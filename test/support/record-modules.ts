import { appendFileSync } from "node:fs";
import { register } from "node:module";
import { isMainThread } from "node:worker_threads";

/*
 * Given to Node with `--import`: writes the URL of every module that the process loads to the file that
 * RECORDED_MODULES names, a line each. Node runs the hooks in a thread of their own, from this same file.
 */
if (isMainThread) register(import.meta.url);

type Resolved = { url: string };

export async function resolve(
  specifier: string,
  context: unknown,
  next: (specifier: string, context: unknown) => Promise<Resolved>,
): Promise<Resolved> {
  const resolved = await next(specifier, context);
  appendFileSync(process.env.RECORDED_MODULES as string, `${resolved.url}\n`);
  return resolved;
}
