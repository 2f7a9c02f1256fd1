import { randomUUID } from "node:crypto";
import { decodeId } from "#domain";
import type { Store } from "#postgres";
import { type Attack, type Hostile, sized } from "./attack.ts";
import { BATCH, makeBatch, makeEvent } from "./hostile-events.ts";
import { ask, EVERY_TYPE, forever, mustAsk } from "./hostile-requests.ts";

const ATTRIBUTE_KEYS = 64;
const MEMBER_BYTES = 8 * 1024 * 1024 - 4096;
/** Contract, section 5: the largest size of a member's attributes. */
const MEMBER_BYTES_MAX = 16 * 1024 - 512;
/** Attributes of this total size, with as many keys as possible. */
function attributes(bytes: number): Record<string, string> {
  const value = "v".repeat(Math.floor(bytes / ATTRIBUTE_KEYS) - 12);
  return Object.fromEntries(Array.from({ length: ATTRIBUTE_KEYS }, (_, n) => [`key-${n}`, value]));
}

const PARSING: readonly Attack[] = [
  {
    name: "prefer with 3,200 blanks",
    start: (hostile) => {
      const headers = { prefer: `a=${" ".repeat(3200)}"x` };
      return forever(1, () => ask(hostile, "transaction/ingest", makeBatch(hostile.member, 1), { headers }));
    },
  },
  {
    name: "four million nested brackets",
    start: (hostile) => {
      const body = "[".repeat(4_000_000);
      return forever(2, () => ask(hostile, "transaction/ingest", body));
    },
  },
  {
    name: "brackets nested in an unknown field",
    start: (hostile) => {
      const body = `{"events":[],"x":${"[".repeat(2_000_000)}${"]".repeat(2_000_000)}}`;
      return forever(2, () => ask(hostile, "transaction/ingest", body));
    },
  },
  {
    name: "8 MiB of faulty events, six callers",
    start: (hostile) => {
      const event = { ...makeEvent("x".repeat(1300)), bin: "no", amount: -1, network: "none" };
      const body = JSON.stringify({ events: Array.from({ length: BATCH }, () => event) });
      return forever(6, () => ask(hostile, "transaction/ingest", body));
    },
  },
  {
    name: "descriptors that look like card numbers, six callers",
    start: (hostile) => {
      // A card number could begin at each digit, in eight lengths, but none is one.
      const statement_descriptor = "6 ".repeat(60).trim();
      const events = Array.from({ length: BATCH }, () => makeEvent(hostile.member, { statement_descriptor }));
      const body = JSON.stringify({ events });
      return forever(6, () => ask(hostile, "transaction/ingest", body));
    },
  },
  {
    name: "one number of eight million digits, four callers",
    start: (hostile) => {
      const body = `{"events":[],"x":${"9".repeat(8_000_000)}}`;
      return forever(4, () => ask(hostile, "transaction/ingest", body));
    },
  },
  {
    name: "8 MiB of keys that are given twice, six callers",
    start: (hostile) => {
      const twice = `{"ref":"a","attributes":{${Array.from({ length: 64 }, (_, n) => `"k${n % 32}":${n}`)}}}`;
      const members = Array.from({ length: BATCH }, () => twice).join(",");
      const body = `{"member_base_id":"${hostile.memberbase}","members":[${members}]}`;
      return forever(6, () => ask(hostile, "member/bulk-upsert", body));
    },
  },
  {
    name: "8 MiB of members, six callers",
    start: (hostile) => {
      const body = JSON.stringify({
        member_base_id: hostile.memberbase,
        members: Array.from({ length: BATCH }, (_, n) => ({
          ref: `bulk-${n}`,
          attributes: { a: "v".repeat(1500) },
        })),
      });
      return forever(6, () => ask(hostile, "member/bulk-upsert", body));
    },
  },
];

