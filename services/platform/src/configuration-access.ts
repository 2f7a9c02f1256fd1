import type { CursorKey } from "#http";
import type { Store } from "#postgres";
import type { IdempotencyKeys } from "./idempotency-keys.ts";

/** What the endpoints for retailers, programs and deals work with. */
export interface ConfigurationAccess {
  readonly store: Store;
  readonly cursors: CursorKey;
  readonly keys: IdempotencyKeys;
  /** A program or deal changed: the publishers get it now. Where the request is traced, with its `traceparent`. */
  readonly onChange: (traceparent: string | undefined) => void;
}

/** What cursors are bound to besides their list: everybody who may list sees the same. */
export const LIST_OWNER = "platform";
