import { z } from 'zod';
import { LatencyBins, LatencyFloor, LatencyLows, Measures, Repeatability } from '../metrics/metric.js';
import { FailureCodeSchema } from '../models/failure.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { Origin } from '../origin.js';
import { Assignment, LEASED_STAGES, LEASED_WORK } from './assignment.js';

/** The largest integer of the database's columns. */
const LARGEST_INTEGER = 2 ** 31 - 1;
/** The most seconds for which a request for a lease waits for work. */
export const LONGEST_POLL_SECONDS = 30;
/** The most bytes of one chunk of answers. */
export const LARGEST_ANSWER_CHUNK = 8 * 2 ** 20;
/** The most characters of a model's log that a run stores. */
const LARGEST_LOG = 2 ** 20;
/** The code of the refusal to read a dataset whose inputs cannot be read. The service has failed the evaluation. */
export const INPUTS_UNAVAILABLE = 'inputs_unavailable';
/** The code of the refusal of all that concerns a run that the evaluator does not hold any more. */
export const LEASE_LOST = 'lease_lost';
/** The most positions of one request for stored answers. */
const MOST_STORED_ANSWERS = 10_000;
/** The most variants of inputs of one request. */
const MOST_VARIANTS = 10_000;
/** The most examples of a latency pass. */
const MOST_TIMED = 100_000;
/** The most bins of a histogram of latencies. */
const MOST_BINS = 10_000;
/** The most characters of a hardware class, as a measurement stores it. */
const LONGEST_HARDWARE = 200;
/** The most dataset versions that a sandbox sees. */
const MOST_SEEN = 10_000;

const Position = z.int().min(0).max(LARGEST_INTEGER);
const Seen = z.array(z.uuid()).max(MOST_SEEN).readonly();
const figure = z.number().min(0);

/** The part of a host that the runs of its evaluator leave free. */
export const FreeCapacity = namedStrictObject('FreeCapacity', {
  cpus: z.number().min(0).describe('cores'),
  memoryBytes: z.int().min(0).describe('memory in bytes'),
});
export type FreeCapacity = z.infer<typeof FreeCapacity>;

export const RequestLease = namedStrictObject('RequestLease', {
  protocol: z.int().min(0).describe("version of the gateway's protocol that the evaluator uses"),
  stage: z.enum(LEASED_STAGES).describe('admission: an artifact to check; evaluation: a model to ask or to measure'),
  waitSeconds: z
    .number()
    .min(0)
    .max(LONGEST_POLL_SECONDS)
    .default(LONGEST_POLL_SECONDS)
    .describe('seconds to wait for work'),
  free: FreeCapacity.optional().describe(
    'what the runs that the evaluator holds leave free. If the next run needs more, it waits for that, and no other run is leased instead. Absent: the whole host',
  ),
});
export type RequestLease = z.infer<typeof RequestLease>;

export const LeasedRunView = namedObject('LeasedRun', {
  work: z
    .enum(LEASED_WORK)
    .describe('admission: check the artifact; evaluation: answer the datasets; measures: repeat the measurement'),
  leaseSeconds: z.number().describe('seconds for which the lease is valid without a renewal'),
  waitedSeconds: z.number().describe('seconds since the run was requested'),
  unpackedLimit: z.number().describe('bytes that the artifact may unpack to'),
  origin: Origin.nullable().describe('the request that queued the run, for logs and traces'),
  assignment: Assignment,
});
export type LeasedRunView = z.infer<typeof LeasedRunView>;

/** The response to a request for a lease. */
export const LeaseOffer = namedObject('LeaseOffer', {
  run: LeasedRunView.nullable().describe('null: no work came within the time'),
});
export type LeaseOffer = z.infer<typeof LeaseOffer>;

export const LeasesExpired = namedObject('LeasesExpired', {
  expired: z.int().describe('runs that return to the queue'),
});
export type LeasesExpired = z.infer<typeof LeasesExpired>;

const fence = z.coerce.number().int().min(1).max(LARGEST_INTEGER).describe('fence of the lease');

/** The claim that a request about a run belongs to. */
export const RunFence = z.strictObject({ fence });
export type RunFence = z.infer<typeof RunFence>;

export const InputsFrom = z.strictObject({
  fence,
  from: z.coerce.number().int().min(0).default(0).describe('position of the first example'),
});
export type InputsFrom = z.infer<typeof InputsFrom>;

export const VariantsQuery = z.strictObject({
  fence,
  count: z.coerce.number().int().min(1).max(MOST_VARIANTS).describe('variants that are wanted'),
});
export type VariantsQuery = z.infer<typeof VariantsQuery>;

export const AnswersChunk = z.strictObject({
  fence,
  offset: z.coerce.number().int().min(0).describe('bytes of the answers before this chunk'),
});
export type AnswersChunk = z.infer<typeof AnswersChunk>;

const ReportedBins = z.array(LatencyBins.unwrap().element.strict()).max(MOST_BINS).readonly();

