import { Annotation } from '@assay/collection/annotating';
import { RoundModel } from '@assay/collection/rounds';
import { LeaderboardPublisher } from '@assay/leaderboard/boards';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { type DatasetRow } from '@assay/tasks/examples';
import { QueryOrder } from '@mikro-orm/core';
import type { ApiWorld } from '../worlds/api-world.js';
import { type Plant, plantAnnotations } from '../collection/planted-annotations.js';
import { scoredModel } from './scored-models.js';

const EXAMPLES = 40;
/**
 * How many of the 40 examples each model answers correctly: on all datasets but `r2`, and on `r2`.
 */
const RIGHT = { Early: [28, 27], Middle: [32, 29], Late: [36, 31] } as const;
const HUMAN = { n: 60, value: 0.95, low: 0.88, high: 0.98 };

export interface PlantedTask {
  readonly slug: string;
  readonly owner: string;
  /** Model ids by name. */
  readonly models: Readonly<Record<keyof typeof RIGHT, string>>;
}

/**
 * Creates a task that fills all of its pages: two rounds imported from files, with human
 * performance; a static dataset; three ranked models; a closed round of collection and an open one
 * with a goal, written by ann and ben.
 */
export async function plantedTask(world: ApiWorld, slug = 'tone'): Promise<PlantedTask> {
  const owner = await world.user('owner');
  for (const name of ['ann', 'ben']) await world.user(name);
  await expected(world.call('POST', '/tasks', { token: owner, body: definition(slug) }));
  await dataset(world, { slug, owner, name: 'base', query: 'role=static&visibility=public' });
  await dataset(world, { slug, owner, name: 'r1', query: 'role=round&round=1&visibility=public' });
  await dataset(world, { slug, owner, name: 'r2', query: 'role=round&round=2&visibility=hidden' });
  const em = world.orm.em.fork();
  for (const version of await em.find(DatasetVersion, { dataset: { name: { $in: ['r1', 'r2'] } } })) {
    version.human = { accuracy: HUMAN };
  }
  await em.flush();
  const models: Record<string, string> = {};
  for (const name of Object.keys(RIGHT) as (keyof typeof RIGHT)[]) {
    models[name] = await scoredModel(world, { slug, name, token: owner, answer: answerOf(name) });
    await world.orm.em.fork().nativeUpdate(Model, models[name], { state: 'scored' });
  }
  const task = await world.orm.em.fork().findOneOrFail(Task, { slug });
  await new LeaderboardPublisher(new BenchmarksService()).publish(world.orm.em.fork(), task.id);
  await plantAnnotations(world, slug, plants(models['Middle']!));
  await world.orm.em.fork().nativeUpdate(Annotation, { round: { task: task.id } }, { answeredAt: new Date() });
  await dateRounds(world, task.id, models['Middle']!);
  return { slug, owner, models: models as PlantedTask['models'] };
}

const definition = (slug: string): object => ({
  slug,
  name: 'Tone of reviews',
  description: 'Is the verdict of a review **positive** or negative?',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  metrics: ['macro_f1'],
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 2 },
  perturbations: { robustness: ['typos'], sample: 10 },
  loop: { minimum: {} },
  collection: { instructions: 'Write a review that the model gets wrong.' },
});

async function dataset(
  world: ApiWorld,
  of: { readonly slug: string; readonly owner: string; readonly name: string; readonly query: string },
): Promise<void> {
  const lines = Array.from({ length: EXAMPLES }, (_, n) =>
    JSON.stringify({ id: n, text: `a longer text ${n}`, label: n % 2 === 0 ? 'positive' : 'negative' }),
  );
  const put = { token: of.owner, type: 'application/x-ndjson', body: lines.join('\n') };
  await expected(world.call('PUT', `/tasks/${of.slug}/datasets/${of.name}?${of.query}`, put));
}

const answerOf =
  (name: keyof typeof RIGHT) =>
  (dataset: string, { index, gold }: DatasetRow) => {
    const right = RIGHT[name][dataset === 'r2' ? 1 : 0];
    return { text: index < right ? gold[0]! : gold[0] === 'positive' ? 'negative' : 'positive' };
  };

/**
 * Round 3 is closed: 6 of 16 validated examples fooled the model. Round 4 is open: 10 examples, 4
 * of them validated.
 */
function plants(target: string): Plant[] {
  const plant = (place: number, of: Partial<Plant>): Plant => ({
    round: 3,
    by: place % 2 === 0 ? 'ann' : 'ben',
    target,
    tags: [`topic ${place % 3}`],
    condition: null,
    day: '2026-05-04',
    fooled: false,
    outcome: 'validated',
    seconds: 40 + place,
    editDistance: null,
    isExplained: false,
    isRetracted: false,
    isCheck: false,
    isAttested: false,
    ...of,
  });
  return [
    ...Array.from({ length: 16 }, (_, place) => plant(place, { fooled: place < 6 })),
    ...Array.from({ length: 4 }, (_, place) => plant(place, { fooled: true, outcome: 'rejected' })),
    ...Array.from({ length: 10 }, (_, place) =>
      plant(place, { round: 4, day: '2026-06-02', fooled: place < 3, outcome: place < 4 ? 'validated' : 'pending' }),
    ),
  ];
}

async function dateRounds(world: ApiWorld, task: string, model: string): Promise<void> {
  const em = world.orm.em.fork();
  const [third, fourth] = await em.find(Round, { task, number: { $gt: 2 } }, { orderBy: { number: QueryOrder.ASC } });
  const shares = { train: 0.8, dev: 0.1, test: 0.1 };
  Object.assign(third!, {
    description: 'Reviews of **films**.',
    openedAt: new Date('2026-05-01T08:00:00Z'),
    closedAt: new Date('2026-05-20T08:00:00Z'),
    closedBy: 'count reached: 20 examples',
    settings: { turn: { examples: 20 }, conditions: [], shares },
  });
  Object.assign(fourth!, {
    description: 'Reviews of books.',
    openedAt: new Date('2026-06-01T08:00:00Z'),
    settings: { turn: { examples: 25 }, conditions: [], shares },
  });
  em.create(RoundModel, {
    round: third!,
    model,
    reason: 'named',
    since: third!.openedAt!,
    until: third!.closedAt,
    left: 'The round was closed.',
  });
  em.create(RoundModel, { round: fourth!, model, reason: 'named', since: fourth!.openedAt! });
  await em.flush();
}

async function expected(answer: ReturnType<ApiWorld['call']>): Promise<void> {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(JSON.stringify(body));
}
