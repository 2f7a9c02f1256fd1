import t from "tap";
import {
  type LicenceException,
  type LicensedPackage,
  licenceProblems,
  statedLicence,
} from "./licence-rules.ts";

function installed(licence: string | undefined, isDevelopment = false): LicensedPackage {
  return { path: "node_modules/outer/node_modules/a", licence, isDevelopment };
}

const problems = (licence: string | undefined, ...exceptions: LicenceException[]) =>
  licenceProblems([installed(licence)], exceptions);

t.test("licences - permissive ones are allowed, and expressions are read as SPDX means them", async (t) => {
  for (const licence of ["MIT", "(MIT)", "MIT OR GPL-3.0-only", "(MIT AND Zlib)", "(WTFPL OR MIT)", "0BSD"]) {
    t.strictSame(problems(licence), [], licence);
  }
});

t.test("licences - licences that ask for more are found, and so are texts that are no licence", async (t) => {
  for (const licence of [
    "GPL-3.0-only",
    "AGPL-3.0-or-later",
    "LGPL-2.1-only",
    "MIT AND GPL-2.0-only",
    "BUSL-1.1",
    "CC-BY-3.0",
    "UNLICENSED",
    "SEE LICENSE IN LICENSE.txt",
    "",
  ]) {
    t.strictSame(
      problems(licence),
      [`node_modules/outer/node_modules/a: has the licence ${licence}, which is not allowed, and is shipped`],
      licence,
    );
  }
  t.strictSame(problems(undefined), ["node_modules/outer/node_modules/a: states no licence, and is shipped"]);
});

const exception: LicenceException = {
  package: "a",
  licence: "CC-BY-3.0",
  reason: "a list",
  isDevelopmentOnly: true,
};

t.test(
  "licences - an exception is for one package, one licence, and, if it says so, for development",
  async (t) => {
    t.strictSame(licenceProblems([installed("CC-BY-3.0", true)], [exception]), []);
    t.strictSame(problems("CC-BY-3.0", { ...exception, isDevelopmentOnly: false }), []);
    const found = "node_modules/outer/node_modules/a: has the licence CC-BY-3.0, which is not allowed";
    t.match(problems("CC-BY-3.0", exception), [`${found}, and is shipped`, /^a: has an exception/]);
    t.match(licenceProblems([installed("CC-BY-4.0", true)], [exception]), [
      /CC-BY-4.0/,
      /^a: has an exception/,
    ]);
    t.match(licenceProblems([installed("CC-BY-3.0", true)], [{ ...exception, package: "b" }]), [
      found,
      /^b: has an exception that it does not need$/,
    ]);
  },
);

t.test("licences - all ways to state a licence are read", async (t) => {
  t.equal(statedLicence({ license: "MIT" }), "MIT");
  t.equal(statedLicence({ license: { type: "ISC" } }), "ISC");
  t.equal(statedLicence({ licenses: [{ type: "MIT" }, { type: "GPL-2.0-only" }] }), "(MIT OR GPL-2.0-only)");
  t.equal(statedLicence({}), undefined);
});
