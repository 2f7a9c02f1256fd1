import { uuidv7 } from "uuidv7";
import type { Store } from "#postgres";
import { upsertMembers } from "../../services/edge/src/members/upsert-members.ts";
import {
  applyDealConfig,
  applyProgramConfig,
  type DealChange,
  type ProgramChange,
} from "../../services/rewards/src/handle-config.ts";
import { testMemberbase } from "./test-store.ts";

export interface TestMember {
  readonly organisationId: string;
  readonly memberbaseId: string;
  readonly memberId: string;
}

/** Makes a member in a new organisation. */
export async function testMember(store: Store): Promise<TestMember> {
  const base = await testMemberbase(store);
  const ids = await upsertMembers(store, { ...base, members: [{ ref: "ada" }], ids: [uuidv7()] });
  return { ...base, memberId: ids?.[0] as string };
}

const DISPLAY = { title: "T", image: "https://x.test/i", summary: "S", description: "D", terms: "C" };
const TIMES = { createdAt: "2026-01-01T00:00:00.000000Z", updatedAt: "2026-01-02T00:00:00.123456Z" };

/** A complete program, with these changes. */
export function programRecord(
  changes: Partial<NonNullable<ProgramChange["record"]>> = {},
): NonNullable<ProgramChange["record"]> {
  const rewardConfig = { type: "refund" } as const;
  return {
    name: "Coffee",
    qualifyingThreshold: 10,
    rewardConfig,
    displayContent: DISPLAY,
    // Purchases of tests have a fixed date, and members join later, when the test runs: so earlier purchases must count.
    retroactive: true,
    ...TIMES,
    ...changes,
  };
}

/** A complete deal, with these changes. */
export function dealRecord(
  changes: Partial<NonNullable<DealChange["record"]>> = {},
): NonNullable<DealChange["record"]> {
  const rewardConfig = { type: "percent", percent: 2.5 } as const;
  return { name: "Shoes", rewardConfig, displayContent: DISPLAY, ...TIMES, ...changes };
}

/** Stores a program; returns its id. */
export async function testProgram(store: Store): Promise<string> {
  const id = uuidv7();
  await applyProgramConfig(store, { id, revision: 1, record: programRecord() });
  return id;
}

/** Stores a deal; returns its id. */
export async function testDeal(
  store: Store,
  changes: Partial<NonNullable<DealChange["record"]>> = {},
): Promise<string> {
  const id = uuidv7();
  await applyDealConfig(store, { id, revision: 1, record: dealRecord(changes) });
  return id;
}

/** The store, except that `meanwhile` runs just before the statement that begins with `text` is sent. */
export function interrupted(store: Store, text: string, meanwhile: () => PromiseLike<unknown>): Store {
  return new Proxy(store, {
    apply(target, self, args: [TemplateStringsArray, ...unknown[]]) {
      const send = () => Reflect.apply(target, self, args);
      return args[0][0]?.trimStart().startsWith(text) ? meanwhile().then(send) : send();
    },
  });
}
