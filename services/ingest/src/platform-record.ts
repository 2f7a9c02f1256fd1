import { LIMITS } from "#contract";
import { encodeId } from "#domain";
import { NO_LINKS } from "./write-record.ts";

/** Of one purchase: those that count for it. UUIDs. */
export interface PublishedLinks {
  readonly clips: readonly { readonly id: string; readonly dealId: string }[];
  readonly enrolments: readonly { readonly id: string; readonly loyaltyProgramId: string }[];
}

/**
 * Bytes of links in one record, at most: half of a message of NATS, whose other half is room for the rest of the record.
 * Ids are of fixed length, so links are counted and not measured.
 */
const LINK_BYTES_MAX = LIMITS.messageBytes / 2;
/** The longer kind, `{"stamp_collection_id":"sc_…","loyalty_program_id":"lp_…"},`, with room to spare. */
const LINK_BYTES = 128;
const LINKS_PER_RECORD = Math.floor(LINK_BYTES_MAX / LINK_BYTES);

/**
 * The same record with the links that count for it: nearly always one. A member with thousands of them would make one that
 * NATS refuses for ever, so it is cut into several of the same transaction with a part of the links each; the platform
 * takes them together, whatever comes first.
 */
export function addLinks(record: string, links: PublishedLinks): string[] {
  const { clips, enrolments } = links;
  if (clips.length + enrolments.length <= LINKS_PER_RECORD) return [addSomeLinks(record, links)];
  const records: string[] = [];
  for (let at = 0; at < clips.length; at += LINKS_PER_RECORD) {
    const some = clips.slice(at, at + LINKS_PER_RECORD);
    records.push(addSomeLinks(record, { clips: some, enrolments: [] }));
  }
  for (let at = 0; at < enrolments.length; at += LINKS_PER_RECORD) {
    const some = enrolments.slice(at, at + LINKS_PER_RECORD);
    records.push(addSomeLinks(record, { clips: [], enrolments: some }));
  }
  return records;
}

function addSomeLinks(record: string, links: PublishedLinks): string {
  const clips = links.clips.map(({ id, dealId }) => ({
    clip_id: encodeId("clip", id),
    deal_id: encodeId("deal", dealId),
  }));
  const enrolments = links.enrolments.map(({ id, loyaltyProgramId }) => ({
    stamp_collection_id: encodeId("sc", id),
    loyalty_program_id: encodeId("lp", loyaltyProgramId),
  }));
  return `${record.slice(0, -NO_LINKS.length)},"clips":${JSON.stringify(clips)},"enrolments":${JSON.stringify(enrolments)}}`;
}
