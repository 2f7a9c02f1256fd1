import { type Command, InvalidArgumentError } from "commander";
import { StampedeClient, type WebhookEvent } from "#client";
import { EVENT_PATTERNS, EVENT_TYPES, type EventPattern } from "#contract";
import { CommandError } from "../command-error.ts";
import { untilInterrupted } from "../interrupted.ts";
import { type Delivery, forwardEvents } from "../listen/forward-events.ts";
import { printable, printEvent } from "../listen/print-event.ts";
import { pullEvents } from "../listen/pull-events.ts";
import { receiveWebhooks } from "../listen/receive-webhooks.ts";
import type { SignedResult } from "../listen/send-signed.ts";
import { type SigningSecret, signingSecret } from "../listen/signing-secret.ts";
import { readMoment } from "../option-values.ts";
import {
  type AccessFlags,
  addAccessOptions,
  findPublisher,
  INTERACTIVE,
  type PublisherAccess,
} from "../publisher-access.ts";
import type { CommandContext, Terminal } from "../terminal.ts";

interface Flags extends AccessFlags {
  readonly forwardTo?: string;
  readonly events?: readonly WebhookEvent["type"][];
  readonly since?: Date;
  readonly secretFile?: string;
  readonly port?: number;
  readonly secret?: string;
  readonly json: boolean;
}

const DEFAULT_PORT = 9000;

export function addListenCommand(program: Command, { terminal, env }: CommandContext): void {
  const command = program
    .command("listen")
    .description("print webhook events as they come, or forward them, signed, to a receiver on this machine")
    .option("--forward-to <url>", "your receiver, such as http://localhost:3000/webhooks", readTarget)
    .option("--events <patterns>", "only these types, separated by commas: 'cashback.*'", readPatterns)
    .option("--since <when>", "also earlier events from then on: 1h ago (1h), or a time", readMoment)
    .option(
      "--secret-file <file>",
      "file with the secret that signs forwarded events (default: one made for you)",
    )
    .option("--json", "one JSON object a line", false)
    .option("--port <number>", "receive webhooks on this port instead; 0 takes a free port", readPort)
    .option(
      "--secret <secret>",
      `secret of an existing webhook to receive, on port ${DEFAULT_PORT} or --port`,
    );
  addAccessOptions(command).action(async (flags: Flags) => {
    const signal = untilInterrupted();
    if (flags.port !== undefined || flags.secret !== undefined)
      return receive(flags, { terminal, env }, signal);
    const access = findPublisher(flags, env);
    const { forwardTo, secretFile, events, since, json } = flags;
    const secret = forwardTo === undefined ? undefined : signingSecret(env, secretFile);
    const forward = forwardTo && secret && { url: forwardTo, secret };
    return listen({ access, types: events, since, json, forward: forward || undefined }, terminal, signal);
  });
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("It is a number from 0 to 65535.");
}