const LISTS: readonly Attack[] = [
  {
    name: "members as large as they may be, and lists of them",
    start: async (hostile) => {
      const members = sized(hostile, 10, 40);
      const upsert = (n: number, bytes: number) =>
        ask(hostile, "member/bulk-upsert", {
          member_base_id: hostile.memberbase,
          members: [{ ref: `large-${n}`, attributes: attributes(bytes) }],
        });
      for (let n = 0; n < members; n++) {
        // As much as the service takes: the limit of a body, or of a member.
        if ((await upsert(n, MEMBER_BYTES)) >= 400) await upsert(n, MEMBER_BYTES_MAX);
      }
      await forever(6, () => ask(hostile, "member/list", { member_base_id: hostile.memberbase }));
    },
  },
  {
    name: "60 exports that skip 100,000",
    prepare: (store, hostile) => fillTransactions(store, hostile, sized(hostile, 30_000, 120_000)),
    start: (hostile) =>
      forever(60, () => ask(hostile, "transaction/export", { pagination: { skip: 100_000, limit: 1000 } })),
  },
  {
    name: "60 lists of a member that skip 100,000",
    prepare: (store, hostile) => fillTransactions(store, hostile, sized(hostile, 30_000, 120_000)),
    start: (hostile) =>
      forever(60, () =>
        ask(hostile, "transaction/list", { member_id: hostile.member, pagination: { skip: 100_000 } }),
      ),
  },
  {
    name: "filters of 100 leaves with 1,000 values",
    prepare: (store, hostile) => fillMembers(store, hostile, sized(hostile, 5_000, 50_000)),
    start: (hostile) => {
      const leaf = (n: number) => ({
        key: "ref",
        nin: Array.from({ length: 1000 }, (_, value) => `none-${n}-${value}`),
      });
      const leaves = Array.from({ length: 100 }, (_, n) => leaf(n));
      const filters = [{ and: [{ or: [{ and: [{ or: leaves }] }] }] }];
      const body = JSON.stringify({ member_base_id: hostile.memberbase, filters });
      return forever(10, () => ask(hostile, "member/list", body));
    },
  },
  {
    name: "filters of memberbases, with many of them",
    prepare: async (store, { organisationId }) => {
      await store`
        insert into memberbases (id, organisation_id, name)
        select gen_random_uuid(), ${organisationId}, 'base-' || n from generate_series(1, 5000) as n`;
      return [];
    },
    start: (hostile) => {
      const values = Array.from({ length: 1000 }, (_, n) => `none-${n}`);
      const leaves = Array.from({ length: 100 }, () => ({ key: "name", nin: values }));
      const body = JSON.stringify({ filters: [{ or: leaves }], pagination: { skip: 5000 } });
      return forever(10, () => ask(hostile, "member-base/list", body));
    },
  },
  {
    name: "unknown ids of every kind",
    start: (hostile) =>
      forever(40, async () => {
        const id = randomUUID();
        await ask(hostile, "id/resolve", { id: `tx_${id.replaceAll("-", "").slice(0, 26)}` });
        await ask(hostile, "transaction/trace", { external_id: id });
        return ask(hostile, "member/find", { ref: id });
      }),
  },
  {
    name: "40 deletions of whole memberbases",
    prepare: async (store, hostile) => {
      await fillMembers(store, hostile, sized(hostile, 5_000, 100_000));
      return [];
    },
    start: async (hostile) => {
      await forever(1, () => ask(hostile, "member-base/delete", { id: hostile.memberbase }));
      await forever(40, async () => {
        const { id } = await mustAsk(hostile, "member-base/create", { name: "short-lived" });
        return ask(hostile, "member-base/delete", { id });
      });
    },
  },
];

const RECORDS: readonly Attack[] = [
  {
    name: "one idempotency key, 100 callers",
    start: (hostile) =>
      forever(100, (loop) =>
        ask(hostile, "member-base/create", { name: `n-${loop}` }, { headers: { "idempotency-key": "one" } }),
      ),
  },
  {
    name: "new idempotency keys without end",
    start: (hostile) =>
      forever(20, () =>
        ask(
          hostile,
          "member-base/create",
          { name: "n" },
          { headers: { "idempotency-key": randomUUID().repeat(7) } },
        ),
      ),
  },
  {
    name: "one member's enrolments and clips, 60 callers",
    start: (hostile) => {
      const { member: member_id, program: loyalty_program_id, deal: deal_id } = hostile;
      return forever(60, (loop) =>
        loop % 2 === 0
          ? ask(hostile, "wallet.stamp-collection/create", { member_id, loyalty_program_id })
          : ask(hostile, "wallet.clip/save", { member_id, deal_id }),
      );
    },
  },
  {
    name: "memberbases, tokens and webhooks without end",
    start: (hostile) =>
      forever(20, (loop) => {
        if (loop % 3 === 0) return ask(hostile, "member-base/create", { name: `n-${loop}` });
        if (loop % 3 === 1) return ask(hostile, "api-token/create", { access: "read", description: "t" });
        return ask(hostile, "webhook/create", { url: "http://127.0.0.1:9/", events: EVERY_TYPE });
      }),
  },
  {
    name: "tokens made, used and revoked in turn",
    start: (hostile) =>
      forever(8, async () => {
        const made = await mustAsk(hostile, "api-token/create", { access: "read", description: "t" });
        return ask(hostile, "api-token/revoke", { id: made.id });
      }),
  },
];

async function fillTransactions(store: Store, hostile: Hostile, rows: number): Promise<readonly string[]> {
  await store`
    insert into transactions (authed_at, organisation_id, id, member_id, external_id, state, network, merchant_id,
                              identifier_6)
    select now() - n * interval '1 second', ${hostile.organisationId}, gen_random_uuid(),
           ${decodeId("m", hostile.member) as string}, lpad(n::text, 16, '0'), 'authorized', 'visa', 'MID',
           sha256(n::text::bytea)
    from generate_series(1, ${rows}::int) as n`;
  return [];
}

async function fillMembers(store: Store, hostile: Hostile, rows: number): Promise<readonly string[]> {
  await store`
    insert into members (id, organisation_id, memberbase_id, ref)
    select gen_random_uuid(), ${hostile.organisationId}, ${decodeId("mb", hostile.memberbase) as string}, 'filled-' || n
    from generate_series(1, ${rows}::int) as n`;
  return [];
}

/** Requests with a token that may write. */
export const REQUEST_ATTACKS: readonly Attack[] = [...PARSING, ...LISTS, ...RECORDS];
