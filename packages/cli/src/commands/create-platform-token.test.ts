import t from "tap";
import { hashTokenSecret, isTokenSecret } from "#domain";
import { findTokenOwner } from "#platform-db";
import { closeStore, connectStore } from "#postgres";
import { testServers } from "#test-support";
import { Terminal } from "../terminal.ts";
import { makePlatformToken } from "./tokens.ts";

t.test("token create --platform - stdout has the secret and nothing else, and the token works", async (t) => {
  const url = await (await testServers()).databaseUrl();
  const store = connectStore({ url, max: 1, applicationName: "test" });
  t.teardown(() => closeStore(store));
  const out: string[] = [];
  const err: string[] = [];
  const terminal = new Terminal(
    { write: (text: string) => out.push(text) },
    { write: (text: string) => err.push(text) },
  );
  await makePlatformToken(store, "test", terminal);
  const secret = out.join("").trimEnd();
  t.ok(isTokenSecret(secret));
  t.strictSame(out, [`${secret}\n`]);
  t.notMatch(err.join(""), secret);
  t.match(await findTokenOwner(store, hashTokenSecret(secret)), { kind: "platform" });
});
