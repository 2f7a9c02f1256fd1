const PREFIX = "STAMPEDE_";
/** If a name differs in more than this share of its letters, it is not a misspelling of the other. */
const DISTANCE_SHARE = 0.4;
/** Names of the passwords of NATS' users in its environment (deploy/nats/accounts.conf). */
const NATS_PASSWORD = /^STAMPEDE_NATS_[A-Z]+_PASSWORD$/;
/** Variables that Kubernetes gives every container, about every Service of its namespace. */
const SERVICE_LINK = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_(PROTO|PORT|ADDR))?))$/;

/**
 * What is wrong with a variable that is not a setting, and which setting may have been meant.
 * @param known the names of all settings, `_FILE` forms included
 */
export function explainUnknown(name: string, known: readonly string[]): string {
  const base = name.replace(/_FILE$/, "");
  if (base !== name && known.includes(base)) {
    return `${name} is not a setting: ${base} holds no secret, so it is set itself`;
  }
  const near = NATS_PASSWORD.test(name) ? undefined : nearestName(name, known);
  if (near !== undefined) return `${name} is not a setting: did you mean ${near}?`;
  if (SERVICE_LINK.test(name)) {
    return `${name} is not a setting: Kubernetes makes it for a Service; set enableServiceLinks: false for the pod`;
  }
  if (NATS_PASSWORD.test(name)) {
    return `${name} is not a setting: it is of NATS' environment, and a service has its password in NATS_URL`;
  }
  return `${name} is not a setting: docs/settings.md lists them`;
}

export function isNatsPassword(name: string): boolean {
  return NATS_PASSWORD.test(name);
}

/** The name in `known` that is the fewest edits away, if it is near enough to have been meant. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  // One of our settings that has no prefix, such as DATABASE_URL.
  const bare = withoutPrefix(name);
  if (known.includes(bare)) return bare;
  let nearest: string | undefined;
  let least = Math.floor(bare.length * DISTANCE_SHARE) + 1;
  for (const candidate of known) {
    const distance = editDistance(bare, withoutPrefix(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** Nearly all settings begin with the prefix: with it, any two names would look alike. */
function withoutPrefix(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

/** How many letters to insert, remove, replace, or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let least = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, at(before, j - 2) + 1);
      }
      row.push(least);
    }
    before = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] as number;
}
