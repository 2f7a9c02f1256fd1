import { Type } from "../type-builder.ts";
import { Access, closed, named, prose, Timestamp } from "./fields.ts";

export const ApiTokenCreate = closed({
  access: Access,
  description: prose(1024),
  expires_at: Type.Optional(Timestamp),
});

export const ApiToken = named("ApiToken", "A token, without its secret.").Object({
  id: Type.String(),
  access: Access,
  description: Type.String(),
  created_at: Type.String(),
  expires_at: Type.Optional(Type.String()),
  revoked_at: Type.Optional(Type.String()),
  last_used_at: Type.Optional(Type.String()),
});

export const ApiTokenCreated = named(
  "ApiTokenCreated",
  "A new token. `token` is the secret, and only this answer has it.",
).Object({ ...ApiToken.properties, token: Type.String() });
