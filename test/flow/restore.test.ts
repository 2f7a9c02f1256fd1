/**
 * Keeps the promises of docs/operations/backup.md: the database of a running installation is backed up, lost,
 * and restored under the NATS that went on: once with its whole log, once as it was at the backup, after
 * which the messages that the streams keep are applied again.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import t, { type Test } from "tap";
import { createProgram, Terminal } from "#cli";
import type { WebhookEvent } from "#contract";
import { decodeId, encodeId } from "#domain";
import { freePort } from "#embedded";
import { verifyRewards } from "#publisher-db";
import {
  ARCHIVING,
  makeEvent,
  type PrivatePostgres,
  privatePostgres,
  restore,
  type ServiceName,
  startWebhookReceiver,
  takeBaseBackup,
  type WebhookReceiver,
  waitFor,
} from "#test-support";
import { LoyaltyLoop, type Purchase } from "./loyalty-loop.ts";

t.setTimeout(400_000);

const LOOPBACK = { STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback", STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8" };
const SERVICES: readonly ServiceName[] = ["edge", "ingest", "platform", "rewards", "webhooks"];
const PROGRAM = {
  name: "Every second coffee",
  qualifying_threshold: 2,
  reward_config: { type: "fixed-reward", amount: 300 },
  rules: { merchant_ids: ["ROASTERY-1"], currency: "EUR" },
};

let postgres: PrivatePostgres;
let loop: LoyaltyLoop;
let receiver: WebhookReceiver;
let ada: string;
let card: string;
let programId: string;

t.before(async () => {
  postgres = await privatePostgres(ARCHIVING);
  receiver = await startWebhookReceiver();
  // Fixed ports: callers find the services again after a restart.
  const ports = { STAMPEDE_HTTP_PORT: `${await freePort()}`, STAMPEDE_PLATFORM_PORT: `${await freePort()}` };
  const databaseUrl = await postgres.databaseUrl();
  loop = await LoyaltyLoop.open(t, {
    databaseUrl,
    env: { ...LOOPBACK, ...ports, STAMPEDE_REPLAY_MINUTES: "60" },
  });
  await loop.pipeline.start("webhooks");
  await loop.opensShop("Roastery", "ROASTERY-1");
  programId = await loop.offers("loyalty-program", PROGRAM);
  ada = await loop.joins("ada");
  card = await loop.enrols(ada, programId);
  await loop.publisher("webhook/create", { url: receiver.url, events: ["qualifying_purchase.created"] });
});
t.teardown(async () => {
  await receiver.close();
  await postgres.remove();
});

/** A purchase that earns a stamp, reported by both sides. */
async function drinks(name: string) {
  const purchase = await loop.buys(ada, name, { merchant_id: "ROASTERY-1" });
  await loop.paid(purchase);
  return purchase;
}

const told = (): WebhookEvent[] =>
  receiver.requests.flatMap(({ body }) => (JSON.parse(body) as { events: WebhookEvent[] }).events);
const toldOf = (ref: string) =>
  told().filter((event) => "transaction_ref" in event && event.transaction_ref === ref);

/** The ids under which a purchase was reported. */
const idsTold = ({ event }: Purchase) =>
  new Set(toldOf(event.external_id).map((one) => "transaction_id" in one && one.transaction_id));

/** Reads on from a cursor to the end. */
async function polls(seen: Set<string>, after?: string): Promise<string> {
  const { data, page } = await loop.publisher("event/list", { ...(after !== undefined && { after }) });
  for (const { event_id } of data) seen.add(event_id);
  return page.more ? polls(seen, page.cursor) : page.cursor;
}

/** Makes it at the platform, and waits until the publisher shows it. */
async function renames(name: string): Promise<void> {
  await loop.offers("loyalty-program", { ...PROGRAM, id: programId, name });
  const isShown = async () => (await loop.publisher("loyalty-program/get", { id: programId })).name === name;
  await waitFor(isShown, { message: `the publisher does not show the program as ${name}` });
}

async function stamps({ event }: Purchase): Promise<number> {
  const [{ count }] = await loop.pipeline.store<[{ count: number }]>`
    select count(*)::int as count from qualifying_purchases
    where transaction_id = (select id from transactions where external_id = ${event.external_id})`;
  return count;
}

async function stored(refs: readonly string[]): Promise<number> {
  const [{ count }] = await loop.pipeline.store<[{ count: number }]>`
    select count(*)::int as count from transactions where external_id = any (${[...refs]})`;
  return count;
}

/** The output of an operator's command, and its exit code. */
async function stampede(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { code: 0, out: "", err: "" };
  const into = (where: "out" | "err") => ({
    write: (text: string) => {
      said[where] += text;
    },
  });
  const { databaseUrl, natsUrl, streamPrefix } = loop.pipeline;
  const env = { DATABASE_URL: databaseUrl, NATS_URL: natsUrl, STAMPEDE_STREAM_PREFIX: streamPrefix };
  const exit = (code: number) => {
    said.code = code;
  };
  const terminal = new Terminal(into("out"), into("err"));
  await createProgram({ terminal, env, exit }).parseAsync(args, { from: "user" });
  return said;
}

