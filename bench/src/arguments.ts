/** Each of the values given must be one of those known. */
export function known<T extends string>(
  name: string,
  given: string[] | undefined,
  values: readonly T[],
): T[] | undefined {
  return given?.map((text) => {
    const value = values.find((candidate) => candidate === text);
    if (value === undefined) throw new Error(`${name} is one of ${values.join(", ")}, not ${text}`);
    return value;
  });
}

/** A whole number above 0. */
export function count(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`${name} is a whole number above 0, not ${text}`);
  return value;
}

/** One of these at most, and any number of them: for `parseArgs`. */
export const ONE = { type: "string" } as const;
export const SEVERAL = { type: "string", multiple: true } as const;

/** What every benchmark takes. */
export const COMMON_OPTIONS = {
  help: { type: "boolean", short: "h" },
  quick: { type: "boolean" },
  results: ONE,
  dir: ONE,
} as const;

/** Where the results go, and where the servers keep their data; undefined: see bench/README.md. */
export interface Places {
  readonly resultsDir: string | undefined;
  readonly dir: string | undefined;
}

interface CommonValues {
  readonly quick?: boolean | undefined;
  readonly results?: string | undefined;
  readonly dir?: string | undefined;
}

export function placesOf({ results, dir }: CommonValues): Places {
  return { resultsDir: results, dir };
}

/**
 * Which record a run goes into: only the whole of a benchmark, as it is, can be compared between commits.
 * @param narrowed values of the options that make it another one
 */
export function modeOf<Name extends string>(
  name: Name,
  { quick }: CommonValues,
  narrowed: readonly unknown[],
): Name | `${Name}-quick` | `${Name}-partial` {
  if (quick) return `${name}-quick`;
  return narrowed.some((value) => value !== undefined) ? `${name}-partial` : name;
}
