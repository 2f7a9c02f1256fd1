import { readFileSync } from "node:fs";
import {
  answerMetrics,
  answerReadiness,
  type CheckResult,
  type Cleanup,
  createRegistry,
  explainListenError,
  Health,
  joinFamilies,
  MetricFactory,
  type Ops,
  type OpsAnswer,
  OpsEndpoints,
  type Readiness,
  readMetricsJson,
  type Settings,
  serveOps,
  showReadiness,
} from "#runtime";
import { Children, standaloneMetrics } from "./children.ts";
import type { Say } from "./step.ts";

const { version: VERSION } = JSON.parse(
  readFileSync(new URL("../../../../package.json", import.meta.url), "utf8"),
) as { version: string };

/** Asks for an operations answer: of this process itself, or of a service over IPC. */
export type Asked = (path: string) => Promise<OpsAnswer>;

/** The operations endpoints of this process, and of the services once they are there. */
export function ownOperations(say: Say) {
  const registry = createRegistry("standalone", VERSION);
  const factory = new MetricFactory(registry);
  const metrics = standaloneMetrics(factory);
  const health = new Health();
  showReadiness(factory, health);
  const children = new Children(say, metrics);
  let isStarted = false;
  // Until the services are there, only this process can say that they are not ready.
  health.addCheck("start", () => ({ ok: isStarted, detail: isStarted ? "done" : "still starting" }));
  const endpoints = new OpsEndpoints(health, registry);
  const own: Asked = (path) => {
    for (const name of children.names()) health.addCheck(name, () => children.check(name));
    children.updateMetrics();
    return endpoints.answer(path);
  };
  const parts = new Map([["standalone", own]]);
  const include = (asked: ReadonlyMap<string, Asked>): void => {
    for (const [name, ask] of asked) parts.set(name, ask);
    isStarted = true;
  };
  return { health, children, include, answer: combineOps(own, parts) };
}

export async function openOperations(
  { opsHost, opsPort }: Settings,
  answer: Ops,
  cleanup: Cleanup,
): Promise<string> {
  const server = await serveOps(answer, { host: opsHost, port: opsPort }).catch((error) => {
    throw explainListenError(error, "operations endpoints", opsHost, opsPort, "STAMPEDE_OPS_PORT");
  });
  cleanup.defer(() => server.close());
  return httpUrl(opsHost, server.port);
}

/**
 * The operations endpoints of the whole all-in-one: alive while this process is, ready when every part is,
 * and the metrics of all parts, told apart by their label `service`. Check names are `<part>.<check>`.
 */
export function combineOps(own: Asked, parts: ReadonlyMap<string, Asked>): Ops {
  return async (pathAndQuery, accept) => {
    const [path, query = ""] = pathAndQuery.split("?", 2);
    if (path === "/readyz") return answerReadiness(await readinessOf(parts), query);
    if (path === "/metrics") {
      const wanted = query === "" ? "/metrics.json" : `/metrics.json?${query}`;
      const answers = await Promise.allSettled([...parts.values()].map((ask) => ask(wanted)));
      const families = answers.flatMap((answer) =>
        answer.status === "fulfilled" ? [readMetricsJson(answer.value.body)] : [],
      );
      return answerMetrics(joinFamilies(families), accept);
    }
    return own(pathAndQuery);
  };
}

async function readinessOf(parts: ReadonlyMap<string, Asked>): Promise<Readiness> {
  const answers = await Promise.all(
    [...parts].map(async ([name, ask]) => ({ name, ...(await readiness(ask)) })),
  );
  const checks: Record<string, CheckResult> = {};
  for (const { name, checks: found } of answers) {
    for (const [check, result] of Object.entries(found)) checks[`${name}.${check}`] = result;
  }
  return { ready: answers.every(({ ready }) => ready), checks };
}

async function readiness(ask: Asked): Promise<Readiness> {
  try {
    return JSON.parse((await ask("/readyz?verbose")).body) as Readiness;
  } catch (error) {
    return { ready: false, checks: { running: { ok: false, detail: (error as Error).message } } };
  }
}

/**
 * A URL that works on this machine: a server that listens on every address is reached by the loopback
 * address.
 */
export function httpUrl(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
