import t from "tap";
import { decodeLetter, withoutCardData } from "./show-letter.ts";

const CARD = "4111 1111 1111 1111";

t.test("show letter - an outcome of another system shows no card data, wherever it is", async (t) => {
  const outcome = {
    outcome_id: "out_1",
    auth_code: "A1B2C3",
    nested: [{ pan: 4111111111111111, note: `card ${CARD}, thanks`, amount: 1250 }],
    [CARD]: true,
    number: 4111111111111111,
  };
  const letter = { reason: "invalid_outcome", hop: "OUTCOMES", partition: 1, sequence: 7, outcome };
  const shown = decodeLetter({ sequence: 3, at: new Date(0), letter });
  t.strictSame(shown.outcome, {
    outcome_id: "out_1",
    auth_code: "(hidden)",
    nested: [{ pan: "(hidden)", note: "card **** **** **** 1111, thanks", amount: 1250 }],
    "**** **** **** 1111": true,
    number: "************1111",
  });
  t.match(shown, {
    sequence: 3,
    can_be_redriven: true,
    from: { stream: "OUTCOMES", partition: 1, sequence: 7 },
  });
});

t.test("show letter - a letter that only names a record cannot be put back", async (t) => {
  const letter = {
    reason: "invalid_record",
    hop: "PLATFORM_TX",
    partition: 0,
    sequence: 1,
    transactionId: "tx_1",
  };
  t.match(decodeLetter({ sequence: 1, at: new Date(0), letter }), {
    can_be_redriven: false,
    record: { transaction_id: "tx_1" },
  });
});

t.test("show letter - a row from before a column existed shows it as null", async (t) => {
  const row = {
    ord: 0,
    id: "01980000-0000-7000-8000-000000000001",
    organisationId: "01980000-0000-7000-8000-000000000002",
    externalId: "order-1",
    state: "authorized",
    network: "visa",
    merchantId: "M1",
    authedAt: "2026-05-01T10:00:00.000000Z",
    identifier6: "16".repeat(32),
  } as const;
  const letter = { reason: "poison_event", hop: "INGEST", partition: 0, sequence: 1, row: row as never };
  t.match(decodeLetter({ sequence: 1, at: new Date(0), letter }), {
    event: { member_id: null, statement_descriptor: null, amount: null, identifiers: [row.identifier6] },
  });
});

t.test("show letter - no text of another system moves a terminal's cursor", async (t) => {
  const shown = JSON.stringify(
    withoutCardData({ "a\u009b2J": ["b\u009d0;title\u0007", "c\u202ed", "\u001b[2J"] }),
  );
  t.notMatch(shown, /[\p{Cc}\p{Bidi_Control}]/u);
  t.match(shown, "2J");
});

t.test("show letter - endless nesting is cut off", async (t) => {
  let value: unknown = CARD;
  for (let depth = 0; depth < 10_000; depth++) value = [value];
  t.match(JSON.stringify(withoutCardData(value)), /^\[+"\(hidden\)"\]+$/);
});
