/** Fields that the console shows in no answer and keeps in no line of its audit, whatever the route. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set(["token", "secret", "secrets", "auth_code", "bin"]);
