import { assertLimits, type ServiceName } from "#contract";
import { type Environment, missingFor, readSettings, SettingsError } from "#runtime";
import type { Terminal } from "../terminal.ts";

export interface ConfigCheck {
  readonly env: Environment;
  /** What it could not start without is looked at as well. */
  readonly service?: ServiceName | undefined;
  /** A document on `out` in the place of lines on `err`. */
  readonly json: boolean;
  /** Says nothing where nothing is wrong. */
  readonly isQuiet: boolean;
}

/** Says all that is wrong with an environment, a line each. @returns whether nothing is */
export function checkConfig({ env, service, json, isQuiet }: ConfigCheck, terminal: Terminal): boolean {
  const problems = findProblems(env, service);
  const valid = problems.length === 0;
  if (json) terminal.out(JSON.stringify({ valid, problems }, null, 2));
  else if (!valid) for (const problem of problems) terminal.err(`stampede: ${problem}`);
  else if (!isQuiet) {
    terminal.err(`the environment is valid${service === undefined ? "" : `, and ${service} misses nothing`}`);
  }
  return valid;
}

function findProblems(env: Environment, service: ServiceName | undefined): readonly string[] {
  try {
    // What every process asserts first; it depends on no setting.
    assertLimits();
    const settings = readSettings(env);
    return service === undefined ? [] : missingFor(service, settings);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    return [(error as Error).message];
  }
}
