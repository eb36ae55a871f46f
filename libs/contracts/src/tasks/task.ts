import { metricNamed } from '@assay/scoring/metrics';
import { NORMALISATIONS } from '@assay/scoring/language';
import { z } from 'zod';
import { namedObject, namedStrictObject } from '../named-object.js';
import { shownName, ShownText } from '../text/shown-name.js';
import { Collection, type FooledRule } from '../collection/collection.js';
import {
  COST_METRICS,
  Disclosure,
  isCostMetric,
  isPerturbationMetric,
  MetricName,
  PERFORMANCE_METRICS,
  type PerformanceMetric,
  PerformanceMetricName,
  PERTURBATIONS,
  sliceMetric,
} from '../metrics/metric.js';
import { ProblemAt } from '../problem.js';
import { HumanPerformance } from '../facts/human.js';
import { PUBLISHED_DIGEST } from '../results/published-digest.js';
import { ByteSize, FieldName, GIB, LARGEST_WEIGHT, Slug } from '../text/quantity.js';
import { TaskWarning } from './task-warning.js';

export const TaskInput = namedStrictObject('TaskInput', { name: FieldName, type: z.enum(['text', 'image', 'number']) });

export const TaskOutput = z
  .discriminatedUnion('type', [
    z.strictObject({
      name: FieldName,
      type: z.literal('label'),
      labels: z.array(ShownText).min(2),
      ordered: z
        .boolean()
        .optional()
        .describe(
          'true: the labels are listed in order, such as grades; quadratic_kappa and mean_absolute_rank_error are then computed for every model',
        ),
    }),
    z.strictObject({ name: FieldName, type: z.literal('labels'), labels: z.array(ShownText).min(1) }),
    z.strictObject({ name: FieldName, type: z.literal('span'), of: FieldName }),
    z.strictObject({ name: FieldName, type: z.literal('text') }),
    z.strictObject({ name: FieldName, type: z.literal('number') }),
  ])
  .meta({ id: 'TaskOutput' });
export type TaskOutput = z.infer<typeof TaskOutput>;

/** The weight of each metric. Weight 0 ignores the metric. */
export const Weights = z.record(
  MetricName,
  z
    .number()
    .refine((weight) => weight >= 0 && weight <= LARGEST_WEIGHT, {
      error: ({ input }) =>
        `must be a number of ${Number(input) > LARGEST_WEIGHT ? `at most ${LARGEST_WEIGHT}` : 'at least 0'}, not ${String(input)}`,
      params: { code: 'invalid_weight' },
    })
    .meta({ minimum: 0, maximum: LARGEST_WEIGHT }),
);
export type Weights = z.infer<typeof Weights>;

export const TaskLimits = namedStrictObject('TaskLimits', {
  memory: ByteSize.default(4 * GIB),
  cpus: z.number().positive().max(64).default(1).describe('processors that a model may use'),
  pids: z.number().int().min(16).max(4096).default(256).describe('processes and threads'),
  startSeconds: z.number().positive().max(3600).default(120).describe('from start to ready'),
  requestSeconds: z.number().positive().max(3600).default(60).describe('for the answer to a batch'),
  evaluationSeconds: z
    .number()
    .positive()
    .max(7 * 86_400)
    .default(3600)
    .describe('for all datasets of a run'),
  artifact: ByteSize.default(10 * GIB),
  unpacked: ByteSize.default(20 * GIB),
  tolerance: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('share of bad answers that count as wrong; more of them fail the evaluation'),
});
export type TaskLimits = z.infer<typeof TaskLimits>;

const Bound = z.union([z.number(), z.literal('baseline')]);

