import { cpus, totalmem } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { StampedeClient } from "#client";
import { hashTokenSecret } from "#domain";
import { readRecordedProcess } from "#embedded";
import { hasUws } from "#http";
import { readServerReport } from "#nats";
import { closeStore, connectStore, inspectServer, type Store } from "#postgres";
import { findTokenByHash, makeConsoleLink } from "#publisher-db";
import { CommandError } from "../command-error.ts";
import { readUntil } from "../simulate/make-offer.ts";
import type { Terminal } from "../terminal.ts";
import { checkTransactions, isEarned, judgeEarned, readEarned } from "./check-load.ts";
import { openWebhook } from "./demo-webhook.ts";
import { LiveLines } from "./live-lines.ts";
import { countLoad, type LoadWorld, prefixOf } from "./load-plan.ts";
import { disagreeing, formatNumber, formatTable, type Section } from "./report.ts";
import { type LoadResult, type LoadSample, runLoad } from "./run-load.ts";
import { type Cast, connectAs, type PlatformAccess, PROGRAM, prepareCast } from "./shop.ts";
import { Story } from "./story.ts";
import { ToldEvents } from "./told-events.ts";

const GIB = 2 ** 30;

interface ShowOptions {
  readonly publisherUrl: string;
  readonly databaseUrl: string;
  /** A write token. */
  readonly token: string;
  readonly platform: PlatformAccess;
  readonly natsMonitorUrl?: string | undefined;
  /** As the settings say. */
  readonly httpAdapter: "auto" | "uws" | "node";
  /** The instance's console, with a slash at its end; undefined if it takes no sign-in links. */
  readonly consoleUrl?: string | undefined;
  /** The all-in-one start's record of the process of ingest, which is killed during the load. */
  readonly ingestRecordFile: string;
  readonly terminal: Terminal;
  /** How long the load lasts. */
  readonly seconds: number;
  /** How long all rewards and webhook events may take after the load. Default 30 s. */
  readonly settleMs?: number;
}

const SETTLE_MS = 30_000;
/** The share of the load before the kill: enough to see the dip, and afterwards the recovery. */
const KILLED_AFTER = 0.4;

/**
 * Shows the product on a running all-in-one: one purchase as a story, then a load during which ingest is killed, then a
 * comparison of every number with the demo's own count.
 * @returns whether every number agrees
 * @throws CommandError, or the StampedeError of a request that failed for good
 */
export async function runShow(options: ShowOptions): Promise<boolean> {
  const { terminal, token, publisherUrl, databaseUrl } = options;
  const client = connectAs(publisherUrl, token);
  const store = connectStore({ url: databaseUrl, max: 1, applicationName: "stampede-demo" });
  // Eight characters of the time in base 36: they sort as the times do.
  const tag = Date.now().toString(36);
  const told = new ToldEvents(prefixOf(tag));
  let story: Story | undefined;
  try {
    const organisationId = await findOrganisation(store, token);
    for (const line of await describePlace(store, options)) terminal.out(line);
    if (options.consoleUrl !== undefined) terminal.out(await watchLine(store, options.consoleUrl));
    const webhook = await openWebhook(
      client,
      (event) => {
        story?.add(event);
        told.add(event);
      },
      () => {
        told.refused++;
      },
    );
    if (typeof webhook === "string") throw new CommandError(`${webhook}: see \`stampede status\``);
    try {
      const cast = await prepareCast(client, options.platform, tag);
      terminal.out("");
      story = new Story({ client, platform: options.platform, cast, terminal, tag });
      await story.tell();
      return await showLoad({ ...options, client, store, organisationId, tag, told, cast });
    } finally {
      await webhook.end();
    }
  } finally {
    await Promise.all([client.close(), closeStore(store)]);
  }
}

/** The token's organisation, whose rows are read back from the database. */
async function findOrganisation(store: Store, token: string): Promise<string> {
  const grant = await findTokenByHash(store, hashTokenSecret(token));
  if (grant !== undefined && grant.revokedAt === null) return grant.organisationId;
  throw new CommandError(
    "the token is not one of this database, or revoked: `stampede token create` makes another",
  );
}

interface Show extends ShowOptions {
  readonly client: StampedeClient;
  readonly store: Store;
  readonly organisationId: string;
  readonly tag: string;
  readonly told: ToldEvents;
  readonly cast: Cast;
}

async function showLoad(show: Show): Promise<boolean> {
  const { terminal, tag, cast, seconds } = show;
  const world: LoadWorld = { tag, startedAt: Date.now(), merchantId: PROGRAM.merchantId, ...cast };
  terminal.out("");
  terminal.out(`Load for ${seconds} s by the streaming client, from a process of its own.`);
  terminal.out("");
  const lines = new LiveLines(terminal, () => show.told.total);
  const ingest = new KilledIngest(show, lines);
  const watch = (sample: LoadSample): void => {
    lines.add(sample);
    if (sample.endsSecond && sample.seconds >= seconds * KILLED_AFTER) ingest.kill();
  };
  const { publisherUrl, token, platform } = show;
  const job = { ...world, publisherUrl, token, platformUrl: platform.url, platformToken: platform.token };
  let load: LoadResult;
  try {
    load = await runLoad({ ...job, retailerId: cast.retailerId, seconds }, watch);
  } finally {
    lines.end();
  }
  terminal.out("");
  for (const line of describeLoad(load, lines.middleRate)) terminal.out(line);
  const sections = await check(show, world, load);
  const agrees = disagreeing(sections).length === 0;
  for (const line of conclude(show, sections, agrees)) terminal.out(line);
  return agrees;
}

