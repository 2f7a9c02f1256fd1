import { Argument, type Command, Option } from "commander";
import { PlatformClient, StampedeClient } from "#client";
import { type Environment, readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { collect, readDuration } from "../option-values.ts";
import {
  type AccessFlags,
  addAccessOptions,
  findPublisher,
  INTERACTIVE,
  type PublisherAccess,
} from "../publisher-access.ts";
import { findRunningInstance, readPlatformTokenFile } from "../running-instance.ts";
import { EventInbox } from "../simulate/event-inbox.ts";
import { EVENT_WAYS, type EventWay, startEvents } from "../simulate/event-source.ts";
import { type Ending, type Play, playScenario } from "../simulate/play-scenario.ts";
import { Purchases } from "../simulate/purchases.ts";
import {
  DEFAULT_MEMBER,
  type Kind,
  readScenario,
  SCENARIO_KINDS,
  type Scenario,
  type ScenarioFlags,
  STEPS,
  scenarioOf,
} from "../simulate/scenario.ts";
import { prepareStage } from "../simulate/stage.ts";
import { TimeLine } from "../simulate/time-line.ts";
import type { CommandContext } from "../terminal.ts";

interface Flags extends AccessFlags, ScenarioFlags {
  readonly scenario?: string;
  readonly transaction?: string;
  readonly via: EventWay;
  readonly platformUrl?: string;
  readonly platformTokenFile?: string;
  readonly allowLive: boolean;
  readonly json: boolean;
}

export function addSimulateCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("simulate")
    .description("play a purchase or a refund step by step, and wait for the events that it should lead to")
    .addArgument(new Argument("[what]", "what to play, if there is no --scenario").choices(SCENARIO_KINDS))
    .option("--member <ref>", `ref of the member who buys (default: ${DEFAULT_MEMBER})`)
    .option("--member-base <id>", "memberbase of the member, if several members have that ref")
    .option(
      "--program <id>",
      "program in which the member is enrolled (default, on the all-in-one: one made for simulations)",
    )
    .option("--deal <id>", "deal that the member has clipped")
    .option("--steps <names>", `steps, separated by commas: ${STEPS.join(", ")}`)
    .option("--expect <types>", "events that must come after the last step, separated by commas, or none")
    .option("--set <field=value>", "field of the purchase; may be repeated: amount=1250", collect, [])
    .option("--transaction <external id>", "go on with a purchase that was simulated before")
    .option("--scenario <file>", "JSON file with member, program, deal, set and steps")
    .option("--within <duration>", "how long expected events may take (default: 10s)", readDuration)
    .addOption(new Option("--via <way>", "how events arrive").choices(EVENT_WAYS).default("pull"))
    .option("--platform-url <url>", "the platform's API (default: the running instance's)")
    .option("--platform-token-file <file>", "file with a token of the platform")
    .option("--allow-live", "permit another instance than the all-in-one of this machine", false)
    .option("--json", "one JSON object a line", false);
  addAccessOptions(command).action(async (what: Kind | undefined, flags: Flags) => {
    const code = await simulate(readTask(what, flags), flags, context);
    if (code !== 0) context.exit(code);
  });
}

function readTask(what: Kind | undefined, flags: Flags): Scenario {
  const { scenario, transaction } = flags;
  if ((what === undefined) === (scenario === undefined)) {
    throw new CommandError(`say what to simulate: ${SCENARIO_KINDS.join(" or ")}, or a --scenario file`);
  }
  if (what !== undefined) return scenarioOf(what, flags, transaction !== undefined);
  if (transaction !== undefined) throw new CommandError("--transaction goes without --scenario");
  return readScenario(scenario as string, flags);
}

interface Place {
  readonly publisher: PublisherAccess;
  readonly platform: PublisherAccess | undefined;
  /** The publisher is the all-in-one that runs on this data directory. */
  readonly isAllInOne: boolean;
}

