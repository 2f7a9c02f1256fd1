import t from "tap";
import type { Fact } from "./facts.ts";
import { withFacts } from "./facts-of.ts";

const [CARD, OTHER, PROGRAM, MEMBER] = ["sc_a", "sc_b", "lp_a", "m_a"].map((id) => id.padEnd(29, "0")) as [
  string,
  string,
  string,
  string,
];
const AT = "2026-05-01T10:00:00.000Z";

function bought(external_id: string, merchant_id = "M1"): Fact {
  const card = { auth_code: "A1", network: "visa" as const, bin: "411111" };
  return { kind: "event", event: { ...card, member_id: MEMBER, external_id, merchant_id, authed_at: AT } };
}

t.test(
  "a difference has the facts of its purchase and card, and the facts on which these depend",
  async (t) => {
    const record = { merchant_ids: ["M1"] };
    const facts: Fact[] = [
      { kind: "retailer", id: "ret_a", at: AT, record },
      { kind: "retailer", id: "ret_b", at: AT, record: { merchant_ids: ["M2"] } },
      { kind: "program", id: PROGRAM, at: AT, record: null },
      { kind: "program", id: "lp_b", at: AT, record: null },
      { kind: "member", id: MEMBER, memberbase: "mb_a" },
      { kind: "enrolment", id: CARD, at: AT, member: MEMBER, program: PROGRAM },
      { kind: "enrolment", id: OTHER, at: AT, member: "m_b", program: "lp_b" },
      bought("x-7-001"),
      bought("x-7-002", "M2"),
      bought("x-7-001"),
    ];
    const lines = withFacts(`stamp too many: x-7-001 on ${CARD}`, facts, "x-7").split("\n  ");
    t.equal(lines[0], `stamp too many: x-7-001 on ${CARD}`);
    t.strictSame(
      lines.slice(1).map((line) => line.split(" ")[0]),
      ["0", "2", "4", "5", "7", "9"],
    );
    t.match(lines[5], /"external_id":"x-7-001","merchant_id":"M1","authed_at"/);
    t.notMatch(lines.join(), /auth_code|411111/);
  },
);

t.test("a difference names a card that is in no answer", async (t) => {
  const [, ...lines] = withFacts(`stamp too many: x-7-001 on ${CARD}`, [bought("x-7-001")], "x-7").split(
    "\n  ",
  );
  t.equal(lines.length, 2);
  t.equal(lines[1], `no answer named ${CARD}`);
});
