import { type Context, type Link, type SpanKind, trace } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  type SamplingResult,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace-base";
import { given, type TracingEnvironment, wrong } from "./tracing-environment.ts";

const PARENT_BASED = "parentbased_";
const SAMPLERS = ["always_on", "always_off", "traceidratio"];

/**
 * The sampler of `OTEL_TRACES_SAMPLER`; `parentbased_always_on` by default, as the specification says. Unlike
 * there, a wrong value ends the start: falling back to the default would record everything.
 * @throws StartError
 */
export function samplerOf(env: TracingEnvironment): Sampler {
  const name = given(env, "OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  const isParentBased = name.startsWith(PARENT_BASED);
  const root = rootSampler(isParentBased ? name.slice(PARENT_BASED.length) : name, env);
  if (root === undefined) {
    const known = [...SAMPLERS, ...SAMPLERS.map((sampler) => PARENT_BASED + sampler)].join(", ");
    throw wrong(`OTEL_TRACES_SAMPLER must be one of ${known}, not "${name}"`);
  }
  return new WholeTraces(isParentBased ? new ParentBasedSampler({ root }) : root, name === "always_off");
}

function rootSampler(name: string, env: TracingEnvironment): Sampler | undefined {
  switch (name) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return new TraceIdRatioBasedSampler(ratioOf(env));
    default:
      return undefined;
  }
}

function ratioOf(env: TracingEnvironment): number {
  const text = given(env, "OTEL_TRACES_SAMPLER_ARG") ?? "1";
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw wrong(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${text}"`);
}

/**
 * Samples everything that belongs to a sampled request: children of a span of this process, and work with
 * links, whose own trace id says nothing about theirs. The configured sampler decides about everything else.
 */
class WholeTraces implements Sampler {
  readonly #asked: Sampler;
  readonly #isOff: boolean;

  constructor(asked: Sampler, isOff: boolean) {
    this.#asked = asked;
    this.#isOff = isOff;
  }

  shouldSample(
    context: Context,
    traceId: string,
    name: string,
    kind: SpanKind,
    attributes: object,
    links: Link[],
  ): SamplingResult {
    const parent = trace.getSpanContext(context);
    const isPart = parent !== undefined && parent.isRemote !== true;
    if (!this.#isOff && (isPart || links.length > 0))
      return { decision: SamplingDecision.RECORD_AND_SAMPLED };
    return this.#asked.shouldSample(context, traceId, name, kind, attributes as never, links);
  }

  toString(): string {
    return this.#asked.toString();
  }
}
