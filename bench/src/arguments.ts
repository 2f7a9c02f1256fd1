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
