import { randomBytes } from "node:crypto";
import { createWebhookSecret, targetPolicy } from "#domain";
import { createSender, type SenderOptions, type SendRequest } from "./sender.ts";

/** Allows plain HTTP to loopback addresses. */
export const LOOPBACK = targetPolicy("on", ["127.0.0.0/8", "::1/128"]);
export const SECRET = createWebhookSecret(randomBytes(32));

export function requestTo(url: string, more: Partial<SendRequest> = {}): SendRequest {
  return {
    url,
    webhookId: "dlv_01h455vb4pex5vsknk084sn02q",
    timestamp: new Date(),
    body: '{"events":[{"type":"webhook.test"}]}',
    secrets: [SECRET],
    ...more,
  };
}

/** A sender to loopback; the caller closes it. It knows only the given names, and asks no name server. */
export function testSender({
  names = {},
  ...more
}: Partial<SenderOptions> & { names?: Readonly<Record<string, readonly string[]>> } = {}) {
  const resolve = async (name: string) => names[name] ?? Promise.reject(new Error(`no such name: ${name}`));
  return createSender({ policy: LOOPBACK, now: () => new Date(), resolve, ...more });
}
