import { StampedeClient } from "#client";
import { closeStore, connectStore } from "#postgres";
import type { Terminal } from "../terminal.ts";
import { checkRun } from "./check-run.ts";
import { planSending } from "./plan-requests.ts";
import { malformedOf, type PreparedRun, prepareRun } from "./prepare-run.ts";
import { disagreeing, formatNumber, formatTable, type Section } from "./report.ts";
import { type PlatformAccess, prepareRewards, type RewardRun } from "./rewards/reward-run.ts";
import { Progress, Sender } from "./send-requests.ts";
import { watchLine } from "./watch-line.ts";
import { countEvents, prepareEvents } from "./webhook-events.ts";

export interface DemoOptions {
  readonly publisherUrl: string;
  readonly databaseUrl: string;
  /** A write token. */
  readonly token: string;
  /** The reference platform. Where there is none, or none answers, nothing is rewarded. */
  readonly platform?: PlatformAccess | undefined;
  /** Of the console, where one can watch; absent where it lets nobody in by a link. */
  readonly consoleUrl?: string | undefined;
  readonly terminal: Terminal;
  /** An earlier run, to be sent again; absent for a new one. */
  readonly run?: string | undefined;
  /** Fewer events than the demo has, for tests; of an earlier run as many as it had. */
  readonly events?: number | undefined;
  /** How long events answered 202 may take until they are seen in Postgres, and rewards in the wallets. Default 30 s. */
  readonly settleMs?: number;
}

const DEFAULT_SETTLE_MS = 30_000;
/** Connections, each with one request under way. */
const LANES = 8;
/** Somebody looks on: a service that is not there is told soon. */
const RETRY_FOR_MS = 5_000;

/**
 * Streams the sample to a running instance, and the payments of its retailers to the platform. Holds every
 * answer, every stored row and every wallet against an independent model, and says on the terminal what it found.
 * @returns whether every number agrees
 * @throws CommandError, or the StampedeError of a request that failed for good
 */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { publisherUrl: baseUrl, token, terminal, settleMs = DEFAULT_SETTLE_MS } = options;
  const client = new StampedeClient({ baseUrl, token, connections: LANES, retryForMs: RETRY_FOR_MS });
  const store = connectStore({ url: options.databaseUrl, max: 1, applicationName: "stampede-demo" });
  const leaveOut = <T>(prepared: T | string, what: string): T | undefined => {
    if (typeof prepared !== "string") return prepared;
    terminal.err(`${prepared}: ${what} are left out`);
    return undefined;
  };
  try {
    const run = await prepareRun(client, store, token, options.run, options.events);
    terminal.err(describeRun(run, baseUrl));
    if (options.consoleUrl !== undefined) terminal.err(await watchLine(store, options.consoleUrl));
    const rewardOptions = { publisher: client, lanes: LANES, settleMs };
    const rewarded = await prepareRewards(run, options.platform, rewardOptions);
    const rewards = leaveOut(rewarded, "stamps and cashbacks");
    if (rewards !== undefined) terminal.err(describeRewards(rewards));
    // Only of a new run: what an earlier one had come to was told when it was made.
    const told = run.isSentAgain ? undefined : await prepareEvents(client, run.prefix);
    const events = leaveOut(told, "webhooks");
    try {
      const sender = await send(client, run, rewards, terminal);
      const settled = [
        await rewards?.judge(),
        await events?.judge(countEvents(rewards?.plan, sender.tally.untold), settleMs),
      ];
      const readBack = await checkRun(client, store, run, settleMs);
      const sections = [sender.tally.section, readBack, ...settled].filter(
        (section) => section !== undefined,
      );
      const agrees =
        sections.every(({ examples }) => examples.length === 0) && disagreeing(sections).length === 0;
      for (const line of report(run, sender, sections, agrees)) terminal.out(line);
      return agrees;
    } finally {
      await events?.end();
    }
  } finally {
    await Promise.all([client.close(), closeStore(store)]);
  }
}

async function send(
  client: StampedeClient,
  run: PreparedRun,
  rewards: RewardRun | undefined,
  terminal: Terminal,
): Promise<Sender> {
  const progress = new Progress(terminal, countSent(run));
  const sender = new Sender(client, run.outcomes, progress);
  const { first, last } = planSending(run.entries, run.outcomes, LANES, rewards?.plan.heldIds ?? new Set());
  try {
    await rewards?.payLive();
    await sender.send(first);
    await rewards?.payNightly();
    await rewards?.settle();
    await sender.send(last);
    return sender;
  } finally {
    progress.end();
  }
}

const countSent = ({ events, entries }: PreparedRun): number => events.length + malformedOf(entries).length;

function describeRun(run: PreparedRun, url: string): string {
  const what = `${formatNumber(countSent(run))} events of ${formatNumber(run.memberIds.size)} members to ${url}`;
  const again = `; ${formatNumber(run.storedBefore)} of its transactions are stored already`;
  return `run ${run.tag}: ${what}${run.storedBefore > 0 ? again : ""}`;
}

function describeRewards({ plan }: RewardRun): string {
  const retailers = [...plan.payments].map(
    ([{ name }, payments]) => `${formatNumber(payments.length)} payments of ${name}`,
  );
  const enrolled = plan.wallets.filter(({ cards }) => cards.length > 0).length;
  return `${retailers.join(", ")}; ${formatNumber(enrolled)} members are enrolled`;
}

function report(run: PreparedRun, sender: Sender, sections: readonly Section[], agrees: boolean): string[] {
  const differing = disagreeing(sections).map(({ name }) => name);
  return [
    ...formatTable(sections),
    "",
    ...describeSpeed(countSent(run), sender),
    `all of it again, as resends: npm run demo -- --run ${run.tag}`,
    "",
    ...sections.flatMap(({ examples }) => examples.map((example) => `  ${example}`)),
    agrees ? "every number agrees" : `DISAGREEMENT: ${differing.join(", ") || "see the lines above"}`,
  ];
}

function describeSpeed(events: number, sender: Sender): string[] {
  const { requests, seconds, retries, tally } = sender;
  const rate = formatNumber(Math.round(events / seconds));
  const retried = retries > 0 ? `, ${retries} attempts repeated` : "";
  return [
    `${rate} events/s: ${requests} requests over ${LANES} connections in ${seconds.toFixed(2)} s${retried}`,
    ...(tally.late > 0 ? [`${tally.late} answers came before their commit, which took too long`] : []),
    `answer after commit ${describeTimes(sender.waitedMs)}; answer 202 ${describeTimes(sender.asyncMs)}`,
  ];
}

/** Each percentile is the smallest of the times that at least this share of them does not exceed. */
function describeTimes(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const percentile = (share: number) =>
    (sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0).toFixed(1);
  return `p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms`;
}
