import { hash } from "node:crypto";

/** The place of the last event of a batch in one partition. */
export interface Place {
  readonly partition: number;
  readonly sequence: number;
  /**
   * When the stream was created, as NATS reports it (`StreamState.created`); undefined: the stream was
   * recreated meanwhile, and the message may be in either one.
   */
  readonly streamCreated: string | undefined;
}

/** The places in a batch's id. */
export interface BatchPlaces {
  /** The number of events in the request. */
  readonly events: number;
  /** When the newest of the streams was created, in milliseconds since 1970 by the clock of NATS. */
  readonly newest: number;
  /** Names the streams that the sequences belong to (`streamsDigest`), 16 hex digits. */
  readonly streams: string;
  /** By partition. */
  readonly places: readonly Pick<Place, "partition" | "sequence">[];
}

export function toBatchPlaces(events: number, places: readonly Place[]): BatchPlaces {
  const sorted = [...places].sort((a, b) => a.partition - b.partition);
  const known = sorted.filter(isKnown);
  const newest = Math.max(0, ...known.map(({ streamCreated }) => Date.parse(streamCreated)));
  const streams = known.length === sorted.length ? streamsDigest(known) : NO_STREAMS;
  return { events, newest, streams, places: sorted };
}

/** In place of a digest: the stream of a place is not known. */
export const NO_STREAMS = "0".repeat(16);

function isKnown(place: Place): place is Place & { readonly streamCreated: string } {
  return place.streamCreated !== undefined;
}

/**
 * A digest that differs if the streams of the same partitions were created at other times. @param streams by
 * partition
 */
export function streamsDigest(
  streams: readonly { readonly partition: number; readonly streamCreated: string }[],
): string {
  const text = streams.map(({ partition, streamCreated }) => `${partition} ${streamCreated}\n`).join("");
  return hash("sha256", text, "hex").slice(0, 16);
}

/*
 *   events (2 bytes), newest (6), digest (8), how many bytes of partitions follow (1), a bit for each partition,
 *   the lowest sequence (6), bits of each distance from it (1), how many of its low bits are left out (1), the distances
 */
const HEAD_BYTES = 17;
const RANGE_BYTES = 8;
/**
 * The room for the distances in an id of 1,000 characters. With 256 partitions 19 bits each, enough if one
 * partition has half a million messages more than another.
 */
const DISTANCE_BITS = 4_864;

/**
 * Packs the places into at most 672 bytes. If the distances do not fit, they lose their low bits and are
 * rounded up: a batch then counts as processed a few messages late, and never early.
 */
export function packPlaces({ events, newest, streams, places }: BatchPlaces): Uint8Array {
  const last = places.at(-1)?.partition ?? 0;
  const partitions = Buffer.alloc((last >> 3) + 1);
  for (const { partition } of places)
    partitions[partition >> 3] = at(partitions, partition >> 3) | (1 << (partition & 7));
  const lowest = Math.min(...places.map(({ sequence }) => sequence));
  let width = Math.max(...places.map(({ sequence }) => bitsOf(sequence - lowest)));
  let shift = 0;
  for (; width * places.length > DISTANCE_BITS; shift++) width--;
  // Rounding up may take a bit more.
  if (shift > 0) shift++;
  let distances = 0n;
  for (const { sequence } of places) {
    distances = (distances << BigInt(width)) | BigInt(Math.ceil((sequence - lowest) / 2 ** shift));
  }
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt16BE(events, 0);
  head.writeUIntBE(newest, 2, 6);
  head.write(streams, 8, "hex");
  head.writeUInt8(partitions.length, 16);
  const range = Buffer.alloc(RANGE_BYTES);
  range.writeUIntBE(lowest, 0, 6);
  range.writeUInt8(width, 6);
  range.writeUInt8(shift, 7);
  const bytes = Math.ceil((width * places.length) / 8);
  const packed = Buffer.from(distances.toString(16).padStart(bytes * 2, "0"), "hex");
  return Buffer.concat([head, partitions, range, packed.subarray(packed.length - bytes)]);
}

export function unpackPlaces(bytes: Buffer): BatchPlaces {
  const end = HEAD_BYTES + bytes.readUInt8(16);
  const partitions: number[] = [];
  for (let partition = 0; partition < (end - HEAD_BYTES) * 8; partition++) {
    if ((at(bytes, HEAD_BYTES + (partition >> 3)) >> (partition & 7)) & 1) partitions.push(partition);
  }
  const lowest = bytes.readUIntBE(end, 6);
  const width = BigInt(bytes.readUInt8(end + 6));
  const scale = 2 ** bytes.readUInt8(end + 7);
  let distances = BigInt(`0x${bytes.toString("hex", end + RANGE_BYTES) || "0"}`);
  const places: BatchPlaces["places"][number][] = [];
  for (const partition of partitions.reverse()) {
    const distance = Number(BigInt.asUintN(Number(width), distances));
    places.unshift({ partition, sequence: lowest + distance * scale });
    distances >>= width;
  }
  return {
    events: bytes.readUInt16BE(0),
    newest: bytes.readUIntBE(2, 6),
    streams: bytes.toString("hex", 8, 16),
    places,
  };
}

function at(bytes: Uint8Array, place: number): number {
  return bytes[place] ?? 0;
}

/** The number of bits of a whole number. */
function bitsOf(value: number): number {
  return value === 0 ? 0 : Math.floor(Math.log2(value)) + 1;
}
