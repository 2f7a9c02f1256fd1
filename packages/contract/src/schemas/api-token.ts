import { Type } from "../type-builder.ts";
import { Access, closed, prose, Timestamp } from "./fields.ts";

export const ApiTokenCreate = closed({
  access: Access,
  description: prose(1024),
  expires_at: Type.Optional(Timestamp),
});

export const ApiToken = Type.Object({
  id: Type.String(),
  access: Access,
  description: Type.String(),
  created_at: Type.String(),
  expires_at: Type.Optional(Type.String()),
  revoked_at: Type.Optional(Type.String()),
  last_used_at: Type.Optional(Type.String()),
});

/** `token` is the secret; no other answer carries it. */
export const ApiTokenCreated = Type.Object({ ...ApiToken.properties, token: Type.String() });
