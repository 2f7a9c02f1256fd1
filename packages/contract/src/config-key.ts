import { FLOW } from "./flow.ts";
import type { ConfigMessage } from "./schemas/platform.ts";

/**
 * The subject that a program or deal is published on, without the installation's prefix:
 * `config.<kind>.<id>`.
 */
export function configSubject({ kind, id }: Pick<ConfigMessage, "kind" | "id">): string {
  return `${FLOW.config.subject}.${kind}.${id}`;
}
