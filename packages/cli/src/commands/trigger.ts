import { lookup } from "node:dns/promises";
import { Argument, type Command } from "commander";
import { uuidv7 } from "uuidv7";
import type { WebhookEvent } from "#client";
import { encodeId, isAllowedAddress, targetFault, targetPolicy } from "#domain";
import { readSettings } from "#runtime";
import { CommandError } from "../command-error.ts";
import { printable } from "../listen/print-event.ts";
import { sendSigned } from "../listen/send-signed.ts";
import { signingSecret } from "../listen/signing-secret.ts";
import { collect } from "../option-values.ts";
import type { CommandContext } from "../terminal.ts";
import { SAMPLE_TYPES, sampleEvent, withField } from "../trigger/sample-event.ts";

interface Flags {
  readonly to: string;
  readonly set: readonly string[];
  readonly secretFile?: string;
}

export function addTriggerCommand(program: Command, context: CommandContext): void {
  program
    .command("trigger")
    .description("send a sample of a webhook event to a receiver, signed, and show its answer")
    .addArgument(new Argument("<type>", "type of the event").choices(SAMPLE_TYPES))
    .requiredOption("--to <url>", "the receiver, such as http://localhost:3000/webhooks")
    .option(
      "--set <field=value>",
      "field of the event; may be repeated: amount=500, source.deal_id=deal_…",
      collect,
      [],
    )
    .option("--secret-file <file>", "file with the secret that signs (default: that of `stampede listen`)")
    .action(async (type: WebhookEvent["type"], flags: Flags) => {
      readSettings(context.env);
      if (!(await trigger(type, flags, context))) context.exit(1);
    });
}

/**
 * Sends one event to any address, since the developer's own machine sends it; prints whether an installation would refuse the
 * address.
 * @returns whether the receiver took the event
 */
async function trigger(
  type: WebhookEvent["type"],
  { to, set, secretFile }: Flags,
  { terminal, env }: CommandContext,
): Promise<boolean> {
  if (!URL.canParse(to) || !/^https?:\/\//i.test(to)) {
    throw new CommandError("--to takes an http or https address, such as http://localhost:3000/webhooks");
  }
  const event = set.reduce(withField, sampleEvent(type));
  const { secret, file } = signingSecret(env, secretFile);
  terminal.err(`${type} to ${to}, signed with the secret in ${file}: ${secret}`);
  const refusal = await refusalOf(to);
  if (refusal !== undefined) {
    terminal.err(`sent from this machine; a webhook of an installation with default settings ${refusal}`);
  }
  const body = JSON.stringify({ events: [event] });
  terminal.out(body);
  const result = await sendSigned({ url: to, secret, id: encodeId("dlv", uuidv7()), body });
  const { status, errorClass, durationMs, answer } = result;
  terminal.out(`${status ?? errorClass} in ${durationMs} ms`);
  if (answer !== "") terminal.out(printable(answer));
  return errorClass === null;
}

/** Why an installation with default settings would not send to the URL; undefined if it would. */
async function refusalOf(url: string): Promise<string | undefined> {
  const policy = targetPolicy("off", []);
  const fault = targetFault(url, policy);
  if (fault !== undefined) return fault;
  const addresses = await lookup(new URL(url).hostname.replace(/^\[|\]$/g, ""), { all: true }).catch(
    () => [],
  );
  const closed = addresses.find(({ address }) => !isAllowedAddress(address, policy));
  return closed && `must not point to ${closed.address}, which is not public (STAMPEDE_WEBHOOK_ALLOW_CIDRS)`;
}