function readTarget(text: string): string {
  if (URL.canParse(text) && /^https?:\/\//i.test(text)) return text;
  throw new InvalidArgumentError("It is an http or https address, such as http://localhost:3000/webhooks.");
}

type EventName = EventPattern | WebhookEvent["type"];

/**
 * The service's own patterns, which cover types that are added later; or the present types that the patterns match, in which
 * `*` is any run of characters.
 */
export function readPatterns(text: string): EventName[] {
  const patterns = text.split(",").map((pattern) => pattern.trim());
  const known = EVENT_PATTERNS.filter((one) => patterns.includes(one));
  if (known.length === patterns.length) return known;
  // Names consist of letters, points and underscores; any other character but `*` stands for itself.
  const asRegExp = (pattern: string) =>
    new RegExp(`^${pattern.replace(/[^\w*]/g, "\\$&").replaceAll("*", ".*")}$`);
  const types = EVENT_TYPES.filter((type) => patterns.some((pattern) => asRegExp(pattern).test(type)));
  if (types.length > 0) return types;
  throw new InvalidArgumentError(`No type matches; there are ${EVENT_TYPES.join(", ")}.`);
}

/** The way before events could be pulled, kept for webhooks that point to this machine. */
function receive(
  flags: Flags,
  { terminal, env }: Pick<CommandContext, "terminal" | "env">,
  signal: AbortSignal,
): Promise<void> {
  const { port = DEFAULT_PORT, secret, json, forwardTo, events, since, secretFile } = flags;
  if ([forwardTo, events, since, secretFile].some((flag) => flag !== undefined)) {
    throw new CommandError(
      "--port and --secret make this the receiver of a webhook; --forward-to, --events, --since and " +
        "--secret-file go without them",
    );
  }
  const webhook = secret === undefined ? findPublisher(flags, env) : { secret };
  return receiveWebhooks({ port, json, webhook }, terminal, signal);
}

export interface ListenRequest {
  readonly access: PublisherAccess;
  /** undefined: all. */
  readonly types: readonly EventName[] | undefined;
  /** undefined: from now on. */
  readonly since: Date | undefined;
  readonly json: boolean;
  /** undefined: events are only printed. */
  readonly forward: { readonly url: string; readonly secret: SigningSecret } | undefined;
}

/** Between two questions while nothing is new: a person waits, and an empty question costs one look into an index. */
const POLL_MS = 500;

/**
 * Pulls events until the signal aborts, and prints a line for each, or forwards them and prints the results. An event that the
 * receiver does not take holds up those behind it, and the cursor.
 */
export async function listen(request: ListenRequest, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const { access, types, since, json, forward } = request;
  const client = new StampedeClient({ ...access, ...INTERACTIVE });
  const say = (event: WebhookEvent, result?: SignedResult & Delivery) =>
    terminal.out(lineOf(event, json, terminal.isOutTerminal, result));
  const onStart = () => {
    terminal.err(`events of ${access.baseUrl}; end it with Ctrl-C`);
    if (forward === undefined) return;
    terminal.err(
      `forwarded to ${forward.url}, signed with the secret in ${forward.secret.file}: ${forward.secret.secret}`,
    );
  };
  const onTrouble = (reason: string | undefined) =>
    terminal.err(reason === undefined ? "it answers again" : `${reason}; goes on from the same event`);
  let waiting = 0;
  try {
    for await (const events of pullEvents({
      client,
      types,
      since,
      pollMs: POLL_MS,
      signal,
      onStart,
      onTrouble,
    })) {
      if (forward === undefined) {
        for (const event of events) say(event);
        continue;
      }
      waiting = events.length;
      const { url, secret } = forward;
      await forwardEvents(events, {
        url,
        secret: secret.secret,
        signal,
        onDelivered(delivery, result) {
          waiting -= delivery.events.length;
          for (const event of delivery.events) say(event, { ...result, ...delivery });
        },
        onFailed(delivery, result, again) {
          if (again === undefined) waiting -= delivery.events.length;
          terminal.err(describeFailure(delivery, result, again));
        },
      });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (waiting > 0) terminal.err(`${waiting} events were not taken: --since gets them again`);
  } finally {
    await client.close();
  }
}

function lineOf(
  event: WebhookEvent,
  json: boolean,
  inColour: boolean,
  result?: SignedResult & Delivery,
): string {
  if (result === undefined) return printEvent(event, json, inColour);
  const { id, attempt, status, durationMs } = result;
  if (!json) return `${printEvent(event, false, inColour)}\t${status} in ${durationMs} ms`;
  return JSON.stringify({ event, delivery: { id, attempt, status, duration_ms: durationMs } });
}

function describeFailure(
  { id, events, attempt }: Delivery,
  { status, errorClass, durationMs, answer }: SignedResult,
  again: number | undefined,
): string {
  const what = events.length === 1 ? events[0]?.event_id : `${events.length} events`;
  const next = again === undefined ? "refused too often: passed over" : `again in ${again} ms`;
  const told = answer === "" ? "" : `: ${printable(answer.slice(0, 200))}`;
  return `${status ?? errorClass} in ${durationMs} ms, attempt ${attempt} of ${id} (${what}), ${next}${told}`;
}
