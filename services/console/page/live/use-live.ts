import { useEffect, useRef, useState } from "preact/hooks";
import type { LiveState } from "../../src/live/live-answer.ts";
import { asCallError, type CallError, call } from "../api.ts";
import { addSamples, type LiveSeries, NO_SERIES } from "./live-series.ts";

/** The samples so far, and the result of the last question. */
export interface Live {
  readonly series: LiveSeries;
  /** Null before the first sample. */
  readonly now: LiveState | null;
  /** Why the last question has no answer; the samples are then those of the answer before. */
  readonly failure: CallError | undefined;
  /** Whether any question had an answer. */
  readonly isAnswered: boolean;
}

const EVERY_MS = 1_000;
/** Between a late answer and the next question. */
const PAUSE_MS = 200;

/** Asks once a second, while the tab is visible; the next answer has all samples since the last. */
export function useLive(isPaused: boolean): Live {
  const [live, setLive] = useState<Live>({
    series: NO_SERIES,
    now: null,
    failure: undefined,
    isAnswered: false,
  });
  const latest = useRef(live);
  useEffect(() => {
    if (isPaused) return;
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (next: Live) => {
      latest.current = next;
      setLive(next);
    };
    const ask = async () => {
      const askedAt = performance.now();
      if (!document.hidden) {
        const next = await askOnce(latest.current, gone.signal);
        if (gone.signal.aborted) return;
        show(next);
        // Asking again will not change the role.
        if (next.failure?.code === "authorization_error") return;
      }
      timer = setTimeout(ask, Math.max(PAUSE_MS, EVERY_MS - (performance.now() - askedAt)));
    };
    void ask();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, [isPaused]);
  return live;
}

async function askOnce(before: Live, signal: AbortSignal): Promise<Live> {
  const since = before.series.at.at(-1);
  try {
    const answer = await call("live", since === undefined ? {} : { since }, { signal });
    const series = addSamples(before.series, answer);
    return { series, now: answer.now, failure: undefined, isAnswered: true };
  } catch (error) {
    return { ...before, failure: asCallError(error) };
  }
}
