import type { Test } from "tap";
import { EVENT_TYPES } from "#contract";
import { CLEARED_AT, PublisherClient, startWebhookReceiver, testServers } from "#test-support";
import { LoyaltyLoop } from "../loyalty-loop.ts";

/** A pipeline of all services, whose NATS has a known monitoring port. */
export async function openLoop(t: Test): Promise<LoyaltyLoop> {
  const { natsMonitorUrl } = await testServers();
  const loop = await LoyaltyLoop.open(t, {
    env: {
      STAMPEDE_NATS_MONITOR_URL: natsMonitorUrl,
      STAMPEDE_WEBHOOK_ALLOW_HTTP: "loopback",
      STAMPEDE_WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
    },
  });
  await loop.pipeline.start("webhooks");
  await loop.pipeline.start("console");
  return loop;
}

/**
 * Makes purchases that go the whole way, one after the other, until `stop`, which rejects with the error if
 * one failed.
 */
export function startTraffic(t: Test, loop: LoyaltyLoop): { stop(): Promise<void> } {
  let stopped = false;
  const running = (async () => {
    const buy = await prepare(t, loop);
    while (!stopped) await buy();
  })();
  // `stop` reports its error.
  running.catch(() => {});
  return {
    stop() {
      stopped = true;
      return running;
    },
  };
}

async function prepare(t: Test, loop: LoyaltyLoop): Promise<() => Promise<void>> {
  const receiver = await startWebhookReceiver();
  t.teardown(() => receiver.close());
  await loop.publisher("webhook/create", { url: receiver.url, events: EVENT_TYPES });
  await loop.opensShop("Roastery", "ROASTERY-1");
  const program = await loop.offers("loyalty-program", PROGRAM);
  const ada = await loop.joins("ada");
  await loop.enrols(ada, program);
  const [console] = [...loop.pipeline.processes].filter(({ service }) => service === "console");
  const stranger = new PublisherClient(loop.pipeline.edge.url, "not-a-token");
  return async () => {
    const coffee = await loop.buys(ada, "coffee", { merchant_id: "ROASTERY-1" });
    await loop.paid(coffee);
    await loop.settles();
    await loop.changes(coffee, { cleared_at: CLEARED_AT });
    await loop.platform("loyalty-program/upsert", { ...PROGRAM, id: program });
    await fetch(console?.url ?? "").then((page) => page.text());
    // Refusals belong to the traffic.
    await stranger.post("member/list", {});
  };
}

const PROGRAM = {
  name: "Every second coffee",
  qualifying_threshold: 2,
  reward_config: { type: "fixed-reward", amount: 300 },
  rules: { merchant_ids: ["ROASTERY-1"], currency: "EUR", retroactive: true },
  display_content: {
    title: "Coffee",
    image: "https://a.example/coffee.png",
    summary: "Coffee",
    description: "Coffee",
    terms: "None",
  },
};
