import t from "tap";
import { testStore } from "#test-support";
import { sweepConsoleAudit } from "./sweep-console-audit.ts";

t.test("console audit - lines leave with their steps when they have been kept long enough", async (t) => {
  const store = await testStore();
  const lineOf = async (days: number) => {
    const [{ id }] = await store<[{ id: number }]>`
      insert into console_audit (at, user_name, role, action)
      values (now() - ${days} * interval '1 day', 'ada', 'operator', 'a') returning id`;
    await store`insert into console_audit_steps (line, joined, action, outcome) values (${id}, false, 'a', 'ok')`;
    return id;
  };
  await lineOf(10);
  const young = await lineOf(9);
  t.equal(await sweepConsoleAudit(store, 10), 1);
  t.equal(await sweepConsoleAudit(store, 10), 0);
  t.strictSame(await store`select id from console_audit`, [{ id: young }]);
  t.strictSame(await store`select line from console_audit_steps`, [{ line: young }]);
});
