import type { FieldChange } from "./changed-fields.ts";

/** How a line of the audit is shown to tell of a change: `state: enabled → paused`; of a list what left it and what was added. */
export function changeWords(change: FieldChange): string {
  if ("secret" in change) return `${change.field}: another secret`;
  if ("added" in change) {
    const words = [...wordsOf("without", change.removed), ...wordsOf("with", change.added)];
    return `${change.field}: ${words.join(", ")}`;
  }
  return `${change.field}: ${valueWords(change.old)} → ${valueWords(change.new)}`;
}

function wordsOf(word: string, values: unknown): string[] {
  if (!Array.isArray(values)) return [`${word} ${valueWords(values)}`];
  return values.length === 0 ? [] : [`${word} ${values.join(", ")}`];
}

/** What is too long for the audit has its beginning there. */
function valueWords(value: unknown): string {
  if (value === null || value === "") return "nothing";
  if (typeof value === "string") return value;
  if (typeof value !== "object" || !("begins" in value)) return JSON.stringify(value);
  const { begins, length } = value as unknown as { begins: string; length: number };
  return `${begins}… (${length} characters)`;
}