/** Kills the process of ingest once, and prints when the next one runs. */
class KilledIngest {
  readonly #file: string;
  readonly #lines: LiveLines;
  #isKilled = false;

  constructor({ ingestRecordFile }: Show, lines: LiveLines) {
    this.#file = ingestRecordFile;
    this.#lines = lines;
  }

  kill(): void {
    if (this.#isKilled) return;
    this.#isKilled = true;
    const victim = readRecordedProcess(this.#file);
    if (victim === undefined) {
      this.#lines.say("no process of ingest is recorded here: none is killed");
      return;
    }
    const killedAt = performance.now();
    try {
      process.kill(victim.pid, "SIGKILL");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.#lines.say(`ingest, process ${victim.pid}, may not be killed from here (${code})`);
      return;
    }
    this.#lines.say(`kill -9 of ingest, process ${victim.pid}`);
    void this.#awaitNext(victim.pid, killedAt);
  }

  async #awaitNext(killed: number, killedAt: number): Promise<void> {
    while (performance.now() - killedAt < SETTLE_MS) {
      const next = readRecordedProcess(this.#file);
      if (next !== undefined && next.pid !== killed) {
        const seconds = ((performance.now() - killedAt) / 1000).toFixed(1);
        this.#lines.say(`ingest was started again as process ${next.pid}, after ${seconds} s`);
        return;
      }
      await delay(50, undefined, { ref: false });
    }
  }
}

function describeLoad(load: LoadResult, middleRate: number): string[] {
  const pause = (load.longestPauseMs / 1000).toFixed(1);
  const later =
    load.accepted === 0 ? "" : ` ${formatNumber(load.accepted)} events were answered 202 meanwhile.`;
  const again = load.retries === 0 ? "" : ` ${formatNumber(load.retries)} requests were sent again.`;
  return [
    `${formatNumber(middleRate)} events/s committed, the middle of all seconds, in requests of 500.`,
    `The longest time without a commit was ${pause} s.${later}${again}`,
    "",
  ];
}

async function check(show: Show, world: LoadWorld, load: LoadResult): Promise<Section[]> {
  const { store, cast, told, terminal, settleMs = SETTLE_MS } = show;
  const counts = countLoad(world, load.blocks, PROGRAM.threshold);
  terminal.err("reading everything back …");
  await readUntil(
    () => readEarned(store, cast),
    (found) => isEarned(counts, found, told),
    { forMs: settleMs, everyMs: 200 },
  );
  const transactions = await checkTransactions(store, show.organisationId, world, load);
  // Read again, because duplicates may have come after the last expected row.
  return [transactions, ...judgeEarned(counts, await readEarned(store, cast), told, load.payments)];
}

function conclude(show: Show, sections: readonly Section[], agrees: boolean): string[] {
  const names = disagreeing(sections).map(({ name }) => name);
  return [
    ...formatTable(sections),
    "",
    ...sections.flatMap(({ examples }) => examples.map((example) => `  ${example}`)),
    agrees ? "sent = stored, nothing lost, nothing twice" : `DISAGREEMENT: ${names.join(", ")}`,
    ...(show.consoleUrl === undefined
      ? []
      : ["", `See it in the console: ${show.consoleUrl} (\`npx stampede console link\` lets a browser in)`]),
  ];
}

/** A sign-in link to the console. */
async function watchLine(store: Store, consoleUrl: string): Promise<string> {
  return `watch it: ${await makeConsoleLink(store, consoleUrl, { user: "demo", role: "operator" })}`;
}

/** The machine of the figures, and their durability: figures mean nothing without both. */
async function describePlace(
  store: Store,
  { natsMonitorUrl, httpAdapter }: Pick<ShowOptions, "natsMonitorUrl" | "httpAdapter">,
): Promise<string[]> {
  const { version, fsync, synchronousCommit, fullPageWrites } = await inspectServer(store);
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / GIB);
  const server =
    httpAdapter === "uws" || (httpAdapter === "auto" && hasUws()) ? "uWebSockets.js" : "node:http";
  const settings = `fsync ${fsync}, synchronous_commit ${synchronousCommit}, full_page_writes ${fullPageWrites}`;
  return [
    `machine: ${cpus().length} × ${cpu?.model.trim() ?? "unknown"}, ${memory} GiB, Node ${process.versions.node}, HTTP by ${server}`,
    `durability: PostgreSQL ${version} with ${settings}; ${await describeSync(natsMonitorUrl)}`,
  ];
}

async function describeSync(monitorUrl: string | undefined): Promise<string> {
  const unknown = "whether NATS syncs every write is not known";
  if (monitorUrl === undefined) return unknown;
  try {
    const { version, syncMode } = await readServerReport(monitorUrl);
    if (syncMode === "unknown") return unknown;
    return `NATS ${version} ${syncMode === "always" ? "syncs every write" : "does not sync every write"}`;
  } catch {
    return unknown;
  }
}
