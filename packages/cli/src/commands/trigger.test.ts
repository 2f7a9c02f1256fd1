import { join } from "node:path";
import t from "tap";
import { verifyWebhook } from "#client";
import { answer, startWebhookReceiver } from "#test-support";
import { runCommand } from "../test-command.ts";
import { SAMPLE_TYPES } from "../trigger/sample-event.ts";

t.test("trigger - sends a signed sample of every type, and shows the answer", async (t) => {
  const receiver = await startWebhookReceiver({ script: () => answer(202, { body: "thanks\n" }) });
  t.teardown(() => receiver.close());
  const env = { XDG_STATE_HOME: t.testdir() };
  for (const type of SAMPLE_TYPES) {
    const { code, out, err } = await runCommand(["trigger", type, "--to", receiver.url], env);
    t.equal(code, 0);
    t.match(out, /\n202 in \d+ ms\nthanks\\u000a\n$/);
    const secret = /: (whsec_\S+)\n/.exec(err)?.[1] ?? "";
    const { headers, body } = receiver.requests.at(-1) as (typeof receiver.requests)[number];
    t.match(verifyWebhook(secret, headers, body), [{ type }]);
    t.match(headers["webhook-id"], /^dlv_/);
    t.match(out, body);
  }
});

t.test(
  "trigger - an address that an installation would refuse is named, and still gets the sample",
  async (t) => {
    const receiver = await startWebhookReceiver();
    t.teardown(() => receiver.close());
    const { err } = await runCommand(["trigger", "webhook.test", "--to", receiver.url], {
      XDG_STATE_HOME: t.testdir(),
    });
    t.match(err, /sent from this machine; a webhook of an installation .* must begin with https/);
    t.equal(receiver.requests.length, 1);
  },
);

t.test("trigger - if the receiver does not take it, the exit code is 1", async (t) => {
  const receiver = await startWebhookReceiver({ script: () => answer(401, { body: "who?" }) });
  const env = { XDG_STATE_HOME: t.testdir() };
  const send = () =>
    runCommand(["trigger", "cashback.created", "--to", receiver.url, "--set", "amount=7"], env);
  t.match(await send(), { code: 1, out: /"amount":7.*\n401 in \d+ ms\nwho\?\n$/ });
  await receiver.close();
  t.match(await send(), { code: 1, out: /\nconnection_refused in \d+ ms\n.*ECONNREFUSED/ });
});

t.test(
  "trigger - the secret of a file signs; a wrong one, or a missing address, is reported on one line",
  async (t) => {
    const env = { XDG_STATE_HOME: t.testdir({ wrong: "hunter2" }) };
    const file = join(env.XDG_STATE_HOME, "wrong");
    const trigger = (...args: string[]) => runCommand(["trigger", "webhook.test", ...args], env);
    await t.rejects(trigger("--to", "http://127.0.0.1:1", "--secret-file", file), {
      message: /holds no webhook's secret/,
    });
    await t.rejects(trigger("--to", "localhost:3000"), { message: /^--to takes/ });
    await t.rejects(trigger("--to", "http://127.0.0.1:1", "--set", "amount=1"), { message: /no such field/ });
  },
);
