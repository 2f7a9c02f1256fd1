import { get } from "node:http";
import type { Observation, Source } from "./change.ts";
import { Scrape } from "./scrape.ts";
import type { Targets } from "./targets.ts";

interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
}

/** A source that also answered why it is not ready. */
export interface ReadySource extends Source {
  readonly readiness: Readiness;
}

/** Asks each process for its metrics and its readiness. An address that does not answer is no error. */
export async function observe(targets: Targets): Promise<Observation<ReadySource>> {
  const { urls, unresolved } = await targets.find(performance.now());
  const answers = await Promise.allSettled(urls.map(observeOne));
  const sources = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const silent = answers.flatMap((answer, i) =>
    answer.status === "rejected" ? [{ url: urls[i] as string, reason: reasonOf(answer.reason) }] : [],
  );
  return { sources, silent: [...unresolved, ...silent] };
}

async function observeOne(url: string): Promise<ReadySource> {
  const [metrics, verbose] = await Promise.all([getText(`${url}/metrics`), getText(`${url}/readyz?verbose`)]);
  const readiness = JSON.parse(verbose) as Readiness;
  if (typeof readiness?.ready !== "boolean") throw new Error("it is not an operations endpoint of Stampede");
  return { url, at: performance.now(), scrape: new Scrape(metrics), readiness };
}

function reasonOf(error: unknown): string {
  if (error instanceof SyntaxError) return "it is not an operations endpoint of Stampede";
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

const ANSWER_MS = 5_000;

/**
 * The text of an operations endpoint, with any status. Not by `fetch`, which refuses some ports that a server
 * may well have, such as 6000. Rejects with the socket's error, or `ETIMEDOUT`.
 * @param answerMs how long the other side may be silent
 */
export function getText(url: string, answerMs = ANSWER_MS): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: answerMs }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.once("end", () => resolve(text));
      response.once("error", reject);
    });
    request.once("timeout", () => {
      request.destroy(Object.assign(new Error("no answer"), { code: "ETIMEDOUT" }));
    });
    request.once("error", reject);
  });
}