export const LoopPolicy = namedStrictObject('LoopPolicy', {
  size: z.number().int().min(0).max(32).default(1).describe('number of target models'),
  strategy: z
    .enum(['best', 'diverse'])
    .default('best')
    .describe('the best by the board, or the set whose errors differ most'),
  minimum: z
    .record(MetricName, Bound)
    .optional()
    .describe(
      'what a model must reach; baseline: its interval lies above the better of the reference rows majority and random; default: `{<performance>: baseline}` for an output of labels',
    ),
  maximum: z.record(MetricName, z.number()).default({}).describe('what it must not exceed'),
  margin: z
    .number()
    .nonnegative()
    .default(0)
    .describe('points of Dynascore by which a challenger must lead to take a place'),
  perOwner: z.number().int().positive().optional().describe('target models of one owner, at most'),
});
export type LoopPolicy = z.infer<typeof LoopPolicy>;

/**
 * A field whose values are slices. With `match`, slices are compared only within the groups of
 * examples that contain every value of the field.
 */
export const Slicing = z.union([FieldName, z.strictObject({ field: FieldName, match: FieldName.optional() })]);

/**
 * The utility of a metric for the owner: points (value, utility) in ascending order of value, with
 * linear interpolation between them and constant outside.
 */
export const UtilityCurve = z
  .array(z.tuple([z.number(), z.number()]))
  .min(2)
  .max(50)
  .refine((points) => points.every(([x], index) => index === 0 || x > points[index - 1]![0]), {
    error: 'values must be in ascending order',
    params: { code: 'utility_not_ascending' },
  })
  .meta({ id: 'UtilityCurve' });
export type UtilityCurve = z.infer<typeof UtilityCurve>;

export const ROBUSTNESS_TRANSFORMS = [
  'case',
  'contractions',
  'punctuation',
  'whitespace',
  'zero_width',
  'homoglyphs',
  'typos',
  'swaps',
  'misspellings',
  'split_words',
] as const;
export const FAIRNESS_TRANSFORMS = ['gender', 'names'] as const;
export type TransformName = (typeof ROBUSTNESS_TRANSFORMS | typeof FAIRNESS_TRANSFORMS)[number];

