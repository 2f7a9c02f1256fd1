import { PlatformClient, StampedeClient, StampedeError } from "#client";
import { closeStore, connectStore, type Store } from "#postgres";
import type { Terminal } from "../terminal.ts";
import { checkRun, type Verdict } from "./check-run.ts";
import { EventRun } from "./events/event-run.ts";
import { countEvents } from "./events/received-events.ts";
import { planSending } from "./plan-requests.ts";
import { type PreparedRun, prepareRun } from "./prepare-run.ts";
import { Progress } from "./progress.ts";
import { formatNumber, formatTable, percentile } from "./report.ts";
import { type PlatformAccess, RewardRun } from "./rewards/reward-run.ts";
import { Sender, type Sent } from "./send-requests.ts";

export interface DemoOptions {
  readonly publisherUrl: string;
  readonly databaseUrl: string;
  /** A write token. */
  readonly token: string;
  /** The reference platform. Where there is none, or none answers, nothing is rewarded. */
  readonly platform?: PlatformAccess | undefined;
  readonly terminal: Terminal;
  /** An earlier run, to be sent again; absent for a new one. */
  readonly run?: string | undefined;
  /** How long events answered 202 may take until they are seen in Postgres, and rewards in the wallets. Default 30 s. */
  readonly settleMs?: number;
}

const DEFAULT_SETTLE_MS = 30_000;
/** Connections, each with one request under way. */
const LANES = 8;

/**
 * Streams the sample to a running instance, and the payments of its retailers to the platform. Holds every
 * answer, every stored row and every wallet against an independent model, and says on the terminal what it found.
 * @returns whether every number agrees
 * @throws CommandError, or the StampedeError of a request that failed for good
 */
export async function runDemo(options: DemoOptions): Promise<boolean> {
  const { publisherUrl: baseUrl, token, terminal } = options;
  const settleMs = options.settleMs ?? DEFAULT_SETTLE_MS;
  const client = new StampedeClient({ baseUrl, token, connections: LANES });
  const store = connectStore({ url: options.databaseUrl, max: 1, applicationName: "stampede-demo" });
  try {
    const run = await prepareRun(client, store, token, options.run);
    terminal.err(describeRun(run, baseUrl));
    const rewards = await prepareRewards(options, client, run, settleMs);
    const events = await prepareEvents(client, run, terminal);
    try {
      const sent = await send(client, run, rewards, terminal);
      const judged = [
        await rewards?.judge(),
        await events?.judge(countEvents(rewards?.plan, sent.tally.untold), settleMs),
      ].filter((section) => section !== undefined);
      const verdict = await checkRun(client, store, run, sent.tally, settleMs, judged);
      for (const line of report(run, sent, verdict)) terminal.out(line);
      return verdict.agrees;
    } finally {
      await events?.end();
    }
  } finally {
    await close(client, store);
  }
}

async function prepareRewards(
  { platform, terminal }: DemoOptions,
  publisher: StampedeClient,
  { modelled, sample, isSentAgain }: PreparedRun,
  settleMs: number,
): Promise<RewardRun | undefined> {
  if (platform === undefined || !(await answers(platform))) {
    const where = platform === undefined ? "runs here" : `answers at ${platform.url}`;
    terminal.err(`no platform ${where}: stamps and cashbacks are left out`);
    return undefined;
  }
  const rewardOptions = { publisher, platform, lanes: LANES, settleMs };
  const rewards = await RewardRun.prepare(rewardOptions, modelled, sample, isSentAgain);
  terminal.err(
    rewards === undefined
      ? "this run was made without a platform: stamps and cashbacks are left out"
      : describeRewards(rewards),
  );
  return rewards;
}

/** Only of a new run: what an earlier one had come to was told when it was made. */
async function prepareEvents(
  client: StampedeClient,
  { prefix, isSentAgain }: PreparedRun,
  terminal: Terminal,
): Promise<EventRun | undefined> {
  if (isSentAgain) return undefined;
  const events = await EventRun.prepare(client, prefix);
  if (typeof events !== "string") return events;
  terminal.err(`${events}: webhooks are left out`);
  return undefined;
}

/** An installation may have its platform elsewhere, or none. One that answers and refuses is a fault to be told. */
async function answers({ url, token }: PlatformAccess): Promise<boolean> {
  const client = new PlatformClient({ baseUrl: url, token });
  try {
    await client.call("retailer/list", { pagination: { limit: 1 } });
    return true;
  } catch (error) {
    if (error instanceof StampedeError && error.code === "connection_error") return false;
    throw error;
  } finally {
    await client.close();
  }
}

async function send(
  client: StampedeClient,
  run: PreparedRun,
  rewards: RewardRun | undefined,
  terminal: Terminal,
): Promise<Sent> {
  const progress = new Progress(terminal, run.events);
  const sender = new Sender(client, progress);
  const { first, last } = planSending(run.entries, run.outcomes, LANES, rewards?.plan.heldIds ?? new Set());
  try {
    await rewards?.payLive();
    await sender.send(first);
    await rewards?.payNightly();
    await rewards?.settle();
    await sender.send(last);
    return sender.sent;
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

function describeRewards({ plan }: RewardRun): string {
  const retailers = [...plan.payments].map(
    ([{ name }, payments]) => `${formatNumber(payments.length)} payments of ${name}`,
  );
  const enrolled = plan.wallets.filter(({ cards }) => cards.length > 0).length;
  return `${retailers.join(", ")}; ${formatNumber(enrolled)} members are enrolled`;
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
