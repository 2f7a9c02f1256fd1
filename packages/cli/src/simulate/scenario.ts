import { readFileSync } from "node:fs";
import type { WebhookEvent } from "#client";
import { EVENT_TYPES, LIMITS, type TransactionEvent } from "#contract";
import { CommandError } from "../command-error.ts";
import { LocatedJson } from "../import/located-json.ts";
import { readDuration } from "../option-values.ts";

const CARD_FIELDS = [
  "amount",
  "currency",
  "merchant_id",
  "statement_descriptor",
  "network",
  "bin",
  "auth_code",
  "authed_at",
] as const satisfies ReadonlyArray<keyof TransactionEvent>;
/** The fields that `--set` may set. */
export type CardFields = Partial<Pick<TransactionEvent, (typeof CARD_FIELDS)[number]>>;

/**
 * - authorize, clear, revert: the publisher's event of the purchase.
 * - pay: the retailer's payment for it.
 */
export const STEPS = ["authorize", "pay", "clear", "revert"] as const;
type StepName = (typeof STEPS)[number];

/** One step, and the events that have to follow before the next step is taken. */
export interface Step {
  readonly step: StepName;
  /** A purchase of the scenario; each name is a transaction. */
  readonly purchase: string;
  readonly set: CardFields;
  readonly expect: readonly WebhookEvent["type"][];
  /** How long the events may take, in milliseconds. */
  readonly withinMs: number;
}

/** Steps of the purchases of one member, in order. */
export interface Scenario {
  /** The member's ref. */
  readonly member: string;
  readonly memberBase: string | undefined;
  /** undefined: on the all-in-one, a program of the command's own. */
  readonly program: string | undefined;
  readonly deal: string | undefined;
  readonly set: CardFields;
  readonly steps: readonly Step[];
}

export const DEFAULT_MEMBER = "simulated";
const DEFAULT_WITHIN_MS = 10_000;
const PURCHASE = "purchase";
const MOST_STEPS = 1000;

/** Options that make a scenario, or complete and override a file. */
export interface ScenarioFlags {
  readonly member?: string;
  readonly memberBase?: string;
  readonly program?: string;
  readonly deal?: string;
  readonly steps?: string;
  readonly expect?: string;
  readonly within?: number;
  readonly set: readonly string[];
}

const KINDS = { purchase: "authorize,pay,clear", refund: "authorize,pay,revert" } as const;
export type Kind = keyof typeof KINDS;
export const SCENARIO_KINDS = Object.keys(KINDS) as Kind[];

/** The scenario of `simulate purchase` or `simulate refund`. Without `--expect` it expects the events that usually follow. */
export function scenarioOf(kind: Kind, flags: ScenarioFlags, isMade: boolean): Scenario {
  const withinMs = flags.within ?? DEFAULT_WITHIN_MS;
  const names = flags.steps === undefined && isMade ? "revert" : (flags.steps ?? KINDS[kind]);
  const made = names.split(",").map((name): Step => {
    const step = name.trim();
    if (isStep(step)) return { step, purchase: PURCHASE, set: {}, expect: [], withinMs };
    throw new CommandError(
      `--steps: "${step}" is no step; steps are ${STEPS.join(", ")}, separated by commas`,
    );
  });
  const last = made.length - 1;
  const steps = made.map((step, i) => {
    if (flags.expect !== undefined)
      return i === last ? { ...step, expect: readExpected(flags.expect) } : step;
    return { ...step, expect: usuallyFollows(made, i, flags, isMade) };
  });
  return complete({ steps, set: {} }, flags);
}

/**
 * The events that follow a step of an enrolled member, or one with a clip. A scenario with a reversal expects them too: a
 * purchase that is reverted before the platform has paired it earns nothing, so nothing would be taken back.
 */
function usuallyFollows(
  steps: readonly Step[],
  index: number,
  { program, deal }: ScenarioFlags,
  isMade: boolean,
): WebhookEvent["type"][] {
  const isOfDeal = deal !== undefined && program === undefined;
  const { step } = steps[index] as Step;
  const before = new Set(steps.slice(0, index).map((one) => one.step));
  const hasBoth = isMade || (before.has("authorize") && before.has("pay"));
  if ((step === "pay" && before.has("authorize")) || (step === "authorize" && before.has("pay"))) {
    return [isOfDeal ? "cashback.created" : "qualifying_purchase.created"];
  }
  if (step === "revert" && hasBoth) return [isOfDeal ? "cashback.reverted" : "qualifying_purchase.voided"];
  if (step === "clear" && hasBoth && isOfDeal) return ["cashback.cleared"];
  return [];
}

