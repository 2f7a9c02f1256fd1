/** Where the platform keeps its idempotency keys, and whose they are: it has one owner. */
export const PLATFORM_KEYS = {
  table: "platform.idempotency_keys",
  organisationId: "00000000-0000-0000-0000-000000000000",
} as const;
