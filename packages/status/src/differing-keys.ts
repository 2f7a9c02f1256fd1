import type { Source } from "./change.ts";

/**
 * Encryption keys that processes have under the same id and that differ, a sentence for each. Found by a
 * check value computed from the key: equal ids prove nothing, and a process with another key cannot read what
 * the others have sealed.
 * @param own the caller's own check values by id
 */
export function differingKeys(
  sources: readonly Source[],
  own: ReadonlyMap<string, string> = new Map(),
): string[] {
  const holders = new Map<string, Map<string, Set<string>>>();
  const add = (key: string, check: string, who: string) => {
    const checks = holders.get(key) ?? new Map<string, Set<string>>();
    holders.set(key, checks);
    checks.set(check, (checks.get(check) ?? new Set()).add(who));
  };
  for (const { url, scrape } of sources) {
    for (const { labels } of scrape.samples("stampede_encryption_key_info")) {
      add(labels.key ?? "", labels.check ?? "", `${labels.service} at ${new URL(url).host}`);
    }
  }
  for (const [key, check] of own) if (holders.has(key)) add(key, check, "this environment");
  return [...holders].flatMap(([key, checks]) => {
    if (checks.size < 2) return [];
    // Most likely the key that fewer processes have is the wrong one.
    const [few, ...others] = [...checks.values()]
      .sort((a, b) => a.size - b.size)
      .map((who) => [...who].join(", "));
    return [
      `${few} has another key under the id ${key} than ${others.join("; ")}: ` +
        "give all the same STAMPEDE_ENCRYPTION_KEYS, and restart what has the wrong one",
    ];
  });
}
