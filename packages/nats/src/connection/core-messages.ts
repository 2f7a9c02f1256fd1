import {
  createInbox,
  type Msg,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from "@nats-io/transport-node";
import type { Stream } from "./connect.ts";

/**
 * Tells all listeners that there is work for them. They do not answer, and a kick may get lost: its listeners
 * also look periodically. It never fails, because it follows a commit that must not be undone.
 */
export function kick(stream: Stream, subject: string): void {
  // Without a connection, the client would collect the kicks and send all of them late.
  if (stream.connected()) stream.nats.publish(stream.prefix + subject);
}

/** Calls `handle` for every kick. Returns the function that ends it. */
export function onKick(stream: Stream, subject: string, handle: () => void): () => void {
  return listen(stream, stream.prefix + subject, () => handle());
}

function listen(stream: Stream, subject: string, hear: (message: Msg) => void): () => void {
  const subscription = stream.nats.subscribe(subject, {
    callback: (error, message) => {
      if (error === null) hear(message);
    },
  });
  return () => subscription.unsubscribe();
}

/** Receives core NATS messages on a subject of this process. Returns the function that ends it. */
export function subscribeReplies(
  stream: Stream,
  subject: string,
  receive: (data: Uint8Array) => void,
): () => void {
  return listen(stream, subject, ({ data }) => receive(data));
}

/** Sends a message to one process, on the subject that it named; lost if that process is gone. */
export function sendReply(stream: Stream, subject: string, payload: string): void {
  stream.nats.publish(subject, payload);
}

/**
 * Answers core NATS requests; each goes to one of the answering processes. If `answer` fails or returns
 * undefined, the asker gets nothing and gives up at its time-out. Returns the function that ends it: it takes
 * no new request, and resolves once those under way are answered.
 */
export function answerRequests(
  stream: Stream,
  subject: string,
  answer: (data: Uint8Array) => Promise<string | undefined>,
): () => Promise<void> {
  const underWay = new Set<Promise<void>>();
  const subscription = stream.nats.subscribe(stream.prefix + subject, {
    queue: subject,
    callback: (error, message) => {
      if (error !== null) return;
      const answering = answer(message.data)
        .then((payload) => {
          if (payload !== undefined) message.respond(payload);
        })
        .catch(() => {})
        .finally(() => underWay.delete(answering));
      underWay.add(answering);
    },
  });
  return async () => {
    subscription.unsubscribe();
    await Promise.all(underWay);
  };
}

/**
 * Asks one of the answering processes. Returns undefined if there is none, or no answer came in time; that
 * process may still be at work.
 */
export async function askOne(
  stream: Stream,
  subject: string,
  payload: string,
  timeoutMs: number,
): Promise<Uint8Array | undefined> {
  // The client loses everything it is given without a connection.
  if (!stream.connected()) return undefined;
  try {
    return (await stream.nats.request(stream.prefix + subject, payload, { timeout: timeoutMs })).data;
  } catch (error) {
    if (error instanceof TimeoutError || error instanceof RequestError) return undefined;
    throw error;
  }
}

/**
 * Answers questions to all processes; undefined: this process has no answer. Returns the function that ends
 * it.
 */
export function onQuestion(stream: Stream, subject: string, answer: () => string | undefined): () => void {
  return listen(stream, stream.prefix + subject, (message) => {
    const payload = answer();
    if (payload !== undefined) message.respond(payload);
  });
}

/** Asks all answering processes, and collects the answers of `waitMs`. */
export async function askAll(stream: Stream, subject: string, waitMs: number): Promise<string[]> {
  const answers: string[] = [];
  const options = { strategy: "timer", maxWait: waitMs } as const;
  try {
    for await (const message of await stream.nats.requestMany(stream.prefix + subject, undefined, options)) {
      answers.push(message.string());
    }
  } catch (error) {
    // No process listens.
    if (!(error instanceof NoRespondersError)) throw error;
  }
  return answers;
}

/** Calls `handle` for every broadcast, then confirms it to the sender. Returns the function that ends it. */
export function onBroadcast(stream: Stream, subject: string, handle: () => void): () => void {
  return listen(stream, stream.prefix + subject, (message) => {
    handle();
    message.respond();
  });
}

/** Sends to all listeners. Resolves to how many handled it: once `expected` have, or after `timeoutMs`. */
export function broadcast(
  stream: Stream,
  subject: string,
  options: { expected: number; timeoutMs: number },
): Promise<{ handled: number }> {
  return new Promise((resolve) => {
    let handled = 0;
    const inbox = createInbox(stream.inboxPrefix);
    const finish = () => {
      clearTimeout(timer);
      answers.unsubscribe();
      resolve({ handled });
    };
    const timer = setTimeout(finish, options.timeoutMs);
    const answers = stream.nats.subscribe(inbox, {
      callback: (error) => {
        // An error here means that no process listens. Continue waiting: the expected ones may be
        // reconnecting.
        if (error === null && ++handled >= options.expected) finish();
      },
    });
    stream.nats.publish(stream.prefix + subject, undefined, { reply: inbox });
  });
}