async function assertAgreement(t: Test): Promise<void> {
  const { lagging, faults } = await verifyRewards(loop.pipeline.store);
  t.strictSame({ lagging, faults }, { lagging: 0, faults: [] }, "`stampede verify` finds nothing");
}

t.test("restore - with its whole log: no accepted event is lost or counted twice", async (t) => {
  const before = await drinks("before");
  const backup = await takeBaseBackup(postgres);
  const after = await drinks("after");
  await loop.settles();

  // Events in flight while the disk goes: some committed, some only in the stream.
  const accepted: string[] = [];
  let isLost = false;
  const load = async () => {
    while (!isLost) {
      const events = Array.from({ length: 20 }, () => makeEvent(ada));
      const { status } = await loop.integrator.ingest(events, { prefer: "respond-async" });
      if (status === 200 || status === 202) accepted.push(...events.map((event) => event.external_id));
    }
  };
  const loads = [load(), load()];
  await waitFor(() => accepted.length > 200, { message: "nothing is accepted" });
  const restoring = restore(postgres, backup, "now");
  const acceptedThen = accepted.length;
  await waitFor(() => accepted.length > acceptedThen + 40, {
    message: "nothing is accepted without a database",
  });
  isLost = true;
  await Promise.all([restoring, ...loads]);
  await loop.settles();

  t.equal(await stored(accepted), accepted.length, `${accepted.length} events, each stored once`);
  for (const purchase of [before, after]) {
    t.equal(await stamps(purchase), 1, `${purchase.name} has its stamp`);
    await waitFor(() => toldOf(purchase.event.external_id).length > 0, { message: "no webhook event came" });
    t.equal(
      new Set(toldOf(purchase.event.external_id).map(({ event_id }) => event_id)).size,
      1,
      "it has one event",
    );
  }
  t.equal(await loop.counter(card), 0);
  await assertAgreement(t);
});

t.test(
  "restore - as it was at the backup: the messages that the streams keep are applied again, once, under the same ids",
  async (t) => {
    const backup = await takeBaseBackup(postgres);
    const since = await drinks("since");
    await loop.settles();
    await waitFor(() => toldOf(since.event.external_id).length > 0, { message: "no webhook event came" });
    t.equal(await loop.counter(card), 1);
    const [stamp] = await loop.pipeline.store`
    select id, created_at from qualifying_purchases where transaction_ref = ${since.event.external_id}`;

    const seen = new Set<string>();
    const cursor = await polls(seen);
    const ghosts = [
      await loop.offers("loyalty-program", PROGRAM),
      await loop.offers("deal", {
        name: "Two",
        reward_config: { type: "percent", percent: 2 },
        rules: PROGRAM.rules,
      }),
    ];

    const { pipeline } = loop;
    await Promise.all([...pipeline.processes].map((service) => service.kill()));
    await restore(postgres, backup, "backup");
    t.equal(await stored([since.event.external_id]), 0, "the event after the backup is gone");
    await Promise.all(SERVICES.map((service) => pipeline.start(service)));

    await waitFor(async () => (await stamps(since)) === 1, { message: "the stamp does not come back" });
    await loop.settles();
    t.equal(await stored([since.event.external_id]), 1, "although no caller has sent it again");
    t.equal(await loop.counter(card), 1);
    const [again] = await pipeline.store`
    select id from qualifying_purchases where transaction_ref = ${since.event.external_id}`;
    t.equal(again?.id, stamp?.id, "its stamp has its old id");
    const isShown = async () =>
      (await loop.publisher("loyalty-program/get", { id: programId })).name === PROGRAM.name;
    await waitFor(isShown, { message: "the publisher shows what the platform does not know any more" });
    await renames("fourth");
    const statuses = () =>
      Promise.all(
        ["loyalty-program/get", "deal/get"].map(
          async (route, i) => (await loop.integrator.post(route, { id: ghosts[i] })).status,
        ),
      );
    const areGone = async () => (await statuses()).every((status) => status === 404);
    await waitFor(areGone, { message: "what the platform lacks since the restore stays at the publisher" });
    await assertAgreement(t);

    // If it is sent again nevertheless, it changes nothing. The payment was lost with the platform's database.
    await loop.changes(since, {});
    await loop.paid(since);
    await drinks("later");
    await loop.settles();
    t.equal(await stamps(since), 1);
    t.equal(await loop.counter(card), 0);
    await waitFor(() => told().length > 4, { message: "it was not told of again" });
    const events = new Set(toldOf(since.event.external_id).map(({ event_id }) => event_id));
    t.equal(events.size, 1, "it has one event");
    t.equal(idsTold(since).size, 1);
    const known = seen.size;
    await polls(seen, await polls(seen, cursor));
    const written = await pipeline.store<{ id: string }[]>`select id from events`;
    t.strictSame(
      written.filter(({ id }) => !seen.has(encodeId("evt", id))),
      [],
      "a poller has missed none of the events that got the lost numbers again",
    );
    t.equal(seen.size, known + 2, "and gets known events under known ids: only the later ones are new");
    await assertAgreement(t);
  },
);

