import { generateSample } from "../generate-sample.ts";
import { modelEvents } from "../model.ts";
import { resolveSample } from "../prepare-run.ts";
import { isMalformed } from "../sample.ts";
import { shopsOf } from "./configure-retailers.ts";
import { planRewards } from "./plan-rewards.ts";

/** The plan of the sample, as the run `test` has it. */
export function planSample() {
  const sample = generateSample();
  const memberIds = new Map(sample.refs.map((ref) => [ref, `m_${ref}`]));
  const entries = resolveSample(sample, { externalIdPrefix: "", authCodeSuffix: "-test", memberIds });
  const events = entries.flatMap((entry) => (entry.kind === "event" ? [entry.event] : []));
  const { outcomes, transactions } = modelEvents(events, new Set(memberIds.values()));
  const shops = shopsOf(sample.entries.flatMap((entry) => (isMalformed(entry) ? [] : [entry])));
  const run = { tag: "test", memberIds, events, outcomes, transactions };
  return { sample, entries, run, shops, plan: planRewards(run, shops) };
}
