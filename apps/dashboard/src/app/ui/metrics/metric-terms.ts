import type { Explanation } from '../terms/explanation.js';
import { PERFORMANCE_TERMS } from './metric-terms.gen.js';

/** The explanations of metrics, by their API names. */
export const METRIC_TERMS = {
  ...PERFORMANCE_TERMS,
  fairness: {
    name: $localize`fairness`,
    sentence: $localize`Answered right, and still so with other genders and names in the text.`,
  },
  robustness: {
    name: $localize`robustness`,
    sentence: $localize`Answered right, and still so with typos, capitals and other harmless changes in the text.`,
  },
  fairness_mean: {
    name: $localize`mean fairness`,
    sentence: $localize`The share of versions with other genders and names that are answered right, together with the original.`,
  },
  robustness_mean: {
    name: $localize`mean robustness`,
    sentence: $localize`The share of versions with typos and other harmless changes that are answered right, together with the original.`,
  },
  fairness_stability: {
    name: $localize`fairness stability`,
    sentence: $localize`How far answers stay the same, right or wrong, with other genders and names in the text.`,
  },
  robustness_stability: {
    name: $localize`robustness stability`,
    sentence: $localize`How far answers stay the same, right or wrong, with typos and other harmless changes in the text.`,
  },
  cpu_time: {
    name: $localize`CPU time`,
    sentence: $localize`Processor time that the model takes for an example, of all its processes.`,
  },
  throughput: {
    name: $localize`throughput`,
    sentence: $localize`Examples that the model answers in a second, in batches.`,
  },
  latency_p50: {
    name: $localize`latency p50`,
    sentence: $localize`Half of the requests, one at a time, are answered within this many milliseconds.`,
  },
  latency_p90: {
    name: $localize`latency p90`,
    sentence: $localize`90% of the requests, one at a time, are answered within this many milliseconds.`,
  },
  latency_p95: {
    name: $localize`latency p95`,
    sentence: $localize`95% of the requests, one at a time, are answered within this many milliseconds.`,
  },
  latency_p99: {
    name: $localize`latency p99`,
    sentence: $localize`99% of the requests, one at a time, are answered within this many milliseconds.`,
  },
  memory: { name: $localize`memory`, sentence: $localize`The most memory that the model needed while it ran.` },
  cold_start: {
    name: $localize`cold start`,
    sentence: $localize`How long the model takes from its start until it is ready to answer.`,
  },
  worst: {
    name: $localize`worst slice`,
    sentence: $localize`How the model does on the part of the examples where it does worst.`,
  },
  gap: {
    name: $localize`gap`,
    sentence: $localize`How far apart the model's results on its best and its worst part of the examples are.`,
  },
} as const satisfies Readonly<Record<string, Explanation>>;
