import { modelEvents } from "../model.ts";
import { eventsOf, resolveSample } from "../prepare-run.ts";
import { generateSample } from "../sample.ts";
import { planRewards } from "./plan-rewards.ts";
import { shopsOf } from "./retailers.ts";

/** The plan of the sample, as the run `test` has it. */
export function planSample() {
  const sample = generateSample(Date.UTC(2026, 0, 5, 6));
  const memberIds = new Map(sample.refs.map((ref) => [ref, `m_${ref}`]));
  const entries = resolveSample(sample, "test", memberIds);
  const events = eventsOf(entries);
  const whole = modelEvents(events, new Set(memberIds.values()));
  const shops = shopsOf(sample.entries);
  return {
    sample,
    entries,
    memberIds,
    events,
    whole,
    shops,
    plan: planRewards("test", memberIds, whole, shops),
  };
}
