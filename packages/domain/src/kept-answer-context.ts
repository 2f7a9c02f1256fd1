/** The request that came with an idempotency key. */
interface KeyedRequest {
  /** UUID. */
  readonly organisationId: string;
  readonly route: string;
  readonly key: string;
}

/**
 * What a sealed answer belongs to. It must be the same for sealing and for opening: so if rows are exchanged,
 * one organisation is not shown another's secret.
 */
export function keptAnswerContext({ organisationId, route, key }: KeyedRequest): string {
  return `idempotency-key\n${organisationId}\n${route}\n${key}`;
}
