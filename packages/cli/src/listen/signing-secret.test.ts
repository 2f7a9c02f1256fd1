import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { isWebhookSecret } from "#domain";
import { signingSecret } from "./signing-secret.ts";

t.test("signing secret - is made once, readable by its user only, and stays the same", async (t) => {
  const env = { XDG_STATE_HOME: t.testdir() };
  const { secret, file } = signingSecret(env, undefined);
  t.ok(isWebhookSecret(secret));
  t.equal(file, join(env.XDG_STATE_HOME, "stampede", "webhook-secret"));
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(join(file, "..")).mode & 0o777, 0o700);
  t.equal(signingSecret(env, undefined).secret, secret);
  t.strictSame(readdirSync(join(file, "..")), ["webhook-secret"], "nothing else is left behind");
  chmodSync(file, 0o644);
  signingSecret(env, undefined);
  t.equal(statSync(file).mode & 0o777, 0o600);
});

t.test(
  "signing secret - without XDG_STATE_HOME it is below the home folder, and a relative XDG_STATE_HOME does not count",
  async (t) => {
    const HOME = t.testdir();
    const file = join(HOME, ".local", "state", "stampede", "webhook-secret");
    t.equal(signingSecret({ HOME }, undefined).file, file);
    t.equal(signingSecret({ HOME, XDG_STATE_HOME: "here" }, undefined).file, file);
  },
);

t.test("signing secret - a named file is read and never made", async (t) => {
  const env = { XDG_STATE_HOME: t.testdir() };
  const given = join(t.testdir({ secret: "" }), "secret");
  t.throws(() => signingSecret(env, given), { message: /holds no webhook's secret/ });
  t.throws(() => signingSecret(env, `${given}-no`), { message: /cannot read .*ENOENT/ });
  const own = signingSecret(env, undefined);
  writeFileSync(given, readFileSync(own.file));
  t.strictSame(signingSecret(env, given), { secret: own.secret, file: given });
});

t.test("signing secret - if none can be kept, the message names a way out", async (t) => {
  const folder = t.testdir({ stampede: "a file" });
  t.throws(() => signingSecret({ XDG_STATE_HOME: folder }, undefined), {
    message: /cannot keep.*--secret-file/,
  });
});
