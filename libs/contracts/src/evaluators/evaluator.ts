import { z } from 'zod';

/**
 * The versions of the gateway's protocol that this service supports, ascending: the current one and the one
 * before it. `docs/guides/evaluators.md` describes how they differ.
 */
export const EVALUATOR_PROTOCOLS: readonly number[] = [1, 2];

/**
 * The first version of the protocol whose evaluators send no input twice in a run that only measures. Earlier ones
 * get no such runs, because a cache of answers would gain from them.
 */
export const MEASURING_PROTOCOL = 2;

/** The architecture of all models. A host of another one gets no runs and no target models. */
export const MODEL_ARCHITECTURE = 'amd64';

/** The seconds after its last report for which an evaluator counts as online. */
export const EVALUATOR_ONLINE_SECONDS = 60;

const LONGEST_NAME = 60;
const LARGEST_NUMBER = 2 ** 31 - 1;

const Name = z
  .string()
  .regex(
    new RegExp(`^[\\w.-]{1,${LONGEST_NAME}}$`),
    `must have 1 to ${LONGEST_NAME} characters: letters, digits, ".", "_" and "-"`,
  )
  .meta({ description: 'name of the evaluator, such as gpu-1; no other registered evaluator may have it' });

/** A short technical name, such as an architecture or a version. */
const Word = z.string().regex(/^[\w.+~:-]{1,60}$/, 'must have 1 to 60 characters: letters, digits and . _ + ~ : -');

const id = z.string().meta({ description: 'ID of the evaluator' });
const owner = z
  .string()
  .nullable()
  .meta({ description: 'username of the owner, whose tasks alone it serves; null: it serves the tasks of everyone' });
const protocols = z
  .array(z.int())
  .meta({ description: "versions of the gateway's protocol that the service supports, ascending" });
const at = (description: string) => z.iso.datetime().meta({ description });

export const RegisterEvaluator = z
  .strictObject({
    name: Name,
    own: z.boolean().optional().meta({
      description:
        'true: only for the tasks that you own; false: for the tasks of everyone, which requires an administrator. Default: false for administrators, true for others',
    }),
  })
  .meta({ id: 'RegisterEvaluator' });
export type RegisterEvaluator = z.infer<typeof RegisterEvaluator>;

export const EvaluatorReference = z
  .object({
    name: z.string().meta({ description: 'name of the evaluator' }),
    owner: z.string().meta({ description: 'username of its owner' }),
  })
  .meta({ id: 'EvaluatorReference' });
export type EvaluatorReference = z.infer<typeof EvaluatorReference>;

/** The evaluators of users that contributed to a result. */
export const OwnEvaluators = z.array(EvaluatorReference).meta({
  description:
    'evaluators of users that answered or measured, by name; absent if there are none, because evaluators of the service did or predictions were uploaded',
});
export type OwnEvaluators = z.infer<typeof OwnEvaluators>;

export const EvaluatorRegistered = z
  .object({
    id,
    name: z.string().meta({ description: 'name of the evaluator' }),
    own: z.boolean().meta({ description: 'whether it serves only the tasks that you own' }),
    token: z
      .string()
      .meta({ description: 'secret of the evaluator. Shown once: the service stores only its sha256 hash' }),
  })
  .meta({ id: 'EvaluatorRegistered' });
export type EvaluatorRegistered = z.infer<typeof EvaluatorRegistered>;

export const EvaluatorHost = z
  .strictObject({
    architecture: Word.meta({ description: 'instruction set of its processors, such as amd64' }),
    cpus: z.int().min(1).max(65_536).meta({ description: 'processors' }),
    memoryBytes: z.int().min(1).meta({ description: 'memory in bytes' }),
    runtimes: z
      .array(Word)
      .max(20)
      .meta({ description: 'container runtimes of its Docker engine, such as runc and runsc' }),
  })
  .meta({ id: 'EvaluatorHost' });
export type EvaluatorHost = z.infer<typeof EvaluatorHost>;

const RUNNING_STAGES = ['admission', 'evaluation', 'measures', 'serving'] as const;

const RunningWork = z
  .object({
    stage: z.enum(RUNNING_STAGES).meta({
      description:
        'admission: it inspects the artifact; evaluation: it evaluates the model; measures: it only measures its costs; serving: it starts or serves a target model',
    }),
    model: z
      .object({
        id: z.string().meta({ description: 'ID of the model' }),
        name: z.string().meta({ description: 'name of the model' }),
        owner: z.string().meta({ description: 'username of the user who submitted it' }),
        task: z.string().meta({ description: 'slug of its task' }),
      })
      .optional()
      .meta({ description: 'absent if you may not see the model' }),
    since: at('start of this work'),
  })
  .meta({ id: 'RunningWork' });