/** Where the scenario is played. Only with `--allow-live` it is an instance that may be a real one. */
function findPlace(flags: Flags, env: Environment): Place {
  const publisher = findPublisher(flags, env);
  const instance = findRunningInstance(readSettings(env).dataDir);
  const isAllInOne = instance !== undefined && isSameAddress(instance.publisherUrl, publisher.baseUrl);
  if (!isAllInOne && !flags.allowLive) {
    throw new CommandError(
      `${publisher.baseUrl} is not the all-in-one of this machine: with --allow-live a real member gets a purchase there`,
    );
  }
  const { platformUrl: url, platformTokenFile: tokenFile } = flags;
  if (url !== undefined && tokenFile !== undefined) {
    return { publisher, platform: findPublisher({ url, tokenFile }, env), isAllInOne };
  }
  if (url !== undefined || tokenFile !== undefined) {
    throw new CommandError("--platform-url and --platform-token-file go together");
  }
  if (!isAllInOne) return { publisher, platform: undefined, isAllInOne };
  const platform = { baseUrl: instance.platformUrl, token: readPlatformTokenFile(instance) };
  return { publisher, platform, isAllInOne };
}

/** Whether two addresses name one server; `localhost` is 127.0.0.1. */
function isSameAddress(one: string, other: string): boolean {
  const originOf = (url: string) => new URL(url).origin.replace("//localhost", "//127.0.0.1");
  return originOf(one) === originOf(other);
}

/** @returns the exit code: 1 if an expected event did not come, 2 if an event was rejected */
async function simulate(
  scenario: Scenario,
  flags: Flags,
  { terminal, env }: CommandContext,
): Promise<0 | 1 | 2> {
  const { publisher, platform: access, isAllInOne } = findPlace(flags, env);
  const client = new StampedeClient({ ...publisher, ...INTERACTIVE });
  const { transaction } = flags;
  // The retailer of an earlier run's purchase is not known, so nobody is paid.
  const platform =
    transaction === undefined && access ? new PlatformClient({ ...access, ...INTERACTIVE }) : undefined;
  const say = (line: string) => terminal.err(line);
  try {
    const cast =
      transaction === undefined
        ? await prepareStage(scenario, { client, platform, mayMake: isAllInOne, say })
        : { purchases: await Purchases.goOn(client, transaction, scenario.set), retailerId: undefined };
    const timeLine = new TimeLine(terminal, flags.json);
    const inbox = new EventInbox(
      (ref) => cast.purchases.isOne(ref),
      (event) => timeLine.event(event),
    );
    const end = await startEvents(flags.via, client, inbox);
    try {
      const ending = await playScenario(scenario.steps, { client, platform, ...cast, inbox, timeLine });
      return await tellEnding(ending, { client, ...cast, timeLine });
    } finally {
      await end();
    }
  } finally {
    await Promise.all([client.close(), platform?.close()]);
  }
}

async function tellEnding(
  { missing, rejected }: Ending,
  { client, purchases, timeLine }: Pick<Play, "client" | "purchases" | "timeLine">,
): Promise<0 | 1 | 2> {
  if (rejected !== undefined) {
    timeLine.end({ ok: false, missing: [], told: [rejected] });
    return 2;
  }
  if (missing.length === 0) {
    timeLine.end({ ok: true, missing, told: ["all expected events came"] });
    return 0;
  }
  const states = await Promise.all(purchases.externalIds.map((id) => stateOf(client, id)));
  const hint =
    "see `stampede status` for what is behind, `stampede dead-letter list --group` for what was refused";
  timeLine.end({ ok: false, missing, told: [...missing.map((one) => `MISSING: ${one}`), ...states, hint] });
  return 1;
}

/** The state of a purchase, for a person who wonders why an event is missing. */
async function stateOf(client: StampedeClient, externalId: string): Promise<string> {
  try {
    const { state, rewards } = await client.getTransaction(externalId);
    return `${externalId} is ${state}, with ${rewards.length === 0 ? "no cashback" : `${rewards.length} cashbacks`}`;
  } catch (error) {
    return `${externalId}: ${(error as Error).message}`;
  }
}
