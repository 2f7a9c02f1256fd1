/**
 * Flags for Node: most processes of the tests end before optimised code pays. Only V8 of Node 20 has this
 * flag: a later one refuses to start with it.
 */
export const LATER_OPTIMISATION: readonly string[] = process.versions.node.startsWith("20.")
  ? ["--interrupt-budget=1000000"]
  : [];
