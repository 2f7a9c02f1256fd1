/**
 * One text for all the ways to write a JSON value: no white space, keys in the order of their UTF-16 code
 * units, numbers and strings in JavaScript's form (RFC 8785; a lone surrogate, which that excludes, stays an
 * escape). Recurses as deep as the value: only for values that a schema has bounded.
 * @param value a result of `JSON.parse`
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const record = value as Readonly<Record<string, unknown>>;
  const members = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(record[key])}`);
  return `{${members.join(",")}}`;
}
