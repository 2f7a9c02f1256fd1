/** The SQLSTATE, if the database refused what a row says. */
export function refusalOfData(error: unknown): string | undefined {
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" && /^2[23][0-9A-Z]{3}$/.test(code) ? code : undefined;
}
