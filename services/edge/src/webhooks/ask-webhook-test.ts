import {
  ApiError,
  LIMITS,
  WEBHOOK_TEST_SUBJECT,
  type WebhookTestRequest,
  type WebhookTestResult,
} from "#contract";
import { askOne, type Stream } from "#nats";

const RETRY_AFTER_SECONDS = 5;

/**
 * Asks one of the webhooks processes to make an attempt immediately, because the edge itself sends no
 * requests to other networks. A test may take as long as its target, up to the time-out, so an organisation
 * may have only a few under way.
 */
export class TestEvents {
  readonly #stream: Stream;
  /** Tests under way, by organisation; an organisation without any has no entry. */
  readonly #underWay = new Map<string, number>();

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /**
   * @param webhookId of this organisation
   * @param traceparent the request's, if it is traced
   * @returns null if the webhook was deleted meanwhile
   * @throws ApiError `unavailable` if too many tests are under way, or no process answers. A process that
   * died before it
   *   could answer may have made the attempt
   */
  async send(
    organisationId: string,
    webhookId: string,
    traceparent: string | undefined,
  ): Promise<WebhookTestResult | null> {
    const others = this.#underWay.get(organisationId) ?? 0;
    if (others >= LIMITS.webhookTestsUnderWay) {
      throw unavailable(
        `${others} tests of the organisation's webhooks are under way: wait for their answers`,
        "too_many_tests",
      );
    }
    this.#underWay.set(organisationId, others + 1);
    try {
      return await this.#ask({ organisation: organisationId, webhook: webhookId, traceparent });
    } finally {
      const left = (this.#underWay.get(organisationId) ?? 1) - 1;
      if (left === 0) this.#underWay.delete(organisationId);
      else this.#underWay.set(organisationId, left);
    }
  }

  async #ask(request: WebhookTestRequest): Promise<WebhookTestResult | null> {
    const payload = JSON.stringify(request);
    const answer = await askOne(this.#stream, WEBHOOK_TEST_SUBJECT, payload, LIMITS.webhookTestMs);
    if (answer === undefined) {
      throw unavailable("no process that sends webhooks answers now; try again", "no_dispatcher");
    }
    return JSON.parse(Buffer.from(answer).toString()) as WebhookTestResult | null;
  }
}

function unavailable(message: string, reason: string): ApiError {
  return new ApiError("unavailable", message, { reason }, RETRY_AFTER_SECONDS);
}
