import {
  type ConfigMessage,
  type DealConfig,
  describeViolation,
  MESSAGE_VALIDATORS,
  type ProgramConfig,
} from "#contract";
import { decodeId, toUtcMicroseconds } from "#domain";
import { type MessageHandler, type Outcome, parseJson } from "#nats";
import type { Log } from "#runtime";
import {
  applyDealConfig,
  applyProgramConfig,
  type DealChange,
  type ProgramChange,
  refusalOfData,
  type Store,
} from "#store";
import type { ConfigMetrics } from "./metrics.ts";

const DONE: Outcome = { kind: "done" };
/** A newer revision was there already, or this very one: redelivered, or late. */
const OLD_REVISION: Outcome = { kind: "skip", reason: "old_revision" };

/**
 * Configuration from the platform, one message at a time: read, check, apply. Only a revision above the stored one is
 * applied, so any order and any repetition comes to the same. What can never be applied becomes a dead letter: the
 * platform mends it by publishing the next revision.
 */
export function createConfigHandler(parts: {
  store: Store;
  metrics: ConfigMetrics;
  log: Log;
}): MessageHandler {
  const { store, metrics, log } = parts;
  return async ({ subject, sequence, data }) => {
    const refuse = (reason: string, details: object): Outcome => {
      log.warn({ subject, sequence, reason, ...details }, "configuration refused");
      return { kind: "dead", reason };
    };
    const message = parseJson(data);
    if (message === undefined) return refuse("unreadable_message", {});
    const validate = MESSAGE_VALIDATORS.config;
    if (!validate(message)) {
      return refuse("invalid_message", { issues: (validate.errors ?? []).map(describeViolation) });
    }
    const config = message as ConfigMessage;
    const id = decodeId(config.kind === "deal" ? "deal" : "lp", config.id);
    if (id === undefined) return refuse("invalid_message", { issues: [{ path: "/id" }] });
    try {
      const applied = await metrics.timed(() => apply(store, id, config));
      return applied ? DONE : OLD_REVISION;
    } catch (error) {
      // What it says does not fit, such as a number that no column can hold. Everything else passes, and is tried again.
      const code = refusalOfData(error);
      if (code === undefined) throw error;
      return refuse("refused_by_database", { error: code });
    }
  };
}

function apply(store: Store, id: string, config: ConfigMessage): Promise<boolean> {
  const { revision } = config;
  return config.kind === "deal"
    ? applyDealConfig(store, { id, revision, record: toDeal(config.record) })
    : applyProgramConfig(store, { id, revision, record: toProgram(config.record) });
}

function toProgram(record: ProgramConfig["record"]): ProgramChange["record"] {
  if (record === null) return null;
  return {
    name: record.name,
    qualifyingThreshold: record.qualifying_threshold,
    rewardConfig: record.reward_config,
    displayContent: record.display_content,
    currency: record.currency,
    retroactive: record.retroactive,
    createdAt: toUtcMicroseconds(record.created_at),
    updatedAt: toUtcMicroseconds(record.updated_at),
  };
}

function toDeal(record: DealConfig["record"]): DealChange["record"] {
  if (record === null) return null;
  return {
    name: record.name,
    rewardConfig: record.reward_config,
    displayContent: record.display_content,
    startsAt: normalised(record.starts_at),
    endsAt: normalised(record.ends_at),
    retroactive: record.retroactive,
    createdAt: toUtcMicroseconds(record.created_at),
    updatedAt: toUtcMicroseconds(record.updated_at),
  };
}

function normalised(timestamp: string | undefined): string | undefined {
  return timestamp === undefined ? undefined : toUtcMicroseconds(timestamp);
}
