import { randomBytes } from "node:crypto";
import t from "tap";
import { uuidv7 } from "uuidv7";
import type { ApiError } from "#contract";
import type { Store } from "#postgres";
import { createToken } from "#publisher-db";
import {
  explaining,
  orRefusal,
  testDeal,
  testMember,
  testOrganisation,
  testProgram,
  testStore,
} from "#test-support";
import { revokeToken } from "../auth/api-tokens.ts";
import { createMemberbase, deleteMemberbase } from "../members/memberbases.ts";
import { saveClip } from "../wallet/clips.ts";
import { createStampCollection } from "../wallet/stamp-collections.ts";
import { createWebhook, deleteWebhook } from "../webhooks/webhook-rows.ts";
import { type Bounds, refuseWithoutRoom } from "./bounds.ts";

const BOUNDS: Bounds = { webhooks: 2, tokens: 2, memberbases: 2, enrolments: 2, openClips: 2 };
type What = Parameters<typeof refuseWithoutRoom>[2];

let store: Store;

t.before(async () => {
  store = await testStore(4);
});

async function refusal(organisationId: string, what: What): Promise<ApiError | undefined> {
  return refuseWithoutRoom(store, organisationId, what, BOUNDS).then(
    () => undefined,
    (error) => error,
  );
}

/** How to make one more, and how to remove one. */
const KINDS: Record<
  What,
  { make(organisationId: string): Promise<string>; end(of: string, id: string): Promise<unknown> }
> = {
  webhooks: {
    async make(organisationId) {
      const id = uuidv7();
      const secret = { id: uuidv7(), keyId: "k", bytes: randomBytes(32) };
      const webhook = {
        id,
        organisationId,
        url: "https://x.test",
        events: ["webhook.test"],
        description: "",
      };
      await createWebhook(store, { ...webhook, secret });
      return id;
    },
    end: (organisationId, id) => deleteWebhook(store, organisationId, id),
  },
  tokens: {
    async make(organisationId) {
      const token = {
        id: uuidv7(),
        organisationId,
        access: "read",
        description: "",
        secretHash: randomBytes(32),
      } as const;
      return (await createToken(store, token)).id;
    },
    end: (organisationId, id) => revokeToken(store, organisationId, id),
  },
  memberbases: {
    make: async (organisationId) =>
      (await createMemberbase(store, { id: uuidv7(), organisationId, name: "customers" })).id,
    end: (organisationId, id) => deleteMemberbase(store, organisationId, id),
  },
};

for (const [name, { make, end }] of Object.entries(KINDS)) {
  const what = name as What;
  t.test(`bounds - ${what} of an organisation are counted, and those of others are not`, async (t) => {
    const [mine, theirs] = [await testOrganisation(store), await testOrganisation(store)];
    for (let n = 0; n < 3; n++) await make(theirs);
    const first = await make(mine);
    t.equal(await refusal(mine, what), undefined);
    await make(mine);
    t.match(await refusal(mine, what), {
      code: "conflict",
      data: { reason: `too_many_${what}`, limit: 2 },
    });
    await end(mine, first);
    t.equal(await refusal(mine, what), undefined, "one that is gone leaves room");
  });
}

t.test("bounds - a token that has expired does not count, one that will expire does", async (t) => {
  const organisationId = await testOrganisation(store);
  const first = await KINDS.tokens.make(organisationId);
  await KINDS.tokens.make(organisationId);
  const expire = (when: string) =>
    store`update api_tokens set expires_at = now() + ${when}::text::interval where id = ${first}`;
  await expire("1 hour");
  t.match(await refusal(organisationId, "tokens"), { code: "conflict" });
  await expire("-1 second");
  t.equal(await refusal(organisationId, "tokens"), undefined);
});

t.test("bounds - records that do not count are not read, however many there are", async (t) => {
  const organisationId = await testOrganisation(store);
  await store`
    insert into api_tokens (id, organisation_id, access, description, secret_hash, revoked_at, expires_at)
    select gen_random_uuid(), ${organisationId}, 'read', '', sha256(n::text::bytea),
           case when n % 2 = 0 then now() end, now() - interval '1 second'
    from generate_series(1, 20000) n`;
  await store`
    insert into memberbases (id, organisation_id, name, deleted_at)
    select gen_random_uuid(), ${organisationId}, 'gone', now() from generate_series(1, 20000) n`;
  await store.script("vacuum analyze api_tokens");
  await store.script("vacuum analyze memberbases");
  const plans: string[] = [];
  for (const what of ["tokens", "memberbases"] as const) {
    await refuseWithoutRoom(explaining(store, plans), organisationId, what, { ...BOUNDS, [what]: 1000 });
  }
  t.equal(plans.length, 2);
  t.match(plans[0], /using api_tokens_active_idx on api_tokens/);
  t.match(plans[0], /Index Cond: .*expires_at IS NULL/);
  t.match(plans[0], /Index Cond: .*expires_at > now\(\)/);
  t.match(plans[1], /using memberbases_live_idx on memberbases/);
  for (const plan of plans) t.notMatch(plan, /Seq Scan|Rows Removed by Filter/);
});

t.test("bounds - a member's enrolments are bounded; an existing enrolment is reported first", async (t) => {
  const member = await testMember(store);
  const enrol = (loyaltyProgramId: string) =>
    createStampCollection(store, { id: uuidv7(), ...member, loyaltyProgramId }, BOUNDS.enrolments).catch(
      orRefusal,
    );
  const programs = [await testProgram(store), await testProgram(store), await testProgram(store)] as const;
  t.match(await enrol(programs[0]), { loyaltyProgramId: programs[0] });
  t.match(await enrol(programs[1]), { loyaltyProgramId: programs[1] });
  t.match(await enrol(programs[2]), { data: { reason: "too_many_enrolments", limit: 2 } });
  t.match(await enrol(programs[1]), { data: { reason: "already_enrolled" } });
  t.match(await enrol(uuidv7()), { data: { resource: "loyalty_program" } });
  const other = { ...(await testMember(store)), id: uuidv7(), loyaltyProgramId: programs[2] };
  t.match(await createStampCollection(store, other, BOUNDS.enrolments), { id: other.id });
});

t.test("bounds - of a member's clips; one that is redeemed for good leaves room", async (t) => {
  const member = await testMember(store);
  const save = (dealId: string, id = uuidv7()) =>
    saveClip(store, { id, ...member, dealId }, BOUNDS.openClips).catch(orRefusal);
  const deals = [await testDeal(store), await testDeal(store), await testDeal(store)] as const;
  const first = uuidv7();
  const tooMany = { data: { reason: "too_many_clips", limit: 2 } };
  t.match(await save(deals[0], first), { id: first });
  t.match(await save(deals[1]), { dealId: deals[1] });
  t.match(await save(deals[2]), tooMany);
  t.match(await save(deals[1]), { data: { reason: "already_clipped" } });
  await store`update clips set redeemed_at = now() where id = ${first}`;
  const cashback = uuidv7();
  await store`
    insert into cashbacks (
      id, organisation_id, member_id, transaction_id, transaction_ref, amount, currency, state, clip_id, deal_id
    ) values (
      ${cashback}, ${member.organisationId}, ${member.memberId}, ${uuidv7()}, 'purchase', 5, 'EUR', 'pending', ${first}, ${deals[0]}
    )`;
  t.match(await save(deals[2]), tooMany, "regression - it may open again, and did not count");
  await store`update cashbacks set state = 'cleared', cleared_at = now() where id = ${cashback}`;
  t.match(await save(deals[2]), { dealId: deals[2] });
});
