/**
 * As the server shows them to this session: `synchronous_commit` may also be set for a role or a database.
 */
export interface DurabilitySettings {
  readonly fsync: string;
  readonly synchronousCommit: string;
  readonly fullPageWrites: string;
}

/**
 * What makes the server lose acknowledged commits, or tear pages, when its machine crashes; undefined if
 * nothing does. `synchronous_commit` has more values than on and off, and all except off wait for the local
 * disk.
 */
export function weaknessOf(settings: DurabilitySettings): string | undefined {
  const weak: string[] = [];
  if (settings.fsync !== "on") weak.push("fsync is off");
  if (settings.synchronousCommit === "off") weak.push("synchronous_commit is off");
  if (settings.fullPageWrites !== "on") weak.push("full_page_writes is off");
  return weak.length === 0 ? undefined : weak.join(", ");
}
