import type { Hop } from "#contract";
import type { Stream } from "../connection/connect.ts";

export function streamName(stream: Pick<Stream, "prefix">, hop: Hop, partition?: number): string {
  return stream.prefix + (hop.partitioned ? `${hop.stream}_${partition}` : hop.stream);
}

export function subjectName(stream: Pick<Stream, "prefix">, hop: Hop, partition?: number): string {
  return stream.prefix + (hop.partitioned ? `${hop.subject}.${partition}` : hop.subject);
}

/** The partitions of a hop; a hop without partitions has a single stream, 0. */
export function partitionsOf(hop: Hop, partitions: number): readonly number[] {
  return Array.from({ length: hop.partitioned ? partitions : 1 }, (_, partition) => partition);
}

/** The subjects of a hop's stream; a stream that keeps the last message of each key has one for each key. */
export function streamSubject(stream: Pick<Stream, "prefix">, hop: Hop, partition: number): string {
  const subject = subjectName(stream, hop, partition);
  return hop.lastPerKey ? `${subject}.>` : subject;
}
