import type { StoredRules } from "./stored-rules.ts";

/** Rules as the API shows them. */
export function writeRules(rules: StoredRules): StoredRules {
  const { paid_after, paid_before } = rules;
  return {
    ...rules,
    ...(paid_after !== undefined && { paid_after: toMilliseconds(paid_after) }),
    ...(paid_before !== undefined && { paid_before: toMilliseconds(paid_before) }),
  };
}

/** Of a timestamp as `toUtcMicroseconds` writes it. */
export function toMilliseconds(timestamp: string): string {
  return `${timestamp.slice(0, 23)}Z`;
}
