import { useState } from "preact/hooks";
import type { Letter } from "../../src/dead-letters/dead-letter-routes.ts";
import { useCall } from "../api.ts";
import type { Parameters } from "../frame/page-definition.ts";
import { pathOf } from "../frame/path-of.ts";
import { Link } from "../frame/router.tsx";
import { Id } from "../parts/id.tsx";
import { Moment } from "../parts/moment.tsx";
import { Facts, RecordScreen, Screen, Section } from "../parts/screen.tsx";
import { Message } from "../parts/states.tsx";
import { ChangeButton } from "./change-button.tsx";
import { ReadOnly } from "./dead-letters.tsx";
import { reasonWords } from "./letter-words.ts";

/** One letter: what it holds, and buttons that put it back or discard it. */
export function DeadLetterPage({ parameters }: { readonly parameters: Parameters }) {
  const sequence = Number(parameters.sequence);
  const title = `Dead letter ${sequence}`;
  const [notice, setNotice] = useState<string>();
  const letter = useCall("dead-letters/show", notice === undefined ? { sequence } : undefined);
  const all = <Link to="/dead-letters">All dead letters</Link>;
  if (notice !== undefined) {
    return (
      <Screen
        title={title}
        notice={
          <>
            {notice} {all}
          </>
        }
      />
    );
  }
  const missing = (
    <Message title="There is no such dead letter">
      It was put back, discarded or is older than 30 days. {all}
    </Message>
  );
  return (
    <RecordScreen title={title} call={letter} missing={missing}>
      {(answer) => <OneLetter letter={answer} onChanged={setNotice} />}
    </RecordScreen>
  );
}

interface OneLetterProps {
  readonly letter: Letter;
  onChanged(what: string): void;
}

function OneLetter({ letter, onChanged }: OneLetterProps) {
  const { sequence, at, reason, error, from, event } = letter;
  return (
    <Screen
      title={`Dead letter ${sequence}`}
      lead={reasonWords(reason)}
      actions={<LetterActions letter={letter} onChanged={onChanged} />}
    >
      <Facts
        facts={[
          { name: "Reason", value: <code>{reason}</code> },
          { name: "SQLSTATE", value: error },
          { name: "Died", value: <Moment at={at} /> },
          { name: "From", value: `${from.stream}, partition ${from.partition}, message ${from.sequence}` },
          {
            name: "Purchase",
            value: event && <Id id={event.external_id} to={pathOf("purchase", event.external_id)} />,
          },
        ]}
      />
      <Section title="What it holds">
        <pre class="body">
          {JSON.stringify(
            letter.event ?? letter.outcome ?? letter.settlement ?? letter.record ?? {},
            null,
            2,
          )}
        </pre>
      </Section>
    </Screen>
  );
}

function LetterActions({ letter, onChanged }: OneLetterProps) {
  if (!letter.can_change) return <ReadOnly />;
  const changes = letter.can_be_redriven ? (["redrive", "discard"] as const) : (["discard"] as const);
  return (
    <>
      {changes.map((change) => (
        <ChangeButton
          key={change}
          change={change}
          choice={{ sequences: [letter.sequence] }}
          onChanged={onChanged}
        >
          Letter {letter.sequence}.
        </ChangeButton>
      ))}
    </>
  );
}
