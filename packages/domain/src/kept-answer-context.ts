/** The request that an idempotency key was sent with. */
interface KeyedRequest {
  /** UUID. */
  readonly organisationId: string;
  readonly route: string;
  readonly key: string;
}

/**
 * What a kept answer that is sealed belongs to. Sealing and opening must say the same: rows that were exchanged do not
 * show one organisation another's secret.
 */
export function keptAnswerContext({ organisationId, route, key }: KeyedRequest): string {
  return `idempotency-key\n${organisationId}\n${route}\n${key}`;
}
