import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Annotation } from '@assay/collection/annotating';
import {
  closeRound,
  Context,
  replaceInRound,
  enqueueRounds,
  RoundsDispatcher,
  RoundModel,
  RoundProgress,
  RoundRelease,
  RoundRepository,
} from '@assay/collection/rounds';
import { Validation } from '@assay/collection/validating';
import { CLOSING_STEPS, type ClosingStep } from '@assay/contracts/collection';
import { requestForAllModels } from '@assay/evaluation/evaluations';
import { User } from '@assay/identity';
import { AuditEntry } from '@assay/identity/audit';
import { LeaderboardPublisher } from '@assay/leaderboard/boards';
import { Promotion } from '@assay/leaderboard/promotions';
import { OutboxEvent } from '@assay/persistence/outbox';
import { LocalBlobStore } from '@assay/storage';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import { BenchmarksService, BenchmarkVersion } from '@assay/tasks/benchmarks';
import { Dataset, DatasetsService, DatasetVersion } from '@assay/tasks/datasets';
import { PerturbationsService } from '@assay/tasks/perturbation';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';
import { scoredModel, scoreQueued, type ScoredModel } from '../factories/models/scored-models.js';

const LABELS = ['entailment', 'neutral', 'contradiction'] as const;
const TASK = {
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: LABELS },
  performance: 'accuracy',
  slices: ['fooled'],
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 5 },
  quota: { perDay: 100, total: 100 },
};
const SHARES = { train: 0.4, dev: 0.3, test: 0.3 };
const CONTEXTS = 20;
const DAY = 86_400_000;

type Answer = ScoredModel['answer'];

/** Returns the answers of a model that is right on `tenths` of ten examples. */
const rightOn =
  (tenths: number): Answer =>
  (_, { index, gold }) => ({ text: index % 10 < tenths ? gold[0]! : LABELS.find((label) => label !== gold[0])! });

interface Collected {
  readonly slug: string;
  readonly roundId: string;
  readonly weak: string;
  readonly strong: string;
}

interface LoopModel {
  readonly model: { readonly id: string };
}

