import type { Servers } from "./servers.ts";

/** Numbers of servers that lose what they have acknowledged are no numbers. */
export function warnAboutDurability({ durability }: Servers, say: (text: string) => void): void {
  const { fsync, synchronousCommit, natsSyncAlways, filesystem } = durability;
  const isDurable = fsync === "on" && synchronousCommit === "on" && natsSyncAlways && filesystem !== "tmpfs";
  if (isDurable) return;
  say(
    `NOT DURABLE, the numbers do not count: fsync ${fsync}, synchronous_commit ${synchronousCommit}, ` +
      `NATS sync always ${natsSyncAlways}, on ${filesystem} (see --dir)`,
  );
}
