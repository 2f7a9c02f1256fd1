import { JetStreamApiError } from "@nats-io/jetstream";
import {
  createInbox,
  type Msg,
  type MsgHdrs,
  MsgHdrsImpl,
  type NatsConnection,
  NoRespondersError,
  type PermissionViolationError,
  RequestError,
  TimeoutError,
} from "@nats-io/transport-node";
import { Deadlines } from "#runtime";
import { DisconnectedError } from "../connection/nats-errors.ts";

/** A stream's acknowledgement of a stored message. */
export interface Acknowledgement {
  /** Whether it had stored the message before. */
  readonly duplicate: boolean;
  /** The message's place in its stream. */
  readonly seq: number;
}

/** A message to publish. */
export interface Publication {
  readonly subject: string;
  readonly payload: string | Uint8Array;
  /** The same for all attempts at one message. */
  readonly id: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Attempt {
  readonly token: string;
  readonly subject: string;
  readonly resolve: (ack: Acknowledgement) => void;
  readonly reject: (error: Error) => void;
}

/** Longer than for a question: a write waits for other nodes and disks, and repeating it costs more. */
const TIMEOUT_MS = 5_000;
/** The header by which a stream recognises a message that it has stored before. */
const MESSAGE_ID = "Nats-Msg-Id";
const BREAKS_LINE = /[\r\n]/;
const NO_RESPONDERS = 503;

/**
 * Publishes to streams, and receives the answers. The client can do this, too (`JetStreamClient.publish`), by
 * a request for each message: with a timer, six promises, and an error with a stack even if it succeeds, a
 * twentieth of the edge's time under load. Here all attempts of a connection share a subscription and a
 * timer.
 *
 * An attempt ends once, by the first of these: the answer, the server's report that no process listens or
 * that this user may not publish there, the end of the connection, or its time-out. Anything later finds no
 * attempt and is dropped: publishing again makes another attempt, with a new token.
 */
export class AcknowledgedPublisher {
  readonly #nats: NatsConnection;
  readonly #inboxPrefix: string;
  /** By token, in the order of sending. */
  readonly #attempts = new Map<string, Attempt>();
  readonly #deadlines = new Deadlines<Attempt>(TIMEOUT_MS, (attempt) =>
    this.#fail(attempt, new TimeoutError()),
  );
  /** The prefix of the subjects for answers; undefined: not subscribed. */
  #inbox: string | undefined;
  #lastToken = 0;

  constructor(nats: NatsConnection, inboxPrefix: string) {
    this.#nats = nats;
    this.#inboxPrefix = inboxPrefix;
  }

  /**
   * Makes one attempt. Rejects like JetStream's client: with `JetStreamApiError` for an answer that is an
   * error, with `RequestError` if no process listens, and with `TimeoutError`; and with `DisconnectedError`
   * as soon as the connection breaks.
   */
  publish({ subject, payload, id, headers = {} }: Publication): Promise<Acknowledgement> {
    return new Promise((resolve, reject) => {
      const token = (++this.#lastToken).toString(36);
      const attempt = { token, subject, resolve, reject };
      this.#inbox ??= this.#subscribe();
      const reply = this.#inbox + token;
      this.#nats.publish(subject, payload, { reply, headers: headersOf(headers, id) });
      this.#attempts.set(token, attempt);
      this.#deadlines.begin(attempt);
    });
  }

  /** The connection broke: no answer can come over it any more. */
  disconnected(): void {
    this.#failAll(new DisconnectedError("the connection broke"));
  }

  /**
   * The server refused a message. It names only the subject, so the oldest attempt on that subject gets the
   * refusal.
   */
  refused(error: PermissionViolationError): void {
    for (const attempt of this.#attempts.values()) {
      if (attempt.subject !== error.subject) continue;
      this.#fail(attempt, error);
      return;
    }
  }

  /** After a reconnect the client subscribes again automatically. */
  #subscribe(): string {
    const inbox = `${createInbox(this.#inboxPrefix)}.`;
    this.#nats.subscribe(`${inbox}*`, {
      callback: (error, message) => {
        if (error === null) this.#hear(message, inbox.length);
        else this.#deaf(error);
      },
    });
    return inbox;
  }

  /** This user may not listen there: the client has ended the subscription. */
  #deaf(error: Error): void {
    this.#inbox = undefined;
    this.#failAll(error);
  }

  #hear(message: Msg, tokenAt: number): void {
    const attempt = this.#attempts.get(message.subject.slice(tokenAt));
    if (attempt === undefined) return;
    try {
      const ack = readAnswer(message, attempt.subject);
      this.#end(attempt);
      attempt.resolve(ack);
    } catch (error) {
      this.#fail(attempt, error as Error);
    }
  }

  #failAll(error: Error): void {
    for (const attempt of this.#attempts.values()) this.#fail(attempt, error);
  }

  #fail(attempt: Attempt, error: Error): void {
    this.#end(attempt);
    attempt.reject(error);
  }

  #end(attempt: Attempt): void {
    this.#attempts.delete(attempt.token);
    this.#deadlines.end(attempt);
  }
}

/** @throws if the value would become several headers */
function headersOf(headers: Readonly<Record<string, string>>, id: string): MsgHdrs {
  const fields: Record<string, string[]> = { [MESSAGE_ID]: [id] };
  for (const name in headers) fields[name] = [headers[name] as string];
  for (const name in fields) {
    if (BREAKS_LINE.test((fields[name] as string[])[0] as string)) throw new Error(`a line break in ${name}`);
  }
  return MsgHdrsImpl.fromRecord(fields);
}

function readAnswer(message: Msg, subject: string): Acknowledgement {
  if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS) {
    throw new RequestError("no stream takes the message", { cause: new NoRespondersError(subject) });
  }
  const { seq, duplicate = false, error } = message.json<Answer>();
  if (error !== undefined) throw new JetStreamApiError(error);
  if (seq === undefined) throw new Error("an answer that is none");
  return { seq, duplicate };
}

interface Answer extends Partial<Acknowledgement> {
  readonly error?: ConstructorParameters<typeof JetStreamApiError>[0];
}