const shape = {
  slug: Slug,
  name: shownName(200).describe('for people'),
  description: z.string().max(20_000).default('').describe('Markdown'),
  language: z
    .string()
    .min(2)
    .max(35)
    .default('en')
    .describe('of the texts, such as en or de-AT; decides how metrics divide and compare texts'),
  normalise: z
    .array(z.enum(NORMALISATIONS))
    .optional()
    .describe(
      'further normalisation before texts are compared: nfkc (full-width letters and ligatures equal plain ones), quotes (typographic quotation marks equal plain ones); default: none',
    ),
  inputs: z.array(TaskInput).min(1).max(32).describe('fields of an example that a model sees'),
  output: TaskOutput.describe('what it answers; under this name an example has its gold'),
  performance: PerformanceMetricName.describe('the metric that all others are exchanged for'),
  metrics: z.array(PerformanceMetricName).optional().describe('further ones to compute'),
  slices: z.array(Slicing).default([]).describe('fields whose values are slices of the examples'),
  cluster: FieldName.optional().describe(
    'field that examples share which are not independent, such as their source text; default: none, for collected rounds annotator and context',
  ),
  perturbations: z
    .strictObject({
      robustness: z.array(z.enum(ROBUSTNESS_TRANSFORMS)).optional().describe('changes that should change no answer'),
      fairness: z
        .array(z.enum(FAIRNESS_TRANSFORMS))
        .optional()
        .describe('other genders or names; an empty list: pairs of your own alone'),
      sample: z.number().int().positive().default(500).describe('originals of a dataset version that are perturbed'),
    })
    .optional()
    .describe('makes perturbed versions of every dataset version'),
  aggregate: z
    .strictObject({
      recency: z
        .number()
        .positive()
        .max(1)
        .default(0.8)
        .describe('what a round counts for each that came after it; 1: all alike'),
      static: z
        .number()
        .min(0)
        .max(1)
        .default(0.3)
        .describe('share of all static sets together; the rounds have the rest'),
      minimumExamples: z
        .number()
        .int()
        .positive()
        .default(100)
        .describe('a smaller dataset is shown and does not rank'),
      ownRounds: z
        .enum(['adjust', 'count'])
        .default('adjust')
        .describe('figures on datasets that were collected against the model: fitted from its others, or counted'),
    })
    .prefault({})
    .describe('how datasets become one figure a metric'),
  weights: Weights.optional().describe(
    'what counts on the board, by metric; default: performance 4, cpu_time 1, memory 1, fairness_mean and robustness_mean 1 where configured',
  ),
  exchange: z
    .enum(['fixed', 'amrs'])
    .default('fixed')
    .describe(
      'how costs become points of the score. fixed: a number of points per doubling; amrs: the published Dynascore, with exchange rates taken from the models on the board',
    ),
  exchangeRates: z
    .record(MetricName, z.number().positive().max(1000))
    .optional()
    .describe('points per doubling of a cost, with exchange fixed; default: 1 for each cost'),
  referenceCosts: z
    .record(MetricName, z.number().positive().max(1e9))
    .optional()
    .describe(
      'the value of a cost that is worth 0 points, in its unit; moves all scores alike and never changes an order; default: ' +
        Object.entries(COST_METRICS)
          .map(([name, { reference }]) => `${name} ${reference}`)
          .join(', '),
    ),
  baseline: z
    .uuid()
    .optional()
    .describe(
      'ID of the model of this task that others must exceed to be ranked, for outputs without labels; ignored while that model is not on the board',
    ),
  utilities: z.record(MetricName, UtilityCurve).optional().describe('what values of a metric are worth, in points'),
  disclosure: Disclosure.default('exact').describe(
    'scores on data that is not public: exact, or rounded to the precision that their interval supports; the owner always sees exact ones',
  ),
  strictProbabilities: z
    .boolean()
    .optional()
    .describe(
      'true: an answer whose label is not the most probable one by its own probabilities is a bad answer; default: it is accepted and counted',
    ),
  supplements: z
    .strictObject({
      days: z.number().int().min(1).max(3650).describe('after a dataset comes into force'),
    })
    .optional()
    .describe(
      'how long predictions for a dataset that came later may be added to a model of the kind predictions; default: without a deadline',
    ),
  limits: TaskLimits.prefault({}).describe('of every run'),
  runtime: z
    .enum(['runc', 'runsc'])
    .optional()
    .describe(
      'runsc runs the models under gVisor; default: decided when the first model arrives, runsc if the task then has hidden data and an evaluator that may run it has runsc, else runc',
    ),
  quota: z
    .strictObject({
      perDay: z.number().int().positive().default(3).describe('in a day of UTC'),
      total: z.number().int().positive().default(100).describe('for ever'),
    })
    .prefault({})
    .describe('submissions of one user'),
  loop: LoopPolicy.prefault({}).describe('which models the next round is collected against'),
  collection: Collection.optional().describe('how examples are collected from people'),
};