export type RunningWork = z.infer<typeof RunningWork>;

export const EVALUATOR_PRESENCES = ['new', 'online', 'offline'] as const;
export type EvaluatorPresence = (typeof EVALUATOR_PRESENCES)[number];

export const EvaluatorView = z
  .object({
    id,
    name: z.string().meta({ description: 'name of the evaluator' }),
    owner,
    state: z.enum(EVALUATOR_PRESENCES).meta({
      description: `new: it has never reported; online: it reported within the last ${EVALUATOR_ONLINE_SECONDS} seconds; offline: it reported earlier`,
    }),
    version: z.string().nullable().meta({ description: 'version of Assay that it runs; null: it has never reported' }),
    protocol: z
      .int()
      .nullable()
      .meta({ description: "version of the gateway's protocol that it uses; null: it has never reported" }),
    host: EvaluatorHost.nullable().meta({ description: 'machine on which it runs; null: it has never reported' }),
    slots: z.int().nullable().meta({ description: 'processors that runs may take; null: it has never reported' }),
    problem: z.string().nullable().meta({ description: 'why it cannot run models now; null: nothing is known' }),
    lastSeenAt: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'time of its last report; null: it has never reported' }),
    running: z.array(RunningWork).meta({ description: 'runs and target models that it holds now, oldest first' }),
    createdAt: at('time of its registration'),
  })
  .meta({ id: 'Evaluator' });
export type EvaluatorView = z.infer<typeof EvaluatorView>;

/** An evaluator that was removed. */
export const RemovedEvaluator = z
  .object({
    id,
    name: z.string().meta({ description: 'name that it had' }),
    owner,
    removedAt: at('time of its removal'),
    lastUsedAt: z.iso.datetime().nullable().meta({
      description: 'time of the last request with its token since the removal, which was refused; null: there was none',
    }),
  })
  .meta({ id: 'RemovedEvaluator' });
export type RemovedEvaluator = z.infer<typeof RemovedEvaluator>;

export const RegisteredEvaluators = z
  .object({
    items: z.array(EvaluatorView).meta({ description: 'registered evaluators by name' }),
    removed: z.array(RemovedEvaluator).meta({
      description: 'evaluators that were removed within the last 24 hours, or whose token was used within that time',
    }),
    protocols,
  })
  .meta({ id: 'RegisteredEvaluators' });
export type RegisteredEvaluators = z.infer<typeof RegisteredEvaluators>;

/** The registration of an evaluator, as it reads it itself. */
export const EvaluatorRegistration = z
  .object({ id, name: z.string().meta({ description: 'name of the evaluator' }), owner, protocols })
  .meta({ id: 'EvaluatorRegistration' });
export type EvaluatorRegistration = z.infer<typeof EvaluatorRegistration>;

export const ReportPresence = z
  .strictObject({
    protocol: z
      .int()
      .min(0)
      .max(LARGEST_NUMBER)
      .meta({ description: "version of the gateway's protocol that the evaluator uses" }),
    version: Word.meta({ description: 'version of Assay that it runs' }),
    host: EvaluatorHost,
    slots: z.int().min(1).max(65_536).meta({ description: 'processors that runs may take' }),
    problem: z
      .string()
      .min(1)
      .max(1000)
      .nullable()
      .optional()
      .meta({ description: 'why it cannot run models now; null or absent: it can' }),
    neighbours: z
      .array(z.string().max(100))
      .max(1000)
      .optional()
      .meta({ description: 'names of other evaluators that have sandboxes on its Docker engine' }),
  })
  .meta({ id: 'ReportPresence' });
export type ReportPresence = z.infer<typeof ReportPresence>;

export const PresenceReported = z
  .object({
    serverTime: at("time of the service's database"),
    protocols,
    reportSeconds: z.number().optional().meta({ description: 'seconds until the next report is due' }),
    gone: z.array(z.string()).optional().meta({
      description:
        'those of the named neighbours that hold nothing and have not reported for two lease periods, so that their sandboxes are to be removed',
    }),
  })
  .meta({ id: 'PresenceReported' });
export type PresenceReported = z.infer<typeof PresenceReported>;
