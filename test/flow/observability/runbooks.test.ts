import postgres from "postgres";
import t from "tap";
import { testServers } from "#test-support";
import { readAlerts, readRunbookText, runbookBlocks } from "./deployed.ts";
import { readQuery } from "./promql.ts";

const text = readRunbookText();
const sections = text
  .split(/^## /m)
  .slice(1)
  .map((section) => ({ title: section.slice(0, section.indexOf("\n")).trim(), section }));

t.test("every alert has a runbook, and every runbook an alert", async (t) => {
  const alerts = new Set(readAlerts().map(({ alert }) => alert));
  t.strictSame(sections.map(({ title }) => title).sort(), [...alerts].sort());
});

t.test("every runbook has its meaning, impact, check, causes, steps and contact", async (t) => {
  for (const { title, section } of sections) {
    // One name may have one rule for the pager and one for the working day.
    const severities = new Set(
      readAlerts().flatMap(({ alert, labels }) => (alert === title ? (labels.severity ?? []) : [])),
    );
    t.match(section, `\n\n**${[...severities].sort().join(", ")}.**`, title);
    for (const part of ["**Users notice**", "**Confirm**", "**Likely causes**", "**Do**", "**Escalate**"]) {
      t.match(section, part, `${title}: ${part}`);
    }
  }
});

t.test("links of the runbooks lead somewhere", async (t) => {
  const anchors = new Set(sections.map(({ title }) => title.toLowerCase()));
  for (const [, anchor] of text.matchAll(/\]\(#(\w+)\)/g)) t.ok(anchors.has(`${anchor}`), `${anchor}`);
});

t.test("queries of the runbooks for Prometheus are queries", async (t) => {
  for (const block of runbookBlocks("promql")) t.doesNotThrow(() => readQuery(block), block);
});

t.test("every PostgreSQL query of the runbooks runs on the current schema", async (t) => {
  const servers = await testServers();
  const sql = postgres(await servers.databaseUrl(), { max: 1 });
  t.teardown(() => sql.end());
  const blocks = runbookBlocks("sql");
  t.ok(blocks.length > 5);
  for (const block of blocks) {
    t.match(block, /^select /, "it only reads");
    await t.resolves(sql.unsafe(block), block);
  }
});
