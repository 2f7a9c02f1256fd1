import { useState } from "preact/hooks";
import type { LiveState } from "../../src/live/live-answer.ts";
import { Screen } from "../parts/screen.tsx";
import { Failed, Loading, Message } from "../parts/states.tsx";
import { HopColumn } from "./hop-column.tsx";
import { nearestSample, WINDOW_MS } from "./live-series.ts";
import { clockText, countText, stateText } from "./live-words.ts";
import { type Live, useLive } from "./use-live.ts";

/** The pipeline now: its hops from left to right, with the last quarter of an hour of each. */
export function LivePage() {
  const [isPaused, setPaused] = useState(false);
  const live = useLive(isPaused);
  const pause = (
    <button type="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
      Pause
    </button>
  );
  return (
    <Screen title="Live" actions={pause} lead="The pipeline, sampled once a second while you look.">
      <LiveContent live={live} />
    </Screen>
  );
}

function LiveContent({ live: { now, series, failure, isAnswered } }: { readonly live: Live }) {
  const [pointedAt, setPointedAt] = useState<number>();
  if (failure?.code === "authorization_error") {
    return (
      <Message title="Not for your role" kind="forbidden">
        {failure.message}
      </Message>
    );
  }
  if (now === null) {
    if (failure !== undefined) return <Failed error={failure} />;
    return isAnswered ? <p class="loading">Waiting for the first sample</p> : <Loading />;
  }
  const nearest = pointedAt === undefined ? -1 : nearestSample(series.at, pointedAt);
  const pointed = nearest === -1 ? undefined : nearest;
  const shown = pointed === undefined ? now.at : (series.at[pointed] ?? now.at);
  return (
    <>
      <Summary now={now} failure={failure?.message} />
      {now.hops.every(({ state }) => state === "not asked") ? (
        <Message title="No process is asked">
          Name the operations endpoints of all processes in <code>STAMPEDE_CONSOLE_OPS_URLS</code>.
        </Message>
      ) : (
        <>
          <TimePoint now={now.at} pointedAt={pointedAt} shown={shown} onPoint={setPointedAt} />
          <div class="hops">
            {now.hops.map((hop) => (
              <HopColumn key={hop.name} hop={hop} series={series} pointed={pointed} onPoint={setPointedAt} />
            ))}
          </div>
        </>
      )}
    </>
  );
}

interface SummaryProps {
  readonly now: LiveState;
  /** Why there is no newer sample. */
  readonly failure: string | undefined;
}

function Summary({ now, failure }: SummaryProps) {
  const { requestsPerSecond, refusedPerSecond, silent, streamsProblem } = now;
  return (
    <div class="live-summary">
      <p role="status" class="live-state">
        {failure === undefined
          ? stateText(now)
          : `${failure} The numbers below are those of ${clockText(now.at)}.`}
      </p>
      <p class="quiet">
        <b>{countText(requestsPerSecond)}</b> requests/s, of which <b>{countText(refusedPerSecond)}</b>{" "}
        answered with 503
      </p>
      {silent.map(({ url, reason }) => (
        <p key={url} class="problem">
          <code>{url}</code> does not answer ({reason})
        </p>
      ))}
      {streamsProblem !== null && (
        <p class="problem">
          The streams cannot be read: {streamsProblem}. Waiting messages are those that the processes last
          reported.
        </p>
      )}
    </div>
  );
}

interface TimePointProps {
  /** Milliseconds since 1970: of the newest sample, of the chosen moment, and of the sample nearest to it. */
  readonly now: number;
  readonly pointedAt: number | undefined;
  readonly shown: number;
  readonly onPoint: (at: number | undefined) => void;
}

const WINDOW_SECONDS = WINDOW_MS / 1000;

/** Chooses the sample of the numbers: with the mouse over any chart, or with the arrow keys here. */
function TimePoint({ now, pointedAt, shown, onPoint }: TimePointProps) {
  // By the moment, not its nearest sample: the keys could not pass a gap between samples.
  const ago = Math.min(WINDOW_SECONDS, Math.round((now - (pointedAt ?? now)) / 1000));
  const text = pointedAt === undefined ? "now" : clockText(shown);
  const choose = (seconds: number) => onPoint(seconds === 0 ? undefined : now + seconds * 1000);
  return (
    <label class="time-point">
      <span class="quiet">15 min ago</span>
      <input
        type="range"
        min={-WINDOW_SECONDS}
        max={0}
        step={1}
        value={-ago}
        aria-label="Moment of the numbers"
        aria-valuetext={text}
        onInput={(event) => choose(event.currentTarget.valueAsNumber)}
      />
      <output>{text}</output>
    </label>
  );
}
