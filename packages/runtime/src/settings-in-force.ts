import type { Environment, SettingOrigin } from "./given-setting.ts";
import { reportSettings, type SettingRow } from "./read-settings.ts";

/** A setting as a running all-in-one holds it; `all-in-one`: the start chose it for what it started. */
export interface SettingInForce extends Omit<SettingRow, "origin"> {
  readonly origin: SettingOrigin | "all-in-one";
}

/**
 * What holds in the processes of an all-in-one, for whoever asks beside it: their environment is neither that of the start,
 * which adds its servers, keys and ports, nor that of the terminal in which somebody asks. Secrets are `set`.
 * @param given what the start read; not read again, since a pipe that holds a secret gives it once
 * @param handedOn the environment that it gives its services
 * @param kept what the start does itself, by key: those values hold, whatever is handed on
 */
export function settingsInForce(
  given: readonly SettingRow[],
  handedOn: Environment,
  kept: ReadonlyMap<string, unknown>,
): SettingInForce[] {
  const inServices = new Map(reportSettings(handedOn).rows.map((row) => [row.key, row]));
  return given.map((row) => {
    if (kept.has(row.key)) return { ...row, value: kept.get(row.key) };
    const held = (inServices.get(row.key) as SettingRow).value;
    if (isSameValue(held, row.value)) return row;
    const { file: _, ...withoutFile } = row;
    return { ...withoutFile, value: held, origin: "all-in-one" };
  });
}

/** Values are numbers, strings and lists of them. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