describe('a round', () => {
  let world: ApiWorld;
  let count = 0;
  const tokens: Record<string, string> = {};
  const answers = new Map<string, Answer>();

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['owner', 'first', 'second']) tokens[name] = await world.user(name);
  }, 300_000);
  afterAll(() => world.close());

  const em = (): EntityManager => world.orm.em.fork();
  const blobs = (): LocalBlobStore => new LocalBlobStore(join(world.home, 'blobs'));

  /** Creates a new instance, like another process. */
  function progress(): RoundProgress {
    const own = em();
    const benchmarks = new BenchmarksService();
    const perturbations = new PerturbationsService(own, blobs(), benchmarks);
    return new RoundProgress(own, new DatasetsService(own, blobs(), benchmarks, perturbations), benchmarks, blobs());
  }

  async function publish(taskId: string): Promise<void> {
    await new LeaderboardPublisher(new BenchmarksService()).publish(em(), taskId);
  }

  async function model(slug: string, name: string, token: string, answer: Answer): Promise<string> {
    const id = await scoredModel(world, { slug, name, token, answer, bytes: `${slug} ${name}` });
    answers.set(id, answer);
    await em().nativeUpdate(Model, id, { state: 'scored' });
    return id;
  }

  /** Does what evaluators do after the release of a benchmark version. */
  async function evaluateAll(taskId: string): Promise<void> {
    await requestForAllModels(em(), { taskId });
    for (const { id } of await em().find(Model, { task: taskId })) {
      await scoreQueued(world, id, answers.get(id)!);
      await em().nativeUpdate(Model, id, { state: 'scored' });
    }
    await publish(taskId);
  }

  /** Creates an open round against the weak model with 40 examples, and then a strong model. */
  async function collected(collection: object = {}, loop: object = {}): Promise<Collected> {
    const slug = `nli-${++count}`;
    const body = { slug, ...TASK, loop, collection: { shares: SHARES, ...collection } };
    const made = await world.call('POST', '/tasks', { token: tokens['owner'], body });
    expect(made.status).toBe(201);
    const lines = Array.from({ length: 40 }, (_, n) => ({ context: `c${n}`, hypothesis: 'h', label: LABELS[n % 3] }));
    await world.call('PUT', `/tasks/${slug}/datasets/base`, {
      token: tokens['owner'],
      type: 'application/x-ndjson',
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    });
    const weak = await model(slug, 'Weak', tokens['first']!, rightOn(6));
    const { id: taskId } = await em().findOneOrFail(Task, { slug });
    await publish(taskId);

    const opened = await world.call('POST', `/tasks/${slug}/rounds`, { token: tokens['owner'], body: {} });
    expect(opened.status).toBe(201);
    const roundId = opened.body.id as string;
    await write(roundId, weak);
    const strong = await model(slug, 'Strong', tokens['second']!, rightOn(9));
    await publish(taskId);
    return { slug, roundId, weak, strong };
  }

  /**
   * Writes two examples for each context. One in four is not validated. Adds a gold check and a
   * retracted example.
   */
  async function write(roundId: string, target: string): Promise<void> {
    const here = em();
    const round = await here.findOneOrFail(Round, roundId);
    const annotator = await here.findOneOrFail(User, { username: 'second' });
    const contexts = Array.from({ length: CONTEXTS }, (_, n) =>
      here.create(Context, {
        round,
        externalId: `c${n}`,
        content: { context: `Context ${n}.` },
        tags: n % 2 === 0 ? ['even'] : [],
        active: n > 0,
      }),
    );
    // gives every context one example that is validated and fooled the model, so that every split
    // has some
    const placeOf = (n: number): number => (n + Math.floor(n / CONTEXTS)) % CONTEXTS;
    const annotation = (n: number, more: Partial<Annotation> = {}) =>
      here.create(Annotation, {
        round,
        context: contexts[placeOf(n)]!,
        annotator,
        pseudonym: 'p'.repeat(64),
        key: `key-${n}`,
        source: 'written',
        input: { context: `Context ${placeOf(n)}.`, hypothesis: `Hypothesis ${n}.` },
        authorLabel: [LABELS[n % 3]!],
        label: [LABELS[n % 3]!],
        // one of the two examples of a context, so that the test split has some
        fooled: (n + Math.floor(n / CONTEXTS)) % 2 === 0,
        answers: [],
        target: here.getReference(Model, target),
        answeredAt: new Date(),
        outcome: n % 4 === (n < CONTEXTS ? 3 : 0) ? 'pending' : 'validated',
        ...more,
      });
    for (let n = 0; n < 2 * CONTEXTS; n++) annotation(n);
    annotation(100, { isCheck: true });
    annotation(101, { retractedAt: new Date() });
    await here.flush();
  }

  async function close(roundId: string, pending: 'leave' | 'await' = 'leave'): Promise<void> {
    await em().transactional(async (tx) =>
      closeRound(tx, await new RoundRepository(tx).getForUpdate(roundId), { by: 'by owner', pending, actor: null }),
    );
  }

  const round = (id: string): Promise<Round> => em().findOneOrFail(Round, id, { populate: ['task'] });
  /** Returns the audit entries about the loop of the round, oldest first. */
  const replacements = (id: string): Promise<AuditEntry[]> =>
    em().find(AuditEntry, { action: 'loop.changed', subjectKind: 'round', subjectId: id }, { orderBy: { id: 'asc' } });
  const eventsOf = async (type: string, roundId: string): Promise<number> =>
    (await em().find(OutboxEvent, { type })).filter(({ payload }) => payload['roundId'] === roundId).length;

  /** Checks all results of closing the round. */
  async function expectAllDone({ slug, roundId, weak, strong }: Collected): Promise<void> {
    const closed = await round(roundId);
    expect(closed).toMatchObject({ state: 'closed', closingStep: null, benchmarkVersion: 2 });
    expect(await em().count(BenchmarkVersion, { task: closed.task })).toBe(2);
    expect(await eventsOf('round.closed', roundId)).toBe(1);

    const datasets = await em().find(Dataset, { task: closed.task, role: 'round' }, { orderBy: { name: 'asc' } });
    const common = { round: 1, against: [weak] };
    expect(datasets).toMatchObject([
      { ...common, name: 'r1-dev', use: 'reporting', visibility: 'public' },
      { ...common, name: 'r1-fooling', use: 'reporting', visibility: 'hidden' },
      { ...common, name: 'r1-test', use: 'scoring', visibility: 'hidden' },
    ]);
    const versions = await em().find(DatasetVersion, { dataset: { task: closed.task, role: 'round' } });
    expect(versions.map(({ status }) => status)).toEqual(['active', 'active', 'active']);

    const validated = await em().find(Annotation, { round: closed, split: { $ne: null } }, { populate: ['context'] });
    expect(validated).toHaveLength(30);
    expect(validated.every((each) => each.outcome === 'validated' && !each.isCheck && !each.retractedAt)).toBe(true);
    const splitsOf = Map.groupBy(validated, ({ context }) => context!.id);
    for (const [, examples] of splitsOf) expect(new Set(examples.map(({ split }) => split)).size).toBe(1);
    const releases = await em().find(RoundRelease, { round: closed });
    expect(new Set(releases.map(({ part }) => part))).toEqual(new Set(['test', 'dev', 'fooling', 'train']));
    for (const { part, examples, content } of releases) {
      const lines = (await text(blobs().open(content)))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(lines).toHaveLength(examples);
      const of = part === 'fooling' ? validated.filter(({ fooled, split }) => fooled && split === 'test') : null;
      const expected = of ?? validated.filter(({ split }) => split === part);
      expect(lines.map(({ id }) => id as string).sort()).toEqual(expected.map(({ id }) => id).sort());
    }

    const loop = await em().find(Promotion, { task: closed.task, until: null });
    expect(loop.map(({ model: { id } }) => id)).toEqual([strong]);
    const next = await em().findOneOrFail(Round, { task: closed.task, number: 2 });
    expect(next.state).toBe('open');
    expect(await em().find(RoundModel, { round: next })).toMatchObject([{ model: { id: strong }, reason: 'policy' }]);
    const contexts = await em().find(Context, { round: next }, { orderBy: { externalId: 'asc' } });
    expect(contexts).toHaveLength(CONTEXTS - 1);
    expect(contexts[0]).toMatchObject({ externalId: 'c1', content: { context: 'Context 1.' }, annotations: 0 });
    expect(await eventsOf('round.opened', next.id)).toBe(1);

    const { body } = await world.call('GET', `/models/${weak}`);
    const cells = body.evaluations as { dataset: string; state: string }[];
    expect(cells.map(({ dataset, state }) => [dataset, state]).sort()).toEqual(
      ['base', 'r1-dev', 'r1-fooling', 'r1-test'].map((dataset) => [dataset, 'scored']),
    );
    const shown = await world.call('GET', `/tasks/${slug}/rounds/1`);
    expect(shown.body).toMatchObject({
      state: 'closed',
      counts: { contexts: CONTEXTS, examples: 40, fooled: 20, validated: 30, pending: 10, retracted: 1 },
      models: [{ model: { id: weak }, left: 'The round was closed.' }],
    });
  }

  it('keeps the loop as it is while it is open', async () => {
    const { roundId, weak } = await collected();
    const { task } = await round(roundId);
    const loop = await em().find(Promotion, { task, until: null });
    expect(loop.map((each) => each.model.id)).toEqual([weak]);
  });

  it('makes examples with all that was known of them', async () => {
    const { roundId } = await collected({ shares: { train: 0, dev: 0, test: 1 } });
    await close(roundId);
    await progress().advance(roundId);

    const release = await em().findOneOrFail(RoundRelease, { round: roundId, part: 'test' });
    const [first] = (await text(blobs().open(release.content))).split('\n');
    const example = JSON.parse(first!) as { id: string };
    const annotation = await em().findOneOrFail(Annotation, example.id, { populate: ['context', 'target'] });
    expect(example).toEqual({
      id: annotation.id,
      ...annotation.input,
      label: annotation.label[0],
      fooled: annotation.fooled,
      condition: null,
      target: 'Weak',
      target_id: annotation.target!.id,
      targets: [annotation.target!.id],
      annotator: 'p'.repeat(64),
      context_id: annotation.context!.externalId,
      tags: annotation.context!.tags,
      attested: false,
      split: 'test',
    });
    expect(await em().count(RoundRelease, { round: roundId, part: ['dev', 'train'] })).toBe(0);
  });

  describe('against a model whose evaluation is right on every example', () => {
    /** Lets people get the right answer from the model in every `tenths` of ten examples, and closes the round. */
    async function closed(tenths: number): Promise<Collected> {
      const made = await collected({ shares: { train: 0, dev: 0.5, test: 0.5 } }, { size: 2 });
      answers.set(made.weak, rightOn(10));
      const here = em();
      const { specification } = await here.findOneOrFail(Model, made.weak);
      const written = await here.find(Annotation, { round: made.roundId }, { orderBy: { key: 'asc' } });
      for (const [place, annotation] of written.entries()) {
        const other = LABELS.find((label) => label !== annotation.label[0])!;
        const answer = place % 10 < tenths ? annotation.label[0]! : other;
        annotation.answers = [
          { model: made.weak, specification: specification!.id, answer, milliseconds: 1, at: new Date().toISOString() },
        ];
      }
      await here.flush();
      await close(made.roundId);
      await progress().advance(made.roundId);
      await evaluateAll((await round(made.roundId)).task.id);
      await progress().advance(made.roundId);
      expect(await round(made.roundId)).toMatchObject({ state: 'closed' });
      return made;
    }
    /** Returns why a policy with room for all models chooses the model, or why it does not. */
    async function reasonFor({ slug, weak }: Collected): Promise<string> {
      const request = { token: tokens['owner'], body: { size: 2 } };
      const { body } = await world.call('POST', `/tasks/${slug}/loop/preview`, request);
      const models = body.models as (LoopModel & { readonly why: string })[];
      return models.find(({ model: { id } }) => id === weak)!.why;
    }

    const loopOf = async ({ slug }: Collected): Promise<string[]> =>
      (await world.call('GET', `/tasks/${slug}/loop`)).body.models.map(({ model }: LoopModel) => model.id);

    it('chooses the model again if it answered people the same', async () => {
      const made = await closed(10);
      expect((await world.call('GET', `/models/${made.weak}`)).body).not.toHaveProperty('liveDifference');
      expect(await reasonFor(made)).toMatch(/^It is in the loop, meets the bounds/);
      expect(await loopOf(made)).toContain(made.weak);
    });

    it('removes it from the loop if it answered people worse, and says so', async () => {
      const made = await closed(5);
      const { body } = await world.call('GET', `/models/${made.weak}`);
      expect(body.liveDifference).toEqual({ round: 1, compared: 30, different: expect.any(Number) });
      expect(await reasonFor(made)).toBe(
        `In round 1 it answered people differently than in its evaluation: on ${body.liveDifference.different} of 30 examples.`,
      );
      expect(await loopOf(made)).toEqual([made.strong]);
    });
  });

  it('gives what it became to everybody, but for what is to be a hidden test', async () => {
    const { roundId, slug } = await collected();
    const data = (part: string, token?: string) =>
      fetch(`${world.url}/api/v1/tasks/${slug}/rounds/1/data/${part}`, {
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      });
    expect((await data('train')).status).toBe(404);
    await close(roundId);
    await progress().advance(roundId);

    for (const part of ['train', 'dev', 'test', 'fooling']) {
      const { content } = await em().findOneOrFail(RoundRelease, { round: roundId, part: part as 'train' });
      const isPublic = part === 'train' || part === 'dev';
      const [anybody, owner] = [await data(part, tokens['first']), await data(part, tokens['owner'])];
      expect(anybody.status).toBe(isPublic ? 200 : 404);
      expect(await owner.text()).toBe(await text(blobs().open(content)));
    }
    expect((await data('other', tokens['owner'])).status).toBe(404);
  });

  it.each([
    ['is withdrawn', 'POST', '/withdraw', {}, 'Its owner withdrew it.'],
    ['is kept out by its owner', 'PATCH', '', { loop: false }, 'Its owner keeps it out of the loop.'],
  ])('gets the next best model where one %s', async (_, method, path, body, why) => {
    const { roundId, weak, strong } = await collected();
    const { status } = await world.call(method, `/models/${weak}${path}`, { token: tokens['first'], body });
    expect(status).toBe(200);

    const models = await em().find(RoundModel, { round: roundId }, { orderBy: { since: 'asc', id: 'asc' } });
    expect(models).toMatchObject([
      { model: { id: weak }, reason: 'policy', until: expect.any(Date), left: why },
      { model: { id: strong }, reason: 'replacement', until: null, evidence: { rank: 1 } },
    ]);
    const { task } = await round(roundId);
    const [changed] = await em().find(OutboxEvent, { type: 'loop.changed' }, { orderBy: { id: 'desc' }, limit: 1 });
    expect(changed?.payload).toEqual({ taskId: task.id });
    const { id: first } = await em().findOneOrFail(User, { username: 'first' });
    expect(await replacements(roundId)).toMatchObject([
      { actor: first, from: { model: weak }, to: { model: strong, why }, network: '127.0.0.0/24' },
    ]);
  });

  it('has nobody come for a model that dies where the policy can take nobody, and lets it die once', async () => {
    const { roundId, weak, strong } = await collected();
    const replace = async (id: string, why: string) => replaceInRound(em(), null, await round(roundId), id, why);
    expect(await replace(weak, 'It died.')).toBe(strong);
    expect(await replace(weak, 'It died again.')).toBeNull();
    expect(await replace(strong, 'It is too slow.')).toBeNull();
    const models = await em().find(RoundModel, { round: roundId }, { orderBy: { since: 'asc', id: 'asc' } });
    expect(models.map(({ left }) => left)).toEqual(['It died.', 'It is too slow.']);
    // a replacement that did not happen is not recorded
    expect(await replacements(roundId)).toMatchObject([
      { actor: null, from: { model: weak }, to: { model: strong, why: 'It died.' }, network: null },
      { actor: null, from: { model: strong }, to: { model: null, why: 'It is too slow.' }, network: null },
    ]);
  });

  it('may be without a loop for a model that its owner keeps out, which comes back when it may', async () => {
    const { roundId, slug, strong } = await collected();
    await close(roundId);
    await em().nativeUpdate(Annotation, { round: roundId }, { outcome: 'rejected' });
    await progress().advance(roundId);
    const loop = async () =>
      (await world.call('GET', `/tasks/${slug}/loop`)).body.models.map((each: LoopModel) => each.model.id) as string[];
    expect(await loop()).toEqual([strong]);

    const patch = (value: boolean) =>
      world.call('PATCH', `/models/${strong}`, { token: tokens['second'], body: { loop: value } });
    expect((await patch(false)).body).toMatchObject({ loop: false });
    expect(await loop()).not.toContain(strong);
    expect(
      (await world.call('PATCH', `/models/${strong}`, { token: tokens['first'], body: { loop: true } })).status,
    ).toBe(403);
    const named = await world.call('POST', `/tasks/${slug}/rounds`, {
      token: tokens['owner'],
      body: { models: [strong] },
    });
    expect(named).toMatchObject({ status: 422, body: { code: 'model_kept_out' } });
    await patch(true);
    expect(await loop()).toEqual([strong]);
  });

  const moments = CLOSING_STEPS.flatMap((step) => [[step, 'written'] as const, [step, 'committed'] as const]);
  it.each(moments)('comes to the same end when it is interrupted after %s was %s', async (step, moment) => {
    const given = await collected({ next: 'open' });
    const { task } = await round(given.roundId);
    await close(given.roundId);
    let crashes = 0;
    const crash = (at: ClosingStep, when: string): void => {
      if (at !== step || when !== moment || crashes++ > 0) return;
      throw new Error('the power is gone');
    };
    const go = async (): Promise<void> => {
      await progress()
        .advance(given.roundId, crash)
        .catch((error: unknown) => expect((error as Error).message).toBe('the power is gone'));
      await progress().advance(given.roundId);
    };

    await go();
    expect(await round(given.roundId)).toMatchObject({ state: 'closing', closingStep: 'evaluate' });
    await evaluateAll(task.id);
    await go();

    expect(crashes).toBeGreaterThan(0);
    await expectAllDone(given);
    await progress().advance(given.roundId);
    await expectAllDone(given);
  });

  it('is closed once, whoever continues with it', async () => {
    const given = await collected({ next: 'open' });
    const { task } = await round(given.roundId);
    await close(given.roundId);
    await Promise.all([1, 2, 3].map(() => progress().advance(given.roundId)));
    await evaluateAll(task.id);
    await Promise.all([1, 2, 3].map(() => progress().advance(given.roundId)));
    await expectAllDone(given);
  });

  it('takes what was being sent when it was closed, and nothing after', async () => {
    const { roundId } = await collected();
    const open = await round(roundId);
    const sending = Promise.withResolvers<undefined>();
    const held = Promise.withResolvers<undefined>();
    const submission = em().transactional(async (tx) => {
      await new RoundRepository(tx).expectOpen(open);
      held.resolve(undefined);
      await sending.promise;
      await tx.nativeUpdate(Annotation, { round: roundId, key: 'key-3' }, { outcome: 'validated' });
    });
    await held.promise;

    const closing = close(roundId).then(() => progress().advance(roundId));
    expect((await round(roundId)).state).toBe('open');
    sending.resolve(undefined);
    await Promise.all([submission, closing]);

    expect(await em().count(Annotation, { round: roundId, split: { $ne: null } })).toBe(31);
    await expect(em().transactional((tx) => new RoundRepository(tx).expectOpen(open))).rejects.toMatchObject({
      code: 'round_closed',
    });
  });

  it('has a job for each event that may advance it, and for nothing else', async () => {
    const counting = await collected({ turn: { examples: 500 } });
    const dated = await collected({ turn: { closesAt: new Date(Date.now() + DAY).toISOString() } });
    const still = await collected();
    const enqueued: [string, string][] = [];
    const jobs = {
      enqueue: (_: string, { roundId }: { roundId: string }, { jobId }: { jobId: string }) => {
        enqueued.push([roundId, jobId]);
        return Promise.resolve();
      },
    } as unknown as ConstructorParameters<typeof RoundsDispatcher>[1];
    const dispatcher = new RoundsDispatcher(em(), jobs);

    for (const { roundId } of [counting, dated, still]) {
      const [annotation] = await em().find(Annotation, { round: roundId }, { limit: 1 });
      const { task } = await round(roundId);
      await dispatcher.dispatch({ id: '1', type: 'annotation.submitted', payload: { annotationId: annotation!.id } });
      await dispatcher.dispatch({ id: '2', type: 'board.published', payload: { taskId: task.id, revision: 1 } });
    }
    await dispatcher.dispatch({ id: '3', type: 'round.closing', payload: { roundId: still.roundId } });
    expect(enqueued).toEqual([
      [counting.roundId, `round-${counting.roundId}`],
      [counting.roundId, `round-${counting.roundId}-2`],
      [dated.roundId, `round-${dated.roundId}-2`],
      [still.roundId, `round-${still.roundId}-3`],
    ]);

    enqueued.length = 0;
    await enqueueRounds(em(), jobs);
    const ids = enqueued.map(([id]) => id);
    expect(ids).toEqual(expect.arrayContaining([counting.roundId, dated.roundId]));
    expect(ids).not.toContain(still.roundId);
  });

  it('waits for answers that are on their way, but not for those that never come', async () => {
    const { roundId, slug } = await collected();
    const late = await em().findOneOrFail(Annotation, { round: roundId, key: 'key-0' });
    await em().nativeUpdate(Annotation, late.id, { answeredAt: null });
    await close(roundId);

    await progress().advance(roundId);
    expect(await round(roundId)).toMatchObject({ closingStep: 'settle' });
    expect(await em().count(RoundModel, { round: roundId, until: null })).toBe(1);

    await em().nativeUpdate(Annotation, late.id, { createdAt: new Date(Date.now() - 100_000) });
    await progress().advance(roundId);
    expect(await round(roundId)).toMatchObject({ closingStep: 'evaluate' });
    // the example counts without answers, and says nothing about any model
    expect(await em().findOneOrFail(Annotation, late.id)).toMatchObject({ answeredAt: expect.any(Date), fooled: null });
    expect((await world.call('GET', `/tasks/${slug}/rounds/1`)).body.counts.examples).toBe(40);
  });

  it('waits for validations if the task says so, until they are there or the days are over', async () => {
    const [answered, overdue] = [await collected(), await collected()];
    for (const { roundId } of [answered, overdue]) {
      await close(roundId, 'await');
      await progress().advance(roundId);
      expect(await round(roundId)).toMatchObject({ closingStep: 'settle' });
    }

    await em().nativeUpdate(Annotation, { round: answered.roundId, outcome: 'pending' }, { outcome: 'validated' });
    await em().nativeUpdate(Round, overdue.roundId, { pendingUntil: new Date(Date.now() - 1) });
    for (const [{ roundId }, examples] of [
      [answered, 40],
      [overdue, 30],
    ] as const) {
      await progress().advance(roundId);
      expect(await round(roundId)).toMatchObject({ closingStep: 'evaluate' });
      expect(await em().count(Annotation, { round: roundId, split: { $ne: null } })).toBe(examples);
    }
  });

  it('tells of its datasets how well people do: on all that was submitted, and on what fooled', async () => {
    const { roundId } = await collected();
    const here = em();
    const validators = await here.find(User, { username: ['owner', 'first', 'second'] });
    const written = await here.find(Annotation, { round: roundId }, { orderBy: { key: 'asc' } });
    for (const annotation of written) {
      for (const validator of validators) {
        // all validators agree on examples that did not fool; on those that did, one disagrees
        const label = annotation.fooled && validator.username === 'first' ? 'neutral' : 'entailment';
        const answered = { label: [label], verdict: 'correct' as const, answeredAt: new Date() };
        here.create(Validation, { annotation, validator, pseudonym: validator.username, ...answered });
      }
    }
    await here.flush();
    await close(roundId);
    await progress().advance(roundId);

    const { task } = await round(roundId);
    const versions = await em().find(DatasetVersion, { dataset: { task, role: 'round' } }, { populate: ['dataset'] });
    const people = Object.fromEntries(versions.map(({ dataset, human }) => [dataset.name, human!['accuracy']]));
    expect(versions.map(({ dataset }) => dataset.collected)).toEqual([true, true, true]);
    // 20 that did not fool have three answers each, each with two others that agree; 20 that did
    // have one such answer each, which is wrong
    expect(people).toEqual({
      'r1-dev': expect.objectContaining({ n: 80, value: 0.75 }),
      'r1-test': expect.objectContaining({ n: 80, value: 0.75 }),
      'r1-fooling': expect.objectContaining({ n: 20, value: 0 }),
    });
  });

  it('closes without datasets where nothing was validated', async () => {
    const { roundId } = await collected();
    await em().nativeUpdate(Annotation, { round: roundId }, { outcome: 'rejected' });
    await close(roundId);
    await progress().advance(roundId);
    expect(await round(roundId)).toMatchObject({ state: 'closed', benchmarkVersion: null });
    expect(await em().count(RoundRelease, { round: roundId })).toBe(0);
  });

  it.each([
    ['examples', { examples: 40 }, 'count reached: 40 examples', true],
    ['validated examples', { validated: 30 }, 'count reached: 30 validated examples', false],
  ])('turns by a count of %s', async (_, turn, by, isAwaited) => {
    const { roundId } = await collected();
    const settings = (await round(roundId)).settings!;
    const [key, wanted] = Object.entries(turn)[0]!;
    await em().nativeUpdate(Round, roundId, { settings: { ...settings, turn: { [key]: wanted + 1 } } });
    await progress().advance(roundId);
    expect((await round(roundId)).state).toBe('open');

    await em().nativeUpdate(Round, roundId, { settings: { ...settings, turn } });
    await progress().advance(roundId);
    const turned = await round(roundId);
    expect(turned).toMatchObject({ state: 'closing', closedBy: by });
    expect(turned.pendingUntil !== null).toBe(isAwaited);
  });

  it('turns by its date', async () => {
    const { roundId } = await collected();
    const settings = (await round(roundId)).settings!;
    const at = (milliseconds: number) => ({ closesAt: new Date(Date.now() + milliseconds).toISOString() });
    await em().nativeUpdate(Round, roundId, { settings: { ...settings, turn: at(DAY) } });
    await progress().advance(roundId);
    expect((await round(roundId)).state).toBe('open');

    await em().nativeUpdate(Round, roundId, { settings: { ...settings, turn: at(-1) } });
    await progress().advance(roundId);
    expect(await round(roundId)).toMatchObject({ state: 'closing', closedBy: expect.stringContaining('date reached') });
  });

  it('turns by saturation: when a new, unrelated model is no longer fooled by what fooled the loop', async () => {
    const { roundId, slug } = await collected({ turn: { saturation: 0.5 } });
    const { task } = await round(roundId);
    // an interval needs at least five annotators
    const here = em();
    for (const annotation of await here.find(Annotation, { round: roundId })) {
      annotation.pseudonym = annotation.key.slice(-1).repeat(64);
    }
    await here.flush();
    await progress().advance(roundId);
    const soFar = await em().findOneOrFail(DatasetVersion, { dataset: { task, name: 'r1-so-far' } });
    expect(soFar).toMatchObject({ status: 'active', examples: 20 });
    await progress().advance(roundId);
    expect((await round(roundId)).state).toBe('open');
    expect(await em().count(DatasetVersion, { dataset: { task, name: 'r1-so-far' } })).toBe(1);

    await evaluateAll(task.id);
    await progress().advance(roundId);
    const turned = await round(roundId);
    expect(turned.state).toBe('closing');
    expect(turned.closedBy).toMatch(/^saturation: "Strong" has at least 0\.\d{3} accuracy on 20 examples/);
    expect(await em().findOneOrFail(DatasetVersion, soFar.id)).toMatchObject({ status: 'retired' });
    expect((await world.call('GET', `/tasks/${slug}`)).body.datasets.map(({ name }: Dataset) => name)).not.toContain(
      'r1-so-far',
    );
  });

  it('is not saturated by a model of an owner who has one in its loop', async () => {
    const { roundId, slug } = await collected({ turn: { saturation: 0.5 } });
    const { task } = await round(roundId);
    await em().nativeUpdate(Model, { task, name: 'Strong' }, { withdrawn: true });
    await model(slug, 'Related', tokens['first']!, rightOn(10));
    await publish(task.id);
    await progress().advance(roundId);
    await evaluateAll(task.id);
    await progress().advance(roundId);
    expect((await round(roundId)).state).toBe('open');
    expect(await em().count(Dataset, { task, name: 'r1-so-far' })).toBe(0);
  });
});
