import { expect } from '@jest/globals';
import type { EvaluatorProtocol } from './evaluator-protocol.js';

const anyText = expect.any(String);
const anyNumber = expect.any(Number);
const anyTruth = expect.any(Boolean);
const DIGEST = expect.stringMatching(/^[0-9a-f]{64}$/);
const BINS = [{ low: 1, high: 2, n: 100 }];

const FAILURE = { code: 'model_exited', message: 'The model exited with code 3.' };

/** Costs as evaluators of this version report them. */
export const MEASURES = {
  throughput: 120.5,
  latency_p50: 3.1,
  latency_p90: 4.2,
  latency_p95: 5.3,
  latency_p99: null,
  latency_count: 100,
  latency_bins: BINS,
  memory: 0.25,
  memory_cgroup: 0.5,
  cold_start: 900,
  contended: false,
  hardware: 'A CPU, 1 CPU, runc',
};
export const FLOOR = { latency_p50: 1, latency_p90: 1.5, latency_p95: 2, latency_p99: null, count: 100, bins: BINS };
const LOG = { log: 'a line', logSeen: [], withheldBytes: 7 };

const ARTIFACT = {
  kind: expect.stringMatching(/^(?:container|onnx)$/),
  digest: DIGEST,
  size: anyNumber,
  isArchived: false,
};
const SPECIFICATION = {
  command: null,
  environment: {},
  limits: {
    memory: anyNumber,
    cpus: anyNumber,
    pids: anyNumber,
    startSeconds: anyNumber,
    requestSeconds: anyNumber,
    evaluationSeconds: anyNumber,
    tolerance: anyNumber,
  },
  runtime: expect.stringMatching(/^(?:runc|runsc)$/),
  repeatability: null,
};
const OUTPUT = { name: 'label', type: 'label', labels: ['negative', 'positive'] };
const IMAGE = { port: 8080, unreadable: [] };

/** Returns a matcher for the response with a lease. */
const leasedRun = (work: string, image: object | null, datasets: object) => ({
  run: {
    work,
    leaseSeconds: anyNumber,
    waitedSeconds: anyNumber,
    unpackedLimit: anyNumber,
    origin: { request: anyText },
    assignment: {
      run: anyText,
      fence: anyNumber,
      task: anyText,
      artifact: { ...ARTIFACT, image },
      owners: [anyText],
      specification: SPECIFICATION,
      output: OUTPUT,
      weighsCosts: anyTruth,
      datasets,
    },
  },
});
const dataset = (visibility: string) => ({
  id: anyText,
  version: anyText,
  visibility,
  isOriginal: true,
  examples: anyNumber,
});

/** The first version: one model at a time on a host, and target models that wait for measurements. */
export const VERSION_1: EvaluatorProtocol = {
  version: 1,
  sends: {
    presence: {
      protocol: 1,
      version: '0.1.0',
      host: { architecture: 'amd64', cpus: 8, memoryBytes: 17_179_869_184, runtimes: ['runc', 'runsc'] },
      slots: 1,
      problem: null,
      neighbours: [],
    },
    lease: (stage) => ({ protocol: 1, waitSeconds: 0, stage }),
    deploymentLease: { protocol: 1, waitSeconds: 0 },
    progress: { done: 3, examplesPerSecond: 1.5 },
    storedAnswers: { places: [0, 1] },
    answers: ({ size, version }) => ({ size, measures: MEASURES, seen: [version], timed: [0, 2] }),
    failedDataset: { failure: FAILURE },
    admitted: { kind: 'admitted', port: 8080, protocol: 'invocations', unpackedBytes: 5000, unreadable: [] },
    refused: { kind: 'refused', code: 'not_an_image', message: 'It is no image.' },
    finished: {
      kind: 'finished',
      measures: { ...MEASURES, floor: FLOOR },
      log: LOG,
      retakes: 3,
      repeatability: { compared: 10, different: 0 },
    },
    failed: { kind: 'failed', failure: FAILURE, log: LOG },
    others: [
      ['postponed', { kind: 'postponed' }, 'queued'],
      ['released', { kind: 'released' }, 'queued'],
      ['failed by its host', { kind: 'platform_failed', message: 'The engine is down.' }, 'queued'],
      ['abandoned', { kind: 'abandoned' }, 'cancelled'],
    ],
    deploymentStates: [
      { state: 'starting', step: 'image' },
      { state: 'starting', step: 'measurement' },
      { state: 'starting', step: 'start' },
      { state: 'ready', isPaused: true },
      { state: 'ready', isPaused: false },
    ],
    deploymentEnds: [
      ['released', { kind: 'released' }, 'wanted'],
      ['held back', { kind: 'held_back' }, 'wanted'],
      ['failed by its host', { kind: 'platform_failed', message: 'The disk is full.' }, 'wanted'],
      ['ended', { kind: 'ended', failure: FAILURE, servedSeconds: 1.5 }, 'wanted'],
      ['given up', { kind: 'failed', failure: FAILURE }, 'failed'],
    ],
    replies: {
      answers: (count) => ({
        kind: 'answers',
        answers: Array.from({ length: count }, () => ({ text: 'positive' })),
        milliseconds: 2,
      }),
      busy: {
        kind: 'busy',
        progress: { step: 'measurement', since: '2026-11-29T12:00:00.000Z', message: 'A measurement is under way.' },
      },
    },
  },
  liveQuery: '?protocol=1',
  reads: {
    registration: { id: anyText, name: anyText, owner: null, protocols: expect.arrayContaining([1]) },
    presence: { serverTime: anyText, protocols: expect.arrayContaining([1]), reportSeconds: anyNumber, gone: [] },
    expired: { expired: 0 },
    queue: { evaluationsWait: anyTruth },
    admission: leasedRun('admission', null, expect.any(Array)),
    evaluation: leasedRun('evaluation', IMAGE, [dataset('hidden'), dataset('public')]),
    started: { isAsked: true },
    stored: (size) => ({ size }),
    storedAnswers: {
      answers: ['positive', { label: 'negative', probabilities: { positive: 0.25, negative: 0.75 } }],
    },
    deployment: {
      deployment: {
        leaseSeconds: anyNumber,
        askedSeconds: null,
        assignment: {
          deployment: anyText,
          fence: anyNumber,
          artifact: { ...ARTIFACT, image: IMAGE },
          owners: [anyText],
          specification: SPECIFICATION,
          output: OUTPUT,
        },
      },
    },
    question: { id: anyNumber, deployment: anyText, ask: 'predict', instances: [{ text: 'a good day' }] },
  },
};
