import {
  answerMetrics,
  type CheckResult,
  joinFamilies,
  type Ops,
  type OpsAnswer,
  readMetricsJson,
} from "#runtime";

/** Whoever can be asked: this process itself, or a service over IPC. */
export type Asked = (path: string) => Promise<OpsAnswer>;

const JSON_TYPE = "application/json";

interface Readiness {
  readonly ready: boolean;
  readonly checks: Record<string, CheckResult>;
}

/**
 * The operations endpoints of the whole: alive while this process is, ready when every part is, metrics of all parts
 * told apart by their label `service`. Check names are `<part>.<check>`.
 */
export function combineOps(own: Asked, parts: ReadonlyMap<string, Asked>): Ops {
  return async (pathAndQuery, accept) => {
    const [path, query = ""] = pathAndQuery.split("?", 2);
    if (path === "/readyz") {
      const readiness = await readinessOf(parts);
      return answerReadiness(readiness, /(^|&)verbose(=|&|$)/.test(query));
    }
    if (path === "/metrics") {
      const answers = await Promise.allSettled([...parts.values()].map((ask) => ask("/metrics.json")));
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

function answerReadiness(readiness: Readiness, verbose: boolean): OpsAnswer {
  const status = readiness.ready ? 200 : 503;
  if (verbose) return { status, contentType: JSON_TYPE, body: `${JSON.stringify(readiness, null, 2)}\n` };
  return {
    status,
    contentType: "text/plain; charset=utf-8",
    body: readiness.ready ? "ready\n" : "not ready\n",
  };
}
