import { StampedeClient } from "#client";
import { closeStore, connectStore, type Store } from "#store";
import type { Terminal } from "../terminal.ts";
import { checkRun, type Verdict } from "./check-run.ts";
import { LANES, type PreparedRun, prepareRun } from "./prepare-run.ts";
import { Progress } from "./progress.ts";
import { formatNumber, formatTable, percentile } from "./report.ts";
import { type Sent, sendRequests } from "./send-requests.ts";

export interface DemoOptions {
  readonly publisherUrl: string;
  readonly databaseUrl: string;
  /** A write token. */
  readonly token: string;
  readonly terminal: Terminal;
  /** An earlier run, to be sent again; absent for a new one. */
  readonly run?: string | undefined;
  /** How long events answered 202 may take until they are seen in Postgres. Default 30 s. */
  readonly settleMs?: number;
}

const DEFAULT_SETTLE_MS = 30_000;

/**
 * Streams the committed sample to a running instance and holds every answer, and then every stored row, against an
 * independent model. Says on the terminal what it found.
 * @returns whether every number agrees
 * @throws CommandError, or the StampedeError of a request that failed for good
 */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { publisherUrl: baseUrl, token, terminal } = options;
  const client = new StampedeClient({ baseUrl, token, connections: LANES });
  const store = connectStore({ url: options.databaseUrl, max: 1, applicationName: "stampede-demo" });
  try {
    const run = await prepareRun(client, store, token, options.run);
    terminal.err(describeRun(run, baseUrl));
    const sent = await send(client, run, terminal);
    const verdict = await checkRun(client, store, run, sent.tally, options.settleMs ?? DEFAULT_SETTLE_MS);
    for (const line of report(run, sent, verdict)) terminal.out(line);
    return verdict.agrees;
  } finally {
    await close(client, store);
  }
}

async function send(client: StampedeClient, run: PreparedRun, terminal: Terminal): Promise<Sent> {
  const progress = new Progress(terminal, run.events);
  try {
    return await sendRequests(client, run.lanes, progress);
  } finally {
    progress.end();
  }
}

async function close(client: StampedeClient, store: Store): Promise<void> {
  await Promise.all([client.close(), closeStore(store)]);
}

function describeRun(run: PreparedRun, url: string): string {
  const what = `${formatNumber(run.events)} events of ${formatNumber(run.members)} members to ${url}`;
  const again = `; ${formatNumber(run.storedBefore)} of its transactions are stored already`;
  return `run ${run.tag}: ${what}${run.storedBefore > 0 ? again : ""}`;
}

function report(run: PreparedRun, sent: Sent, verdict: Verdict): string[] {
  const { sections, examples, differing, agrees } = verdict;
  return [
    ...formatTable(sections),
    "",
    ...describeSpeed(run, sent),
    `all of it again, as resends: npm run demo -- --run ${run.tag}`,
    "",
    ...examples.map((example) => `  ${example}`),
    agrees ? "every number agrees" : `DISAGREEMENT: ${differing.join(", ") || "see the lines above"}`,
  ];
}

function describeSpeed(run: PreparedRun, sent: Sent): string[] {
  const rate = formatNumber(Math.round(run.events / sent.seconds));
  const retried = sent.retries > 0 ? `, ${sent.retries} attempts repeated` : "";
  const ofSorted = (ms: readonly number[]) =>
    `p50 ${percentile(ms, 0.5).toFixed(1)} ms, p99 ${percentile(ms, 0.99).toFixed(1)} ms`;
  return [
    `${rate} events/s: ${sent.requests} requests over ${LANES} connections in ${sent.seconds.toFixed(2)} s${retried}`,
    ...(sent.tally.late > 0
      ? [`${sent.tally.late} answers came before their commit, which took too long`]
      : []),
    `answer after commit ${ofSorted(sent.waitedMs)}; answer 202 ${ofSorted(sent.asyncMs)}`,
  ];
}