/** A task as its owner writes it (YAML or JSON). Unknown keys are rejected by name. */
export const TaskDefinition = z
  .strictObject(shape)
  .check((context) => {
    const task = context.value;
    const issue = (path: (string | number)[], message: string, code?: string) =>
      context.issues.push({
        code: 'custom',
        path,
        message,
        input: task,
        ...(code !== undefined && { params: { code } }),
      });

    const inputs = new Set(task.inputs.map((input) => input.name));
    if (inputs.size < task.inputs.length) issue(['inputs'], 'two inputs have the same name');
    if (inputs.has(task.output.name)) issue(['output', 'name'], `"${task.output.name}" is already an input name`);
    if (task.output.type === 'span' && !inputs.has(task.output.of)) {
      issue(['output', 'of'], `"${task.output.of}" is not an input of this task`);
    }
    if ('labels' in task.output && new Set(task.output.labels).size < task.output.labels.length) {
      issue(['output', 'labels'], 'a label is listed twice');
    }
    const fits = (metric: PerformanceMetric) => PERFORMANCE_METRICS[metric].outputs.includes(task.output.type);
    if (!fits(task.performance)) {
      issue(['performance'], undefinedFor(task.performance, task.output), 'metric_not_defined');
    }
    if (metricNamed(task.performance).needs === 'positions') {
      const why = `${task.performance} is not defined for every model, so name it in \`metrics\` and another as performance`;
      issue(['performance'], why, 'metric_not_defined');
    }
    for (const [index, metric] of (task.metrics ?? []).entries()) {
      if (!fits(metric)) issue(['metrics', index], undefinedFor(metric, task.output), 'metric_not_defined');
    }
    const fields = sliceFields(task).map(({ field }) => field);
    if (new Set(fields).size < fields.length) issue(['slices'], 'a field is listed twice');
    const known = new Set<string>(boardMetrics(task));
    for (const key of ['weights', 'utilities'] as const) {
      for (const metric of Object.keys(task[key] ?? {})) {
        if (!known.has(metric)) issue([key, metric], notAmong(metric), 'unknown_metric');
      }
    }
    for (const key of ['exchangeRates', 'referenceCosts'] as const) {
      for (const metric of Object.keys(task[key] ?? {})) {
        if (!isCostMetric(metric)) issue([key, metric], `${metric} is not a cost`, 'unknown_metric');
      }
    }
    for (const bounds of ['minimum', 'maximum'] as const) {
      for (const [metric, bound] of Object.entries(task.loop[bounds] ?? {})) {
        if (!known.has(metric)) issue(['loop', bounds, metric], notAmong(metric), 'unknown_metric');
        if (bound === 'baseline' && (!isPerformance(metric) || !hasReferences(task.output))) {
          const why = `${metric} has no baseline; only performance metrics of an output of type label or labels have one`;
          issue(['loop', bounds, metric], why);
        }
      }
    }
    if (task.baseline !== undefined && hasReferences(task.output)) {
      const why = 'only for an output of type span, text or number; labels have the reference rows majority and random';
      issue(['baseline'], why);
    }
    const { collection } = task;
    if (collection) {
      const fooled = collection.fooled ?? fooledByDefault(task.output);
      const needed = fooled === 'label-differs' ? ['label', 'labels', 'number'] : OUTPUTS_OF_RULE[ruleName(fooled)];
      if (needed && !needed.includes(task.output.type)) {
        issue(['collection', 'fooled'], `${ruleName(fooled)} is not defined for an output of type ${task.output.type}`);
      }
      const inputTypes = new Map(task.inputs.map((input) => [input.name, input.type]));
      for (const [index, name] of (collection.written ?? []).entries()) {
        if (inputTypes.get(name) !== 'text')
          issue(['collection', 'written', index], `"${name}" is not a text input of this task`);
      }
      if (collection.distractors !== undefined && task.output.type !== 'text') {
        issue(['collection', 'distractors'], 'a multiple choice requires an output of type text');
      }
      if (collection.mostValidations < collection.validations) {
        issue(['collection', 'mostValidations'], 'must be at least collection.validations');
      }
    }
    if (task.weights && Object.values(task.weights).every((weight) => weight === 0)) {
      issue(['weights'], 'at least one weight must be above 0', 'all_weights_zero');
    }
  })
  .overwrite((task) => withLoopMinimum(task))
  .meta({ id: 'TaskDefinition' });
export type TaskDefinition = z.infer<typeof TaskDefinition>;
export type TaskDefinitionInput = z.input<typeof TaskDefinition>;

const OUTPUTS_OF_RULE: Readonly<Record<string, readonly string[]>> = {
  'f1-below': ['span', 'text'],
  'uncertain-below': ['label'],
};

const ruleName = (rule: FooledRule): string => (typeof rule === 'string' ? rule : Object.keys(rule)[0]!);

/** Returns the fooled rule of a task that specifies none. */
export function fooledByDefault({ type }: TaskOutput): FooledRule {
  if (type === 'span') return { 'f1-below': 0.4 };
  return type === 'text' ? 'ask' : 'label-differs';
}

