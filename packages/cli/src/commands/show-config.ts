import { type Environment, reportSettings, type SettingRow } from "#runtime";
import type { Terminal } from "../terminal.ts";
import { textTable } from "../text-table.ts";

/**
 * The effective settings on `out`, in the order in which they are declared; secrets are `set` or `not set`.
 * @throws SettingsError
 */
export function showConfig(env: Environment, { json }: { json: boolean }, terminal: Terminal): void {
  const { rows } = reportSettings(env);
  if (json) {
    const described = rows.map(({ key, value = null, origin, file, secret, about }) => {
      return { key, value, origin, file, secret, about };
    });
    terminal.out(JSON.stringify(described, null, 2));
    return;
  }
  const cells = rows.map((row) => [row.key, shownValue(row), originOf(row), row.about]);
  for (const line of textTable([["setting", "value", "from", "what"], ...cells])) terminal.out(line);
}

function shownValue({ value }: SettingRow): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(",");
  if (value === undefined) return "not set";
  return value === "" ? '""' : String(value);
}

function originOf({ origin, file }: SettingRow): string {
  return file === undefined ? origin : `${origin} ${file}`;
}