t.test(
  "restore - members of the lost time: their events are kept, and applied once the members are made again",
  async (t) => {
    const { pipeline, integrator } = loop;
    t.match(await stampede("replay", "rejected"), { out: "", code: 0 });
    const backup = await takeBaseBackup(postgres);
    const grace = await loop.joins("grace");
    const bought = await loop.buys(grace, "bought", { merchant_id: "ROASTERY-1" });
    await loop.changes(bought, { cleared_at: "2026-05-02T10:00:00Z", amount: 500 });
    const later = makeEvent(grace, { merchant_id: "ROASTERY-1" });
    t.equal((await integrator.ingest([later], { prefer: "respond-async" })).status, 202);
    const refs = [bought.event.external_id, later.external_id];
    await loop.settles();
    t.equal(await stored(refs), 2);

    await Promise.all([...pipeline.processes].map((service) => service.kill()));
    await restore(postgres, backup, "backup");
    await Promise.all(SERVICES.map((service) => pipeline.start(service)));
    const listed = async () => (await stampede("replay", "rejected")).out.trim().split("\n");
    await waitFor(async () => (await listed()).length === 3, { message: "the events are not listed" });
    // Events of different partitions may be read in any order.
    t.strictSame(
      (await listed()).map((line) => line.split("\t").slice(2).join(" ")).sort(),
      [refs[0], refs[0], refs[1]].map((ref) => `${grace} ${ref}`).sort(),
    );
    t.match((await stampede("replay", "rejected", "--members")).out, new RegExp(`^org_.*\t${grace}\t3\t`));
    t.equal(await stored(refs), 0);
    const { data } = await loop.publisher("transaction.rejection/list", { external_id: later.external_id });
    t.match(data, [{ code: "not_found", reason: "member_not_restored", member_id: grace }]);
    const open = "3 events wait for 1 member that the restored database lacks";
    t.match((await stampede("verify")).err, `${open}: stampede replay rejected`);
    t.match((await stampede("doctor")).out, new RegExp(`warn {2}replay .*${open}: stampede replay rejected`));
    t.equal(
      (await stampede("replay", "rejected")).err,
      `${open}\n`,
      "the command does not name itself as the remedy",
    );
    t.match(await stampede("replay", "again"), { code: 1, out: "0 put back\n", err: `${open}\n` });

    const anew = await loop.joins("grace");
    t.not(anew, grace);
    const ids = join(t.testdir(), "ids");
    writeFileSync(ids, `${grace} ${anew}\n`);
    const kept = await pipeline.store`
      select organisation_id, member_id, external_id, event from replay_rejections order by place`;
    t.match(await stampede("replay", "again", "--members", ids), { code: 0, out: "3 put back\n" });
    await waitFor(async () => (await stored(refs)) === 2, { message: "they are not applied" });
    await loop.settles();
    const read = () => pipeline.store`
      select external_id, member_id, state, amount, updated_at from transactions
      where external_id = any (${refs}) order by created_at, external_id`;
    const rows = await read();
    const bySecond = rows.find(({ external_id }) => external_id === bought.event.external_id);
    t.match(bySecond, { member_id: decodeId("m", anew), state: "cleared", amount: 500 });
    t.strictSame(await stampede("replay", "again"), { code: 0, out: "0 put back\n", err: "" });

    // A replay that was killed between publishing and removing finds the events again.
    const keepAgain = () => pipeline.store`
      insert into replay_rejections (organisation_id, member_id, external_id, event)
      select organisation_id, member_id, external_id, event
      from json_to_recordset(${JSON.stringify(kept)}::text::json)
        as kept (organisation_id uuid, member_id uuid, external_id text, event text)`;
    await keepAgain();
    t.match(await stampede("replay", "again", "--members", ids), { code: 0, out: "3 put back\n" });
    await loop.settles();
    t.strictSame(await read(), rows, "and a second time changes nothing");

    // Events of members that are not made again.
    await keepAgain();
    const only = { code: 1, out: "3 would be discarded: nothing was changed, add --yes to do it\n" };
    t.match(await stampede("replay", "discard", grace), only);
    t.match(await stampede("replay", "discard", anew, "--yes"), { code: 0, out: "0 discarded\n" });
    t.match(await stampede("replay", "discard", grace, "--yes"), { code: 0, out: "3 discarded\n" });
    t.match(await stampede("replay", "rejected"), { out: "", err: "no event waits for its member\n" });
    await t.rejects(stampede("replay", "discard"), /name the members, or give --all/);
    t.match(await stampede("replay", "discard", "--all", "--yes"), { code: 0, out: "0 discarded\n" });
    await assertAgreement(t);
  },
);
