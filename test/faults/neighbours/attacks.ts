import type { Attack } from "./attack.ts";
import { DOOR_ATTACKS } from "./door-attacks.ts";
import { INGESTION_ATTACKS } from "./ingestion-attacks.ts";
import { REQUEST_ATTACKS } from "./request-attacks.ts";
import { TARGET_ATTACKS } from "./target-attacks.ts";

export const ATTACKS: readonly Attack[] = [
  ...DOOR_ATTACKS,
  ...REQUEST_ATTACKS,
  ...INGESTION_ATTACKS,
  ...TARGET_ATTACKS,
];
