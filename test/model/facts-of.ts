/** The facts behind a difference, for the output of CI, which shows them nowhere else. */
import type { Fact } from "./facts.ts";

/** Long fields without information. */
const LEFT_OUT = new Set(["auth_code", "network", "bin", "identifiers"]);
const ID = /\b(?:clip|sc|m)_[0-9a-z]{26}\b/g;

/**
 * A difference, followed by the facts of the purchases, cards and clips that it names, with their numbers:
 * their events, payments and retailers, the links with their programs and deals, each in all revisions, and
 * the deletion of their members.
 * @param name of the history: its purchases' refs begin with it
 */
export function withFacts(difference: string, facts: readonly Fact[], name: string): string {
  const ids = new Set(difference.match(ID));
  const refs = new Set(difference.match(new RegExp(`${name}-(?:raised-)?[0-9a-z]+`, "g")));
  const events = facts.flatMap((fact) => (fact.kind === "event" ? fact.event : []));
  const own = events.filter(({ external_id }) => refs.has(external_id));
  const merchants = new Set(own.map(({ merchant_id }) => merchant_id));
  const paidAt = new Set(own.map(({ authed_at }) => authed_at));
  const ofLinks = facts.flatMap((fact) => {
    if (!("id" in fact && ids.has(fact.id))) return [];
    if (fact.kind === "enrolment") return [fact.member, fact.program];
    return fact.kind === "clip" ? [fact.member, fact.deal] : [];
  });
  const about = new Set([...ids, ...own.map(({ member_id }) => member_id), ...ofLinks]);
  const isConcerned = (fact: Fact): boolean => {
    switch (fact.kind) {
      case "event":
        return refs.has(fact.event.external_id);
      case "payment":
        return paidAt.has(fact.payment.paid_at);
      case "retailer":
        return fact.record === null || fact.record.merchant_ids.some((id) => merchants.has(id));
      case "memberbase-deletion":
        return true;
      default:
        return about.has(fact.id);
    }
  };
  const said = facts.flatMap((fact, number) =>
    isConcerned(fact)
      ? `${number} ${JSON.stringify(fact, (key, value) => (LEFT_OUT.has(key) ? undefined : value))}`
      : [],
  );
  const missing = [...ids].filter((id) => !facts.some((fact) => "id" in fact && fact.id === id));
  return [difference, ...said, ...missing.map((id) => `no answer named ${id}`)].join("\n  ");
}
