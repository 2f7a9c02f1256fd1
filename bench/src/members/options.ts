import { type OptionsOf, optionsOf } from "../kit/options.ts";

export const PAGE = 1000;
export const MEMBERS_OPTIONS = optionsOf({
  name: "members",
  whole: "a million members: upserts, pages, deletions; about a minute",
  quick: "the same path with few of them, some seconds",
  sizes: {
    seed: [1, 1],
    members: [1_000_000, 4000],
    perRequest: [5000, 1000],
    /** How often the first and the last page are requested, in turn. */
    pages: [60, 5],
  },
  choices: {},
  options: {
    members: { sets: "members", help: `a whole number of pages of ${PAGE}, at least ${2 * PAGE}` },
    seed: { sets: "seed", help: "other attributes" },
  },
  derive({ members }) {
    if (members % PAGE !== 0 || members < 2 * PAGE) {
      throw new Error(`--members is a whole number of pages of ${PAGE}, at least two, not ${members}`);
    }
    return {};
  },
});
export type MembersOptions = OptionsOf<typeof MEMBERS_OPTIONS>;
