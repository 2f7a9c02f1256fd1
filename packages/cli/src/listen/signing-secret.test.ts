import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { isWebhookSecret } from "#domain";
import { signingSecret } from "./signing-secret.ts";

t.test("signing secret - is made once, for its user only, and stays the same", async (t) => {
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
  "signing secret - without XDG_STATE_HOME it is under the home, and a relative one does not count",
  async (t) => {
    const HOME = t.testdir();
    const file = join(HOME, ".local", "state", "stampede", "webhook-secret");
    t.equal(signingSecret({ HOME }, undefined).file, file);
    t.equal(signingSecret({ HOME, XDG_STATE_HOME: "here" }, undefined).file, file);
  },
);

t.test("signing secret - another file is read and never made", async (t) => {
  const env = { XDG_STATE_HOME: t.testdir() };
  const given = join(t.testdir({ secret: "" }), "secret");
  t.throws(() => signingSecret(env, given), { message: /holds no webhook's secret/ });
  t.throws(() => signingSecret(env, `${given}-no`), { message: /cannot read .*ENOENT/ });
  const own = signingSecret(env, undefined);
  writeFileSync(given, readFileSync(own.file));
  t.strictSame(signingSecret(env, given), { secret: own.secret, file: given });
});

t.test("signing secret - where none can be kept, the way out is named", async (t) => {
  const folder = t.testdir({ stampede: "a file" });
  t.throws(() => signingSecret({ XDG_STATE_HOME: folder }, undefined), {
    message: /cannot keep.*--secret-file/,
  });
});
