/** Sends the requests of histories to the real services, and makes facts of the answers. */
import { randomUUID } from "node:crypto";
import type { Test } from "tap";
import {
  DISPLAY_CONTENT,
  isLoopAtRest,
  type Pipeline,
  type PipelineOptions,
  PlatformClient,
  PlatformLink,
  PublisherClient,
  type RawAnswer,
  type ServiceProcess,
  startPipeline,
  succeeded,
  waitFor,
} from "#test-support";
import type { Fact } from "./facts.ts";
import type { History, Request } from "./history.ts";

export class Services {
  readonly pipeline: Pipeline;
  readonly publisher: PublisherClient;
  readonly #token: string;
  #link: PlatformLink;
  readonly #running = new Map<"platform" | "rewards", ServiceProcess>();

  /** @param isListed whether the test lists webhook events: webhooks moves the horizon of the list */
  static async open(t: Test, options: PipelineOptions = {}, isListed = true): Promise<Services> {
    const pipeline = await startPipeline(options);
    t.teardown(() => pipeline.stop());
    const starting = [pipeline.start("platform"), pipeline.start("rewards")] as const;
    if (isListed) await pipeline.start("webhooks");
    const services = await Promise.all(starting);
    const link = await PlatformLink.open(pipeline);
    const opened = new Services(pipeline, services, await pipeline.newPlatformToken(), link);
    t.teardown(() => opened.#link.close());
    return opened;
  }

  private constructor(
    pipeline: Pipeline,
    [platform, rewards]: [ServiceProcess, ServiceProcess],
    token: string,
    link: PlatformLink,
  ) {
    this.pipeline = pipeline;
    this.publisher = new PublisherClient(pipeline.edge.url, pipeline.publisher.token);
    this.#token = token;
    this.#link = link;
    this.#running.set("platform", platform).set("rewards", rewards);
  }

  get platform(): PlatformClient {
    return new PlatformClient(this.#running.get("platform")?.url, this.#token);
  }

  async end(service: "platform" | "rewards", how: "stop" | "kill"): Promise<void> {
    await this.#running.get(service)?.[how]();
    this.#running.delete(service);
  }

  async begin(service: "platform" | "rewards"): Promise<void> {
    if (!this.#running.has(service)) this.#running.set(service, await this.pipeline.start(service));
  }

  /**
   * Kills ingest and rewards, restores the publisher's database, and starts both again. The platform has its
   * own database, and goes on.
   */
  async restored(restore: () => Promise<void>): Promise<void> {
    const writers = [...this.pipeline.processes].filter(
      ({ service, child }) => service === "ingest" && child.exitCode === null && child.signalCode === null,
    );
    await Promise.all([...writers.map((ingest) => ingest.kill()), this.end("rewards", "kill")]);
    await restore();
    await Promise.all([this.pipeline.start("ingest"), this.begin("rewards")]);
    // The old link counts messages as applied that are not applied any more.
    await this.#link.close();
    this.#link = await PlatformLink.open(this.pipeline);
  }

  /** The number of webhook events. */
  async eventCount(): Promise<number> {
    const [{ count }] = await this.pipeline.store<
      [{ count: number }]
    >`select count(*)::int as count from events`;
    return count;
  }

  async rest(): Promise<void> {
    await waitFor(() => isLoopAtRest(this.pipeline, this.#link), {
      message: "something is still under way",
      deadlineMs: 120_000,
    });
  }
}

/** A running history: the ids behind its slots, and the facts. */
export class Story {
  readonly history: History;
  readonly facts: Fact[] = [];
  /** The answers' outcomes of events, by the number of the fact. */
  readonly answers = new Map<number, string>();
  readonly #services: Services;
  readonly #ids = new Map<string, string>();
  readonly members = new Set<string>();
  #bases = 0;

  constructor(history: History, services: Services) {
    this.history = history;
    this.#services = services;
  }

  async setUp(): Promise<void> {
    await this.#askInTurn(this.history.setUp());
    await this.#askInTurn(this.history.raises());
  }

  /**
   * Makes each request after the answer to the one before it; after a program or deal, waits until it shows.
   */
  async #askInTurn(requests: Iterable<Request>): Promise<void> {
    for (const request of requests) {
      await this.ask(request);
      if (request.kind === "program" || request.kind === "deal")
        await this.#isShown(request.kind, request.slot);
    }
  }

  async #isShown(kind: "program" | "deal", slot: number): Promise<void> {
    const route = kind === "program" ? "loyalty-program/get" : "deal/get";
    const id = this.#ids.get(`${kind} ${slot}`);
    const isShown = async () => (await post(this.#services.publisher, route, { id })).status === 200;
    await waitFor(isShown, { message: `the ${kind} does not show` });
  }

  async ask(request: Request): Promise<void> {
    switch (request.kind) {
      case "retailer":
      case "program":
      case "deal":
        return this.#configure(request);
      case "member":
        return this.#join(request.slot);
      case "member-deletion":
      case "memberbase-deletion":
        return this.#leave(request);
      case "enrolment":
      case "clip":
        return this.#link(request);
      case "event":
        return this.#tell(request);
      case "payment":
        return this.#pay(request);
    }
  }

  async #configure({ kind, slot, record }: Extract<Request, { record: object | null }>): Promise<void> {
    const resource = kind === "program" ? "loyalty-program" : kind;
    const id = this.#ids.get(`${kind} ${slot}`);
    if (record === null && id === undefined) return;
    const route = `${resource}/${record === null ? "delete" : "upsert"}`;
    const more = {
      name: `${kind} ${slot}`,
      ...(kind !== "retailer" && { display_content: DISPLAY_CONTENT }),
    };
    const body = record === null ? { id } : { ...(id !== undefined && { id }), ...more, ...record };
    const answer = await post(this.#services.platform, route, body);
    if (answer.status === 409 || answer.status === 404) return;
    const { id: made, updated_at, deleted_at } = succeeded(route, answer);
    this.#ids.set(`${kind} ${slot}`, made);
    this.facts.push({ kind, id: made, at: deleted_at ?? updated_at, record } as Fact);
  }

  async #join(slot: number): Promise<void> {
    const base = slot % 2;
    const name = `memberbase ${base}`;
    if (!this.#ids.has(name)) {
      const route = "member-base/create";
      const made = await post(this.#services.publisher, route, {
        name: `${this.history.name} ${++this.#bases}`,
      });
      this.#ids.set(name, succeeded(route, made).id);
    }
    const memberbase = this.#ids.get(name) as string;
    const body = { member_base_id: memberbase, members: [{ ref: `member ${slot}` }] };
    const answer = await post(this.#services.publisher, "member/bulk-upsert", body);
    if (answer.status === 404) return;
    const [id] = succeeded("member/bulk-upsert", answer);
    this.#ids.set(`member ${slot}`, id);
    this.members.add(id);
    this.facts.push({ kind: "member", id, memberbase });
  }

  async #leave(
    request: Extract<Request, { kind: "member-deletion" | "memberbase-deletion" }>,
  ): Promise<void> {
    if (request.kind === "memberbase-deletion") {
      const id = this.#ids.get("memberbase 1") as string;
      succeeded("member-base/delete", await post(this.#services.publisher, "member-base/delete", { id }));
      this.facts.push({ kind: "memberbase-deletion", id });
      return;
    }
    const member_base_id = this.#ids.get(`memberbase ${request.slot % 2}`);
    const id = this.#ids.get(`member ${request.slot}`) as string;
    const body = { member_base_id, member_ids: [id] };
    const answer = await post(this.#services.publisher, "member/bulk-delete", body);
    if (answer.status === 404) return;
    succeeded("member/bulk-delete", answer);
    this.facts.push({ kind: "member-deletion", id });
  }

  async #link({ kind, member, of }: Extract<Request, { kind: "enrolment" | "clip" }>): Promise<void> {
    const member_id = this.#ids.get(`member ${member}`) as string;
    const isCard = kind === "enrolment";
    const target = this.#ids.get(`${isCard ? "program" : "deal"} ${of}`) as string;
    const route = isCard ? "wallet.stamp-collection/create" : "wallet.clip/save";
    const body = { member_id, ...(isCard ? { loyalty_program_id: target } : { deal_id: target }) };
    const answer = await post(this.#services.publisher, route, body);
    if (answer.status === 409 || answer.status === 404) return;
    const { id, created_at: at } = succeeded(route, answer);
    this.facts.push(
      isCard
        ? { kind, id, at, member: member_id, program: target }
        : { kind, id, at, member: member_id, deal: target },
    );
  }

  async #tell({ member, event: asked }: Extract<Request, { kind: "event" }>): Promise<void> {
    const event = { ...asked, member_id: this.#ids.get(`member ${member}`) as string };
    const answer = await post(this.#services.publisher, "transaction/ingest", { events: [event] });
    const { body, status } = answer.status === 202 ? await this.#processed(answer.body.batch_id) : answer;
    const said = (["created", "updated", "unchanged"] as const).find((count) => body[count] === 1);
    const reason = body.error?.data?.rejected?.[0]?.reason ?? body.error?.data?.reason ?? body.error?.code;
    if (status !== 200 && status !== 404 && status !== 409) succeeded("transaction/ingest", answer);
    if (status === 200) this.history.taken(event);
    const fate = said ?? (status === 404 ? "not_found" : reason);
    if (fate !== undefined) this.answers.set(this.facts.length, fate);
    this.facts.push({ kind: "event", event });
  }

  /** The outcome of an event that was answered 202, in the form of an answer without counts. */
  async #processed(id: string): Promise<Pick<RawAnswer, "status" | "body">> {
    const { rejected } = await this.#services.publisher.batchOf(id);
    if (rejected.length === 0) return { status: 200, body: {} };
    return { status: rejected[0].code === "not_found" ? 404 : 409, body: { error: { data: { rejected } } } };
  }

  async #pay({ retailer, payment }: Extract<Request, { kind: "payment" }>): Promise<void> {
    const retailer_id = this.#ids.get(`retailer ${retailer}`);
    // The retailer is made later.
    if (retailer_id === undefined) return;
    const answer = await post(this.#services.platform, "payment/ingest", {
      retailer_id,
      payments: [payment],
    });
    if (answer.status === 404) return;
    succeeded("payment/ingest", answer);
    this.facts.push({ kind: "payment", retailer: retailer_id, payment });
  }
}

/**
 * Routes that may be repeated without a key if the answer was lost. A repeated revision or deletion would be
 * a new one, at another time.
 */
const REPEATABLE = /\/(get|ingest|bulk-upsert|bulk-delete|create|save)$/;

/**
 * Repeats a request while the services have too much to do. If an answer was lost, the request may have taken
 * effect. With the same key the repetition gets the first answer, and not a conflict with itself, which would
 * be no fact.
 */
async function post(
  client: PublisherClient | PlatformClient,
  route: string,
  body: object,
): Promise<RawAnswer> {
  const headers = { "idempotency-key": randomUUID() };
  const isKeyed = route.endsWith("/upsert") && !("id" in body);
  let answered: RawAnswer | Error | undefined;
  const isAnswered = async () => {
    const answer = await client.post(route, body, headers).catch((error: Error) => error);
    const isLost = answer instanceof Error || answer.body?.error?.data?.reason === "outcome_unknown";
    if (isLost && !isKeyed && !REPEATABLE.test(route)) {
      answered = new Error(`${route}: it is not known whether it was taken`, { cause: answer });
      return true;
    }
    if (answer instanceof Error) throw answer;
    answered = answer;
    return answer.status !== 503 && answer.body?.error?.data?.reason !== "in_progress";
  };
  await waitFor(isAnswered, { message: `${route} is not answered` });
  if (answered instanceof Error) throw answered;
  return answered as RawAnswer;
}
