import type { RequestOf } from "../api-types.ts";
import type { Filter, Member, MemberBase } from "../generated/publisher-api.ts";
import { recordId } from "./builders.ts";
import { missing } from "./refusal.ts";

/** Memberbases and their members in memory. */
export class FakeMembers {
  readonly #bases = new Map<string, MemberBase>();
  /** By memberbase, then by ref. */
  readonly #members = new Map<string, Map<string, Member>>();

  has(memberId: string): boolean {
    return this.byId(memberId) !== undefined;
  }

  byId(memberId: string): Member | undefined {
    for (const members of this.#members.values()) {
      for (const member of members.values()) if (member.id === memberId) return member;
    }
    return undefined;
  }

  createBase(name: string): MemberBase {
    const now = new Date().toISOString();
    const base = { id: recordId("mb"), name, created_at: now, updated_at: now };
    this.#bases.set(base.id, base);
    this.#members.set(base.id, new Map());
    return base;
  }

  base(id: string): MemberBase {
    return this.#bases.get(id) ?? missing("member_base");
  }

  deleteBase(id: string): MemberBase {
    const deleted = { ...this.base(id), deleted_at: new Date().toISOString() };
    this.#bases.delete(id);
    this.#members.delete(id);
    return deleted;
  }

  bases({ filters = [] }: RequestOf<"member-base/list">): MemberBase[] {
    return [...this.#bases.values()].filter((base) => filters.every((filter) => holds(filter, base)));
  }

  upsert({ member_base_id, members }: RequestOf<"member/bulk-upsert">): string[] {
    const known = this.#of(member_base_id);
    return members.map(({ ref, attributes = {} }) => {
      const now = new Date().toISOString();
      const member = known.get(ref) ?? {
        id: recordId("m"),
        member_base_id,
        ref,
        attributes: {},
        created_at: now,
        updated_at: now,
      };
      const merged = Object.entries({ ...member.attributes, ...attributes }).filter(
        ([, value]) => value !== null,
      );
      known.set(ref, {
        ...member,
        attributes: Object.fromEntries(merged) as Member["attributes"],
        updated_at: now,
      });
      return member.id;
    });
  }

  get(key: RequestOf<"member/get">): Member {
    const found = "id" in key ? this.byId(key.id) : this.#members.get(key.member_base_id)?.get(key.ref);
    return found ?? missing("member");
  }

  list({ member_base_id, filters = [] }: RequestOf<"member/list">): Member[] {
    const members = [...this.#of(member_base_id).values()];
    return members.filter((member) => filters.every((filter) => holds(filter, member)));
  }

  delete(request: RequestOf<"member/bulk-delete">): { deleted: number } {
    const known = this.#of(request.member_base_id);
    const isMeant = (member: Member) =>
      "refs" in request ? request.refs.includes(member.ref) : request.member_ids.includes(member.id);
    const meant = [...known.values()].filter(isMeant);
    for (const { ref } of meant) known.delete(ref);
    return { deleted: meant.length };
  }

  #of(memberBaseId: string): Map<string, Member> {
    return this.#members.get(memberBaseId) ?? missing("member_base");
  }
}

function holds<K extends string>(filter: Filter<K>, record: Readonly<Record<K, string>>): boolean {
  if ("or" in filter) return filter.or.some((one) => holds(one, record));
  if ("and" in filter) return filter.and.every((one) => holds(one, record));
  const value = record[filter.key];
  if ("eq" in filter) return value === filter.eq;
  return "in" in filter ? filter.in.includes(value) : !filter.nin.includes(value);
}
