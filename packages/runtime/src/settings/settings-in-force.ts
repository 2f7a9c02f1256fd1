import type { Environment, SettingOrigin } from "./given-setting.ts";
import { reportSettings, type SettingRow } from "./read-settings.ts";

/**
 * A setting in force in a running all-in-one; `all-in-one`: the start chose it for the processes that it
 * started.
 */
export interface SettingInForce extends Omit<SettingRow, "origin"> {
  readonly origin: SettingOrigin | "all-in-one";
}

/**
 * The settings in force in the processes of an all-in-one, for a command in another terminal. The environment
 * of those processes differs from that of the start, which adds its servers, keys and ports, and from that of
 * the terminal. Secrets are shown as `set`.
 * @param given the settings that the start has read; they are not read again, because a pipe gives a secret
 * only once
 * @param handedOn the environment that the start gives its services
 * @param kept values, by key, that the start itself uses: these count, even if others are handed on
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