const undefinedFor = (metric: string, { type }: TaskOutput): string =>
  `${metric} is not defined for an output of type ${type}`;

const notAmong = (metric: string): string => `${metric} is not among the metrics of this task`;

/**
 * Returns the metrics that are computed for every model of the task, the performance metric first.
 * Without `output`, `metrics` must contain those of ordered labels.
 */
export function taskMetrics(
  task: Pick<TaskDefinition, 'performance' | 'metrics'> & Partial<Pick<TaskDefinition, 'output'>>,
): PerformanceMetric[] {
  const isOrdered = task.output?.type === 'label' && task.output.ordered === true;
  return [...new Set([task.performance, ...(task.metrics ?? []), ...(isOrdered ? ORDERED_METRICS : [])])];
}

const ORDERED_METRICS = ['quadratic_kappa', 'mean_absolute_rank_error'] as const satisfies PerformanceMetric[];

/** Returns the fields that a task slices by. */
export function sliceFields(
  task: Pick<TaskDefinition, 'slices'>,
): readonly { readonly field: string; readonly match?: string }[] {
  return task.slices.map((slicing) => {
    if (typeof slicing === 'string') return { field: slicing };
    return { field: slicing.field, ...(slicing.match !== undefined && { match: slicing.match }) };
  });
}

type BoardPart = Pick<TaskDefinition, 'performance' | 'metrics' | 'output' | 'slices' | 'perturbations'>;

/**
 * Returns the kinds of perturbation that the task configures, with generated variants or with the
 * owner's own pairs.
 */
export const taskPerturbations = (task: Pick<TaskDefinition, 'perturbations'>) =>
  PERTURBATIONS.filter((kind) => task.perturbations?.[kind] !== undefined);

/**
 * Returns every name that a board of the task can weigh: metrics, then those of perturbations and
 * of slices, then costs.
 */
export function boardMetrics(task: BoardPart): string[] {
  return [
    ...taskMetrics(task),
    ...taskPerturbations(task).flatMap((kind) => [kind, `${kind}_mean`, `${kind}_stability`] as const),
    ...sliceFields(task).flatMap(({ field }) => [`worst:${field}`, `gap:${field}`] as const),
    ...(Object.keys(COST_METRICS) as (keyof typeof COST_METRICS)[]),
  ];
}

/**
 * Returns the weights of the task: its own, or the published default (performance 4, cpu_time 1,
 * memory 1, and 1 each for fairness_mean and robustness_mean if they are configured).
 */
export function taskWeights(task: TaskDefinition): Weights {
  if (task.weights) return task.weights;
  const perturbed = Object.fromEntries(taskPerturbations(task).map((kind) => [`${kind}_mean`, 1]));
  return { [task.performance]: 4, cpu_time: 1, memory: 1, ...perturbed };
}

/** Returns whether the reference rows majority and random can be computed for an output. */
const hasReferences = ({ type }: TaskOutput): boolean => type === 'label' || type === 'labels';

/**
 * Returns the definition with a loop policy that is whole: without `minimum`, a model must be above the
 * baseline in its performance if the output has labels.
 */
function withLoopMinimum<
  T extends { readonly loop: LoopPolicy; readonly output: TaskOutput; readonly performance: PerformanceMetric },
>(task: T): T {
  if (task.loop.minimum) return task;
  const minimum = hasReferences(task.output) ? { [task.performance]: 'baseline' as const } : {};
  return { ...task, loop: { ...task.loop, minimum } };
}

const isPerformance = (name: string): boolean =>
  !isCostMetric(name) && !isPerturbationMetric(name) && sliceMetric(name) === null;

