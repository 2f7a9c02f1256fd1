import { type PlatformClient, type StampedeClient, StampedeError } from "#client";
import type { PlatformAnswerOf } from "#contract/platform";
import { CommandError } from "../command-error.ts";
import { makeOwnProgram, makeRetailer } from "./make-offer.ts";

type Rules = PlatformAnswerOf<"loyalty-program/get">["rules"];
type Retailer = PlatformAnswerOf<"retailer/get">;

/** A purchase that earns something, and the retailer that is paid. */
export interface Offer {
  /** undefined: `--set merchant_id` has to name it. */
  readonly merchantId?: string | undefined;
  readonly descriptor?: string | undefined;
  readonly amount: number;
  readonly currency: string;
  /** undefined: no payment can be sent. */
  readonly retailerId?: string | undefined;
}

/** With what a scenario is prepared. Who opened the clients closes them. */
export interface Tools {
  readonly client: StampedeClient;
  /** undefined: the platform is not known, so that no payment can be sent. */
  readonly platform: PlatformClient | undefined;
  /** On the all-in-one of this machine missing records are made. Elsewhere an error names them. */
  readonly mayMake: boolean;
  readonly say: (line: string) => void;
}

interface Wanted {
  readonly program: string | undefined;
  readonly deal: string | undefined;
  readonly memberId: string;
  readonly pays: boolean;
}

const AMOUNT = 1250;
const CURRENCY = "EUR";

/**
 * Ensures that the member is enrolled in the program and has clipped the deal, and reads their rules. Without either it makes
 * a program of its own, if it may.
 * @throws CommandError that names what is missing
 */
export async function findOffer(tools: Tools, { program, deal, memberId, pays }: Wanted): Promise<Offer> {
  const { client, platform, mayMake, say } = tools;
  const named =
    program ??
    (deal === undefined && mayMake && platform ? await makeOwnProgram(client, platform) : undefined);
  if (named !== undefined) await enrol(tools, named, memberId);
  if (deal !== undefined) await clip(tools, deal, memberId);
  const rules = platform && (await rulesOf(platform, named, deal));
  if (rules === undefined) {
    say("the rules are not known here: --set merchant_id=… says where the purchase is made");
    return { amount: AMOUNT, currency: CURRENCY };
  }
  const retailer = pays ? await retailerOf(tools, rules) : undefined;
  return {
    merchantId: rules.merchant_ids[0],
    descriptor: rules.statement_descriptor ?? retailer?.statement_descriptors[0],
    amount: Math.max(AMOUNT, rules.min_amount ?? 0),
    currency: rules.currency ?? CURRENCY,
    retailerId: retailer?.id,
  };
}

async function enrol({ client, mayMake, say }: Tools, program: string, memberId: string): Promise<void> {
  const { name } = await orMissing(
    client.call("loyalty-program/get", { id: program }),
    `there is no program ${program}`,
  );
  const { data } = await client.call("wallet.stamp-collection/list", { member_id: memberId });
  const enrolled = data.find(({ loyalty_program_id: id }) => id === program);
  if (enrolled === undefined && !mayMake) {
    throw new CommandError(
      `the member is not enrolled in ${program}: enrol it with wallet.stamp-collection/create`,
    );
  }
  const ids = { loyalty_program_id: program, member_id: memberId };
  const { id } = enrolled ?? (await client.call("wallet.stamp-collection/create", ids));
  say(`program ${program} "${name}", ${enrolled === undefined ? "enrolled just now" : "enrolled"} (${id})`);
}

async function clip({ client, mayMake, say }: Tools, deal: string, memberId: string): Promise<void> {
  const { name } = await orMissing(client.call("deal/get", { id: deal }), `there is no deal ${deal}`);
  const { data } = await client.call("wallet.clip/list", { member_id: memberId });
  const open = data.find(({ deal_id, redeemed_at }) => deal_id === deal && redeemed_at === undefined);
  if (open === undefined && !mayMake) {
    throw new CommandError(`the member has no open clip of ${deal}: save the deal with wallet.clip/save`);
  }
  const { id } = open ?? (await client.call("wallet.clip/save", { deal_id: deal, member_id: memberId }));
  say(`deal ${deal} "${name}", ${open === undefined ? "clipped just now" : "clipped"} (${id})`);
}

/** The rules of the program, else of the deal; undefined without either. */
async function rulesOf(
  platform: PlatformClient,
  program: string | undefined,
  deal: string | undefined,
): Promise<Rules | undefined> {
  if (program !== undefined) {
    const missing = `the platform has no program ${program}`;
    return (await orMissing(platform.call("loyalty-program/get", { id: program }), missing)).rules;
  }
  if (deal === undefined) return undefined;
  return (await orMissing(platform.call("deal/get", { id: deal }), `the platform has no deal ${deal}`)).rules;
}

/** The retailer of the first merchant of these rules. */
async function retailerOf({ platform, mayMake, say }: Tools, rules: Rules): Promise<Retailer> {
  const [merchantId = ""] = rules.merchant_ids;
  const client = platform as PlatformClient;
  const candidates: Retailer[] = [];
  for await (const retailer of client.list("retailer/list")) {
    if (retailer.merchant_ids.some((id) => same(id, merchantId))) candidates.push(retailer);
  }
  const { statement_descriptor: descriptor = "" } = rules;
  const found =
    candidates.find(({ statement_descriptors: own }) =>
      own.some((prefix) => startsWith(descriptor, prefix)),
    ) ?? candidates[0];
  if (found !== undefined) {
    say(`retailer ${found.id} "${found.name}", merchant ${merchantId}`);
    return found;
  }
  if (!mayMake)
    throw new CommandError(`no retailer has merchant ${merchantId}: make one with retailer/upsert`);
  const made = await makeRetailer(client, merchantId);
  say(`retailer ${made.id} "${made.name}", merchant ${merchantId}, made just now`);
  return made;
}

/** The platform ignores case and outer spaces, too. */
const normal = (text: string) => text.trim().toUpperCase();
const same = (one: string, other: string) => normal(one) === normal(other);
const startsWith = (text: string, prefix: string) => normal(text).startsWith(normal(prefix));

/** @throws CommandError with this message for `not_found` */
export async function orMissing<T>(found: Promise<T>, message: string): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof StampedeError) || error.code !== "not_found") throw error;
    throw new CommandError(message, { cause: error });
  }
}