/** A scenario before the options of the command line complete it. */
interface Draft
  extends Pick<Scenario, "set" | "steps">,
    Partial<Pick<Scenario, "memberBase" | "program" | "deal">> {
  readonly member?: string | undefined;
}

function complete(draft: Draft, { member, memberBase, program, deal, set }: ScenarioFlags): Scenario {
  return {
    member: member ?? draft.member ?? DEFAULT_MEMBER,
    memberBase: memberBase ?? draft.memberBase,
    program: program ?? draft.program,
    deal: deal ?? draft.deal,
    set: { ...draft.set, ...readFields(set) },
    steps: draft.steps,
  };
}

const FILE_FIELDS = ["member", "member_base", "program", "deal", "set", "steps", "within"] as const;
const STEP_FIELDS = ["step", "purchase", "set", "expect", "within"] as const;

/** A scenario in a JSON file. Options of the command line override it. */
export function readScenario(file: string, flags: ScenarioFlags): Scenario {
  if (flags.steps !== undefined || flags.expect !== undefined) {
    throw new CommandError("--steps and --expect go without --scenario: the file has them");
  }
  const root = LocatedJson.parse(file, readText(file));
  const { member, member_base, program, deal, set, steps, within } = root.known(FILE_FIELDS);
  const listed = steps?.items() ?? [];
  if (listed.length === 0 || listed.length > MOST_STEPS) {
    throw (steps ?? root).fault(`must have 1 to ${MOST_STEPS} steps, such as ["authorize", "pay", "clear"]`);
  }
  const withinMs = flags.within ?? durationOf(within) ?? DEFAULT_WITHIN_MS;
  const draft = {
    member: member?.text(),
    memberBase: member_base?.text(),
    program: program?.text(),
    deal: deal?.text(),
    set: fieldsOf(set),
    steps: listed.map((step) => stepOf(step, withinMs)),
  };
  return complete(draft, flags);
}

function stepOf(node: LocatedJson, withinMs: number): Step {
  const fields: Partial<Record<(typeof STEP_FIELDS)[number], LocatedJson>> = node.isObject
    ? node.known(STEP_FIELDS)
    : {};
  const { step = node, purchase, set, expect, within } = fields;
  const name = purchase?.text() ?? PURCHASE;
  if (!/^[\w-]{1,32}$/.test(name)) throw purchase?.fault("must be a name of letters, digits, - and _");
  const expected = expect?.isList ? expect.items() : expect === undefined ? [] : [expect];
  return {
    step: step.choice(STEPS),
    purchase: name,
    set: fieldsOf(set),
    expect: expected.map((type) => type.choice(EVENT_TYPES)),
    withinMs: durationOf(within) ?? withinMs,
  };
}

function fieldsOf(set: LocatedJson | undefined): CardFields {
  return readFields([...(set?.members() ?? [])].map(([name, value]) => `${name}=${value.scalar()}`));
}

function durationOf(node: LocatedJson | undefined): number | undefined {
  const text = node?.text();
  if (text === undefined) return undefined;
  try {
    return readDuration(text);
  } catch {
    throw node?.fault('must be a duration such as "10s"');
  }
}

function readText(file: string): string {
  try {
    const text = readFileSync(file, "utf8");
    if (text.length <= LIMITS.bodyBytes) return text;
  } catch (error) {
    throw new CommandError(`cannot read ${file} (${(error as NodeJS.ErrnoException).code})`);
  }
  throw new CommandError(`${file} is too large for a scenario`);
}

/** `none`: no event. */
function readExpected(text: string): WebhookEvent["type"][] {
  if (text === "none") return [];
  return text.split(",").map((type) => {
    const known = EVENT_TYPES.find((one) => one === type.trim());
    if (known !== undefined) return known;
    throw new CommandError(`--expect: "${type.trim()}" is no event; there are ${EVENT_TYPES.join(", ")}`);
  });
}

function isStep(name: string): name is StepName {
  return (STEPS as readonly string[]).includes(name);
}

/** Fields as `name=value`. The API judges the values. */
function readFields(assignments: readonly string[]): CardFields {
  const fields = assignments.map((assignment) => {
    const at = assignment.indexOf("=");
    const name = CARD_FIELDS.find((one) => one === assignment.slice(0, at));
    const value = assignment.slice(at + 1);
    if (at < 1 || name === undefined) {
      throw new CommandError(`--set ${assignment}: give field=value; there are ${CARD_FIELDS.join(", ")}`);
    }
    if (name !== "amount") return [name, value] as const;
    if (/^\d{1,15}$/.test(value)) return [name, Number(value)] as const;
    throw new CommandError(`--set ${assignment}: an amount is a whole number of minor units, 1250 for 12.50`);
  });
  return Object.fromEntries(fields);
}
