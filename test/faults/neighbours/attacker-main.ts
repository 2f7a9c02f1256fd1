import type { Hostile } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";

/** The test sends the attack to make; the attack ends with this process. */
export interface AttackOrder {
  readonly name: string;
  readonly hostile: Hostile;
}

/** Reports to the test: the attack is in full effect, or could not begin. */
export interface AttackBegun {
  readonly error: string | undefined;
}

process.on("disconnect", () => process.exit(0));
process.on("message", ({ name, hostile }: AttackOrder) => {
  const attack = ATTACKS.find((one) => one.name === name);
  const tell = (error?: unknown) => process.send?.({ error: error && String(error) });
  attack?.start(hostile).then(() => tell(), tell);
});
