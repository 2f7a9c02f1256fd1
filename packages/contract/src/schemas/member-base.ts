import { Type } from "../type-builder.ts";
import { closed, Id, line, Pagination } from "./fields.ts";
import { filteredList, filters } from "./filter.ts";

export const MemberBaseCreate = closed({ name: line(256) });

export const MemberBaseGet = closed({ id: Id });

export const MemberBaseDelete = closed({ id: Id });

export const MemberBaseList = filteredList(["name"], {
  pagination: Type.Optional(Pagination),
  filters: Type.Optional(filters<"name">()),
});

export const MemberBase = Type.Object({
  id: Type.String(),
  name: Type.String(),
  created_at: Type.String(),
  updated_at: Type.String(),
  deleted_at: Type.Optional(Type.String()),
});
