import t from "tap";
import { isCurrency } from "./currency.ts";

t.test("currency - current codes are taken", async (t) => {
  for (const code of [
    "EUR",
    "SEK",
    "NOK",
    "DKK",
    "USD",
    "GBP",
    "JPY",
    "KWD",
    "CHF",
    "XCG",
    "ZWG",
    "SLE",
    "VED",
  ]) {
    t.ok(isCurrency(code), code);
  }
});

t.test("currency - withdrawn codes are refused", async (t) => {
  for (const code of ["ANG", "BGN", "DEM", "FRF", "HRK", "LTL", "SLL", "VEF", "ZWL", "CUC", "MRO", "STD"]) {
    t.notOk(isCurrency(code), code);
  }
});

t.test("currency - other texts are refused", async (t) => {
  for (const code of [
    "",
    "eur",
    "Eur",
    "EU",
    "EURO",
    " EUR",
    "EUR\n",
    "978",
    "€",
    "AAA",
    "XXX",
    "XTS",
    "__proto__",
  ]) {
    t.notOk(isCurrency(code), JSON.stringify(code));
  }
});

t.test("currency - every code taken is known to Intl, or is a fund, a metal or newer", async (t) => {
  const intl = new Set(Intl.supportedValuesOf("currency"));
  const funds = ["BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW", "XUA"];
  const metalsAndUnits = ["XAG", "XAU", "XPD", "XPT", "XBA", "XBB", "XBC", "XBD", "XDR", "XSU"];
  const newer = ["VED", "XAD", "XCG", "ZWG", "SLE"];
  const others = new Set([...funds, ...metalsAndUnits, ...newer]);
  const letters = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  const taken = codes.filter(isCurrency);
  t.ok(taken.length > 170, `${taken.length} codes`);
  t.strictSame(
    taken.filter((code) => !intl.has(code) && !others.has(code)),
    [],
  );
});
