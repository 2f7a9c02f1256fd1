/** The services, each a process, in the order in which a transaction passes them. */
export const SERVICE_NAMES = ["edge", "ingest", "platform", "rewards", "webhooks"] as const;

export type ServiceName = (typeof SERVICE_NAMES)[number];