/** The costs that an evaluator reports. Every figure is bounded, because the board ranks by it. */
const ReportedMeasures = Measures.extend({
  cpu_time: figure.nullable().exactOptional(),
  throughput: figure.nullable(),
  throughput_spread: figure.nullable().exactOptional(),
  latency_p50: figure.nullable(),
  latency_p90: figure.nullable(),
  latency_p95: figure.nullable(),
  latency_p99: figure.nullable(),
  latency_low: LatencyLows.extend({
    latency_p50: figure.nullable(),
    latency_p90: figure.nullable(),
    latency_p95: figure.nullable(),
    latency_p99: figure.nullable(),
  })
    .strict()
    .exactOptional(),
  latency_count: Position,
  latency_bins: ReportedBins.exactOptional(),
  memory: figure.nullable(),
  memory_cgroup: figure.nullable(),
  cold_start: figure.nullable(),
  hardware: z.string().max(LONGEST_HARDWARE),
  floor: LatencyFloor.extend({ bins: ReportedBins.exactOptional() }).strict().nullable().exactOptional(),
})
  .omit({ provisional: true, repeats: true, spread: true })
  .strict()
  .meta({ id: 'ReportedMeasures' });

export const RunLogReport = namedStrictObject('RunLogReport', {
  log: z.string().max(LARGEST_LOG).nullable().describe('null if there is no readable log'),
  logSeen: Seen.describe('IDs of the dataset versions that the sandbox had seen when it wrote the log'),
  withheldBytes: Position.nullable().describe('bytes of the log of the sandbox with hidden data; null: there was none'),
});

const Message = z.string().max(4000);
export const ReportedFailure = namedStrictObject('ReportedFailure', { code: FailureCodeSchema, message: Message });
const IMAGE_FACTS = {
  port: z.int().min(1).max(65_535),
  protocol: z.string().max(40).nullable(),
  unpackedBytes: z.int().min(0),
};
const IMAGE = {
  ...IMAGE_FACTS,
  unreadable: z.array(z.string().max(4096)).max(10).readonly(),
  contentDigest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .optional()
    .describe('SHA-256 of what the artifact computes, regardless of names and packing; null if it has none'),
};

const rebuilt = namedStrictObject('ImageFacts', IMAGE_FACTS)
  .optional()
  .describe('what the evaluator found if it rebuilt the image of a container that was admitted before');

/** How a lease of a run ends. */
export const RunOutcome = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('admitted'), ...IMAGE }),
    z.strictObject({ kind: z.literal('refused'), code: FailureCodeSchema, message: Message }),
    z.strictObject({
      kind: z.literal('finished'),
      measures: ReportedMeasures.nullable(),
      log: RunLogReport.optional(),
      repeatability: Repeatability.strict().meta({ id: 'ReportedRepeatability' }).optional(),
      retakes: z.int().min(0).max(20).optional(),
      rebuilt,
    }),
    z.strictObject({
      kind: z.literal('failed'),
      failure: ReportedFailure,
      log: RunLogReport.optional(),
      rebuilt,
    }),
    z.strictObject({ kind: z.literal('abandoned') }),
    z.strictObject({ kind: z.literal('postponed') }),
    z.strictObject({ kind: z.literal('interrupted') }),
    z.strictObject({ kind: z.literal('released') }),
    z.strictObject({ kind: z.literal('platform_failed'), message: Message }),
  ])
  .meta({
    id: 'RunOutcome',
    description:
      'admitted: the artifact may run; refused: it may not; finished: all datasets are answered, or the costs measured; failed: the model failed; abandoned: nothing is to be done; postponed: the run cannot go on now; interrupted: a live request has interrupted the measurement; released: the evaluator stops, or its host cannot run models any more; platform_failed: the evaluator failed, which the model is not charged for',
  });
export type RunOutcome = z.infer<typeof RunOutcome>;

export const DatasetStarted = namedObject('DatasetStarted', {
  isAsked: z.boolean().describe('whether the model is to be asked; false: the service has ended the evaluation'),
});
export type DatasetStarted = z.infer<typeof DatasetStarted>;

export const ReportProgress = namedStrictObject('ReportProgress', {
  done: Position.describe('answered examples'),
  examplesPerSecond: figure,
});
export type ReportProgress = z.infer<typeof ReportProgress>;

export const StoredAnswersQuery = namedStrictObject('StoredAnswersQuery', {
  places: z.array(Position).max(MOST_STORED_ANSWERS).describe('positions in the dataset, ascending'),
});
export type StoredAnswersQuery = z.infer<typeof StoredAnswersQuery>;

export const StoredAnswers = namedObject('StoredAnswers', {
  answers: z
    .array(z.unknown().nullable())
    .nullable()
    .describe('predictions by position, null for an invalid one; null: none are stored'),
});
export type StoredAnswers = z.infer<typeof StoredAnswers>;

export const ChunkStored = namedObject('ChunkStored', { size: z.int().describe('bytes of answers that are stored') });
export type ChunkStored = z.infer<typeof ChunkStored>;

export const CompleteAnswers = namedStrictObject('CompleteAnswers', {
  size: z.int().min(0).describe('bytes of all chunks'),
  measures: ReportedMeasures.nullable().describe('costs of the run so far'),
  seen: Seen.describe('IDs of the dataset versions that the sandbox had seen when it answered'),
  timed: z
    .array(Position)
    .max(MOST_TIMED)
    .readonly()
    .describe('positions of the examples that were also sent as single, timed requests'),
});
export type CompleteAnswers = z.infer<typeof CompleteAnswers>;

export const FailDataset = namedStrictObject('FailDataset', { failure: ReportedFailure });
export type FailDataset = z.infer<typeof FailDataset>;

export const QueueView = namedObject('EvaluatorQueue', {
  evaluationsWait: z.boolean().describe('whether models wait for their scores, so that measurements give way'),
});
export type QueueView = z.infer<typeof QueueView>;