export const TaskView = namedObject('Task', {
  ...shape,
  owner: z.string().describe('name of the user'),
  createdAt: z.iso.datetime().describe('when it was made'),
  benchmarkVersion: z.int().describe('0 before anything is active'),
  rescored: z
    .int()
    .optional()
    .describe('after a change: evaluations that are scored again, from their stored predictions'),
  submitRefusal: z
    .object({
      code: z.string().describe('stable, such as account_unverified'),
      detail: z.string().describe('why, and what to do'),
    })
    .nullable()
    .optional()
    .describe('why you may not submit models to it; null: you may. Only where a signed-in user reads this task'),
  warnings: z
    .array(TaskWarning)
    .optional()
    .describe('what to change about the hidden data of the task. Only where its owner or an administrator reads it'),
  rounds: z
    .array(
      z.object({
        number: z.int().describe('from 1'),
        state: z.enum(['open', 'closing', 'closed']).describe('whether more is collected in it'),
        imported: z.boolean().describe('it came as a file'),
      }),
    )
    .describe('rounds of collection'),
  datasets: z.array(z.lazy(() => DatasetSummary)).describe('active and proposed ones'),
});
export type TaskView = z.infer<typeof TaskView>;

export const DatasetSummary = namedObject('DatasetSummary', {
  name: z.string().describe('in the task'),
  role: z.enum(['round', 'static']).describe('from a round of collection, or static'),
  round: z.int().optional().describe('number of the round'),
  use: z.enum(['scoring', 'reporting']).describe('whether it ranks, or is for looking alone'),
  visibility: z
    .enum(['hidden', 'inputs', 'public'])
    .describe('what everybody may read: nothing, ids and inputs, or all'),
  version: z.int().describe('number of the version'),
  ...PUBLISHED_DIGEST,
  examples: z.int().describe('how many it has'),
  status: z
    .enum(['active', 'proposed', 'retired'])
    .describe('proposed: counts once a benchmark version is activated with it'),
  against: z.array(z.string()).describe('ids of the models that its examples were collected against'),
  publicSince: z.iso.datetime().nullable().describe('null: not public so far'),
  inputsUntil: z.iso
    .datetime()
    .optional()
    .describe('of a hidden dataset: until when the listed submitters may read its ids and inputs'),
  human: HumanPerformance.nullable().describe('human performance on it; null: unknown'),
});
export type DatasetSummary = z.infer<typeof DatasetSummary>;

/** The response of `POST /task-checks`. */
export const TaskCheck = namedObject('TaskCheck', {
  valid: z.boolean().describe('whether it could be sent as it is'),
  problems: z.array(ProblemAt).describe('what is wrong with it; of YAML with lines'),
});
export type TaskCheck = z.infer<typeof TaskCheck>;

export const TaskCheckQuery = z.strictObject({
  task: Slug.optional().describe(
    'slug of the task of yours whose definition it is to replace; default: it is of a new task',
  ),
});
export type TaskCheckQuery = z.infer<typeof TaskCheckQuery>;

/** The task definitions that come with the service, as starting points. */
export const ReadyTaskList = namedObject('ReadyTaskList', {
  items: z
    .array(
      z.object({
        slug: z.string().describe('of the definition'),
        name: z.string().describe('for people'),
        description: z.string().describe('Markdown'),
        yaml: z.string().describe('the whole definition, as it can be sent'),
      }),
    )
    .describe('by slug'),
});
export type ReadyTaskList = z.infer<typeof ReadyTaskList>;

/** The largest number of users in a list of submitters. */
const MOST_SUBMITTERS = 1_000;

export const TaskSubmitters = namedStrictObject('TaskSubmitters', {
  usernames: z
    .array(z.string().min(1).max(39))
    .max(MOST_SUBMITTERS)
    .nullable()
    .describe('users who may submit models to the task, besides its owner; null: everyone may'),
});
export type TaskSubmitters = z.infer<typeof TaskSubmitters>;

export const GiveTask = namedStrictObject('GiveTask', {
  username: z.string().min(1).max(39).describe('of the user who owns the task from then on'),
});
export type GiveTask = z.infer<typeof GiveTask>;
