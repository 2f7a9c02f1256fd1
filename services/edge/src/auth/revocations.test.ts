import t from "tap";
import { connectStream } from "#nats";
import { closeStore, connectStore } from "#postgres";
import { createLog } from "#runtime";
import { isolation, testServers } from "#test-support";
import { Revocations } from "./revocations.ts";

const log = createLog({ service: "test", level: "silent" });

t.test("revocations - every process is told, even if they cannot be counted", async (t) => {
  const servers = await testServers();
  const { natsUrl: url } = servers;
  const databaseUrl = await servers.databaseUrl();
  const prefix = isolation();
  const told: string[] = [];
  const [one, other] = await Promise.all(
    ["one", "other"].map(async (name) => {
      const stream = await connectStream({ url, name, prefix, log });
      const memberStore = connectStore({ url: databaseUrl, max: 1, applicationName: name });
      const revocations = new Revocations({ stream, memberStore, log, forget: () => told.push(name) });
      await revocations.start();
      await stream.nats.flush();
      t.teardown(() => Promise.all([stream.close(), closeStore(memberStore)]));
      t.teardown(() => revocations.stop());
      return { revocations, memberStore };
    }),
  );
  told.length = 0;
  await one?.revocations.announce();
  t.ok(told.includes("one") && told.includes("other"), "they are counted");
  told.length = 0;
  await Promise.all(Array.from({ length: 200 }, () => one?.revocations.announce()));
  const announced = told.filter((name) => name === "other").length;
  t.ok(announced >= 1 && announced < 20, `200 revocations at once are announced ${announced} times`);
  await closeStore(one?.memberStore as NonNullable<typeof one>["memberStore"]);
  told.length = 0;
  await one?.revocations.announce();
  t.ok(told.includes("one") && told.includes("other"), "they are not");
  t.ok(other?.revocations.mayTrust());
});
