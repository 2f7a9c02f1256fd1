import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { type Command, InvalidArgumentError, Option } from "commander";
import { StampedeClient, StampedeError, type WebhookEvent, WebhookVerificationError } from "#client";
import { EVENT_TYPES } from "#contract";
import { createWebhookSecret, isWebhookSecret } from "#domain";
import { type Environment, readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { findRunningInstance, readTokenFile } from "../running-instance.ts";
import type { CommandContext, Terminal } from "../terminal.ts";
import { listenForWebhooks } from "../webhook-listener.ts";

export function addListenCommand(program: Command, { terminal, env }: CommandContext): void {
  interface Flags {
    port: number;
    secret?: string;
    json: boolean;
  }
  program
    .command("listen")
    .description("receive webhooks on this machine, check their signatures and print each event as it comes")
    .addOption(
      new Option("--port <number>", "where to listen; 0 is a free one").default(9000).argParser(readPort),
    )
    .option(
      "--secret <whsec_...>",
      "of a webhook that is there; without it one of the running instance is made, and removed at the end",
    )
    .option("--json", "one JSON object a line", false)
    .action(async ({ port, secret, json }: Flags) => {
      const webhook = secret === undefined ? webhookToMake(env) : { secret };
      await listen({ port, json, webhook }, terminal, untilInterrupted());
    });
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("It is a number from 0 to 65535.");
}

function webhookToMake(env: Environment): ListenRequest["webhook"] {
  const { dataDir } = readSettings(env);
  const instance = findRunningInstance(dataDir);
  if (instance === undefined) {
    throw new CommandError(
      `nothing runs on ${dataDir}: run \`npm start\` in another terminal, or give the --secret of a webhook`,
    );
  }
  return { publisherUrl: instance.publisherUrl, token: readTokenFile(instance) };
}

/** Ctrl-C or SIGTERM ends the command in order; a second one ends it at once. */
function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.once(name, () => controller.abort());
  return controller.signal;
}

export interface ListenRequest {
  /** 0 means any free port. */
  readonly port: number;
  /** One JSON object per line instead of columns. */
  readonly json: boolean;
  /** The secret of an existing webhook; or where to make one that lasts as long as the command. */
  readonly webhook: { readonly secret: string } | { readonly publisherUrl: string; readonly token: string };
}

/**
 * Colours by the kind of event: green for something gained, yellow for something taken back, red for a
 * refusal.
 */
const COLOURS: ReadonlyArray<readonly [type: RegExp, code: number]> = [
  [/\.(created|cleared)$/, 32],
  [/\.(reverted|voided|unredeemed)$/, 33],
  [/\.rejected$/, 31],
];
const PLAIN_COLOUR = 36;
/** Somebody looks on: a service that is not there is told soon. */
const RETRY_FOR_MS = 5_000;

/**
 * Receives deliveries on loopback until the signal aborts, checks their signatures, and prints a line to
 * `out` for each event: timestamp, type, transaction_ref and the other fields, with tabs between. A request
 * without a valid signature is refused and reported.
 */
export async function listen(request: ListenRequest, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const { webhook } = request;
  // We choose the secret, so that it is known here before the first delivery can come.
  const secret = "secret" in webhook ? webhook.secret : createWebhookSecret(randomBytes(32));
  if (!isWebhookSecret(secret)) {
    throw new CommandError(
      "--secret takes the secret of a webhook, whsec_ and base64, as webhook/create answers it",
    );
  }
  const take = (event: WebhookEvent) =>
    terminal.out(request.json ? printable(JSON.stringify(event)) : describe(event, terminal.isOutTerminal));
  const refused = (error: Error) => {
    if (error instanceof WebhookVerificationError)
      terminal.err(`refused a request (${error.code}): ${error.message}`);
  };
  const listener = await listenForWebhooks(request.port, secret, { take, refused }).catch(
    (cause: unknown) => {
      throw new CommandError(`cannot listen on port ${request.port}: choose another one with --port`, {
        cause,
      });
    },
  );
  const { url } = listener;
  try {
    if ("secret" in webhook) {
      terminal.err(`listening on ${url}; end it with Ctrl-C`);
      await aborted(signal);
    } else {
      await withWebhook({ ...webhook, url, secret }, terminal, signal);
    }
  } finally {
    await listener.close();
  }
}

/** Keeps a webhook with all types of events until the signal aborts. */
async function withWebhook(
  { publisherUrl, token, url, secret }: { publisherUrl: string; token: string; url: string; secret: string },
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const client = new StampedeClient({ baseUrl: publisherUrl, token, retryForMs: RETRY_FOR_MS });
  try {
    const { id } = await client.call(
      "webhook/create",
      { url, events: [...EVENT_TYPES], description: "stampede listen", secret },
      // So that a lost answer does not leave a second webhook behind.
      { idempotencyKey: randomUUID() },
    );
    terminal.err(`listening on ${url} as webhook ${id}, which is removed at the end: Ctrl-C`);
    await aborted(signal);
    try {
      await client.call("webhook/delete", { id });
    } catch (error) {
      // Somebody else has removed it.
      if (error instanceof StampedeError && error.code === "not_found") return;
      const reason = error instanceof Error ? error.message : String(error);
      throw new CommandError(`the webhook ${id} could not be removed (${reason}): do it by webhook/delete`, {
        cause: error,
      });
    }
  } finally {
    await client.close();
  }
}

function describe(event: WebhookEvent, inColour: boolean): string {
  const { event_id, type, timestamp, ...rest } = event;
  const { transaction_ref: ref = "", ...fields } = { transaction_ref: "", ...rest };
  const [, code = PLAIN_COLOUR] = COLOURS.find(([pattern]) => pattern.test(type)) ?? [];
  const shownType = inColour ? `\x1b[${code}m${printable(type)}\x1b[0m` : printable(type);
  return [
    printable(timestamp),
    shownType,
    printable(ref),
    printable(JSON.stringify({ event_id, ...fields })),
  ].join("\t");
}

/** Escapes control characters: a ref that a publisher chose must not move the cursor or break the line. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
}
