import { FLOW } from "./flow.ts";
import type { ConfigMessage } from "./schemas/platform.ts";

/** Where a program or deal is published, without the installation's prefix: `config.<kind>.<id>`. */
export function configSubject({ kind, id }: Pick<ConfigMessage, "kind" | "id">): string {
  return `${FLOW.config.subject}.${kind}.${id}`;
}
