import { Context, RoundModel } from '@assay/collection/rounds';
import type { LiveAnswer, OpenRound } from '@assay/contracts/collection';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { LivePredictions } from '@assay/serving';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import type { ApiAnswer } from './api-call.js';
import type { ApiWorld } from './api-world.js';

/** An open round whose target models answer by a rule in this process. */
export interface AnnotatingRound {
  readonly slug: string;
  readonly roundId: string;
  readonly owner: string;
  /** Model ids, in the order of `models` in the settings. */
  readonly models: readonly string[];
  readonly contexts: readonly string[];
  next(token: string, body?: object): Promise<ApiAnswer>;
  write(token: string, body: object, query?: string): Promise<ApiAnswer>;
}

export interface AnnotatingSettings {
  readonly definition: TaskDefinitionInput;
  /** The content, tags and metadata of each context. */
  readonly contexts: readonly {
    readonly content: object;
    readonly tags?: readonly string[];
    readonly metadata?: object;
  }[];
  readonly conditions?: OpenRound['conditions'];
  /** The names of the target models. */
  readonly models?: readonly string[];
}

let rounds = 0;

/** Creates a task with an open round 1, its contexts and its target models. */
export async function annotatingRound(world: ApiWorld, settings: AnnotatingSettings): Promise<AnnotatingRound> {
  const slug = settings.definition.slug;
  const owner = await world.user(`owner-${++rounds}`);
  const made = await world.call('POST', '/tasks', { token: owner, body: settings.definition });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const em = world.orm.em.fork();
  const task = await em.findOneOrFail(Task, { slug });
  const conditions = (settings.conditions ?? []).map((arm) => ({ ...arm, share: arm.share ?? 1 }));
  const round = em.create(Round, {
    task,
    number: 1,
    state: 'open',
    imported: false,
    openedAt: new Date(),
    settings: { turn: {}, conditions, shares: { train: 0.8, dev: 0.1, test: 0.1 } },
  });
  const builder = await em.findOneOrFail(User, { username: `owner-${rounds}` });
  const models = (settings.models ?? ['Keyword']).map((name) => {
    const model = em.create(Model, {
      task,
      owner: builder,
      name,
      kind: 'onnx',
      description: '',
      card: '',
      trainedOn: [],
      protocol: 'invocations',
      published: true,
    });
    em.create(RoundModel, { round, model, reason: 'named', since: new Date() });
    return model.id;
  });
  await em.flush();
  const contexts = settings.contexts.map((context, index) => ({ id: newId(), externalId: `c${index}`, ...context }));
  await em.insertMany(
    Context,
    contexts.map(
      (context) => ({ ...context, round: round.id, metadata: context.metadata ?? {}, createdAt: new Date() }) as never,
    ),
  );
  return {
    slug,
    roundId: round.id,
    owner,
    models,
    contexts: contexts.map(({ id }) => id),
    next: (token, body = {}) => world.call('POST', `/tasks/${slug}/annotate/next`, { token, body }),
    write: (token, body, query = '') =>
      world.call('POST', `/tasks/${slug}/rounds/1/annotations${query}`, { token, body }),
  };
}

type Answering = (
  model: Model,
  input: Readonly<Record<string, unknown>>,
) => Pick<LiveAnswer, 'answer' | 'probabilities'>;

/** Makes the target models answer by a rule in this process from now on. */
export function answerBy(world: ApiWorld, answer: Answering): void {
  const live = world.app.get(LivePredictions);
  Object.assign(live, {
    predict: (_: Task, model: Model, inputs: readonly Readonly<Record<string, unknown>>[]): Promise<LiveAnswer[]> =>
      // a rule that throws stands for a model that cannot answer
      Promise.resolve().then(() =>
        inputs.map((input) => ({
          model: model.id,
          specification: newId(),
          milliseconds: 1,
          at: new Date().toISOString(),
          ...answer(model, input),
        })),
      ),
    inspect: (_: Task, model: Model, input: Readonly<Record<string, unknown>>, label?: string) =>
      Promise.resolve({
        method: 'occlusion',
        fields: {
          hypothesis: [{ token: label ?? model.name, start: 0, end: String(input['hypothesis']).length, weight: 1 }],
        },
      }),
  });
}
