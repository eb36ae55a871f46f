import { Annotation } from '@assay/collection/annotating';
import { CrowdLink, CrowdSession } from '@assay/collection/crowds';
import { RoundRelease } from '@assay/collection/rounds';
import { User } from '@assay/identity';
import { Round, Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotationFactory } from '../../factories/collection/annotations.js';
import { publishBoard } from '../../factories/models/published-board.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { answersWhere, SENTIMENT_TASK, sentimentLines } from '../../factories/models/sentiment-task.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = { ...SENTIMENT_TASK, name: 'Tone', weights: { accuracy: 1 }, loop: { size: 0 } };
const N = 400;
const PAY = { amount: 2, currency: 'USD', minutes: 10 };

interface Pair {
  readonly datasets: readonly string[];
  readonly needed: { readonly value: number; readonly low: number; readonly high: number } | null;
  readonly neededOnBoard: { readonly value: number } | null;
  readonly why: string | null;
}

describe('the plan of the next round', () => {
  let world: ApiWorld;
  let owner: string;
  const plan = (slug: string, query = '', token?: string) =>
    world.call('GET', `/tasks/${slug}/plan${query}`, { ...(token !== undefined && { token }) });

  async function task(slug: string, more: object = {}): Promise<void> {
    const { status } = await world.call('POST', '/tasks', { token: owner, body: { ...TASK, slug, ...more } });
    expect(status).toBe(201);
  }

  async function dataset(slug: string, name: string, query: string): Promise<void> {
    const path = `/tasks/${slug}/datasets/${name}?${query}`;
    const more = (n: number) => ({ writer: `writer ${Math.floor(n / 10)}` });
    const body = sentimentLines(name, { count: N, web: 0, more });
    expect((await world.call('PUT', path, { token: owner, type: 'application/x-ndjson', body })).status).toBe(201);
  }

  const model = (slug: string, name: string, isRight: (index: number, dataset: string) => boolean) =>
    scoredModel(world, { slug, name, token: owner, bytes: `${slug} ${name}`, answer: answersWhere(isRight) });

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    await task('tone');
    await dataset('tone', 'all', 'visibility=public');
    await dataset('tone', 'later', 'role=round&round=1&visibility=hidden');
    await model('tone', 'one', (index) => index % 10 > 0);
    await model('tone', 'near', (index) => index % 10 !== 1);
    await model('tone', 'last', (index) => index % 10 < 7);
    expect(await publishBoard(world, 'tone')).not.toBeNull();
  }, 300_000);
  afterAll(() => world.close());

  it('names the models that could be first, and the examples that tell them apart', async () => {
    const { status, body } = await plan('tone', '?detect=4');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ...{ task: 'tone', performance: 'accuracy', unit: 'points', detect: 4, ranked: 3, pairsOnBoard: 3 },
      ...{ couldBeFirst: 2, minimumExamples: 100, writtenPerExample: null, toWrite: null, toWriteOnBoard: null },
    });
    expect((body.models as { model: { name: string } }[]).map((each) => each.model.name).toSorted()).toEqual([
      'near',
      'one',
    ]);
    const [pair, ...others] = body.pairs as Pair[];
    expect(others).toEqual([]);
    // the two differ on 20% of the examples, in both directions alike: σ² = 0.2 · n / (n − 1)
    const variance = (0.2 * N) / (N - 1);
    expect(pair).toMatchObject({ datasets: ['later'], difference: 0, examples: N, designEffect: 1, why: null });
    expect(pair!.needed!.value).toBe(Math.ceil(variance * (2.8 / 0.04) ** 2));
    expect(pair!.needed!.low).toBeLessThan(pair!.needed!.value);
    expect(pair!.needed!.high).toBeGreaterThan(pair!.needed!.value);
    expect(pair!.neededOnBoard!.value).toBeGreaterThan(pair!.needed!.value);
    expect(body).toMatchObject({ needed: pair!.needed, neededOnBoard: pair!.neededOnBoard });
    expect(body).not.toHaveProperty('costs');
  });

  it('needs four times as many examples for half the difference', async () => {
    const needed = async (detect: number) => (await plan('tone', `?detect=${detect}`)).body.needed.value as number;
    expect((await needed(2)) / (await needed(4))).toBeCloseTo(4, 1);
    expect((await plan('tone')).body.detect).toBe(2);
  });

  it.each(['0', '-1', 'few', '1e9'])('refuses to detect %s', async (detect) => {
    expect((await plan('tone', `?detect=${detect}`)).status).toBe(422);
  });

  it('takes clusters of examples into account', async () => {
    await task('clustered', { cluster: 'writer' });
    await dataset('clustered', 'all', 'visibility=public');
    // what one model gets wrong is all by the same writers
    await model('clustered', 'one', (index) => Math.floor(index / 10) % 10 !== 0);
    await model('clustered', 'other', (index) => Math.floor(index / 10) % 10 !== 1);
    await publishBoard(world, 'clustered');
    const { body } = await plan('clustered', '?detect=4');
    expect(body.pairs[0].designEffect).toBeGreaterThan(8);
    expect(body.needed.value).toBeGreaterThan(8 * 900);
  });

  it('has nothing to plan without models, with one model, and where answers do not differ', async () => {
    await task('bare');
    const none = { models: [], pairs: [], needed: null, neededOnBoard: null };
    expect(await plan('bare')).toMatchObject({ status: 200, body: { ...none, revision: null, ranked: 0 } });
    await dataset('bare', 'all', 'visibility=public');
    await model('bare', 'one', (index) => index % 7 > 0);
    await publishBoard(world, 'bare');
    const single = await plan('bare');
    expect(single.body).toMatchObject({ revision: 1, ranked: 1, couldBeFirst: 1, pairs: [], needed: null });
    await model('bare', 'same', (index) => index % 7 > 0);
    await publishBoard(world, 'bare');
    const { body } = await plan('bare');
    expect(body).toMatchObject({ ranked: 2, needed: null, neededOnBoard: null });
    expect(body.pairs).toEqual([
      expect.objectContaining({ needed: null, examples: 0, why: expect.stringMatching(/./) }),
    ]);
  });

  it('uses rounded scores for everybody but the owner where the task rounds them', async () => {
    await task('rounded', { disclosure: 'rounded' });
    await dataset('rounded', 'secret', 'visibility=hidden');
    await model('rounded', 'one', (index) => index % 10 > 0);
    await model('rounded', 'other', (index) => index % 10 !== 1);
    await publishBoard(world, 'rounded');
    const [shown, exact] = [await plan('rounded', '?detect=4'), await plan('rounded', '?detect=4', owner)];
    expect(shown.body).toMatchObject({ disclosure: 'rounded', pairs: [{ designEffect: null, needed: { low: null } }] });
    expect(exact.body).toMatchObject({ disclosure: 'exact', pairs: [{ designEffect: 1 }], costs: [] });
  });

  describe('with rounds that paid', () => {
    beforeAll(async () => {
      await world.user('worker');
      await world.user('volunteer');
      const { round, written } = await annotationFactory(world.orm, 'tone', 2);
      const em = world.orm.em.fork();
      const user = await em.findOneOrFail(User, { username: 'worker' });
      const link = em.create(CrowdLink, {
        round: round.id,
        ...{ platform: 'mturk', examples: 4, pay: PAY, onboarding: null, completionCode: null },
        ...{ frameAncestors: [], submitTo: [], expiresAt: new Date('2099-01-01'), closedAt: null },
      });
      const session = (assignment: string, state: CrowdSession['state'], more: object) =>
        em.create(CrowdSession, {
          ...{ link, user: user.id, platform: 'mturk', worker: 'W', assignment, hit: null, secretHash: null },
          ...{ submitTo: null, credential: null, state, hasPassed: true, endedAt: null, paid: null, examples: null },
          ...{ code: null, finishedAt: null, createdAt: new Date('2026-01-01T00:00:00Z'), ...more },
        });
      const endedAt = new Date('2026-01-01T01:00:00Z');
      session('done', 'finished', { endedAt, finishedAt: endedAt, paid: 2, examples: 4 });
      session('under-way', 'working', { createdAt: new Date('2026-01-02T00:00:00Z') });
      await em.flush();
      const during = { createdAt: new Date('2026-01-01T00:30:00Z') };
      for (const [outcome, fooled] of [
        ['validated', true],
        ['validated', false],
        ['rejected', true],
        ['pending', true],
      ] as const) {
        await written({ by: 'worker', outcome, fooled, ...during });
      }
      await written({ by: 'worker', outcome: 'validated', retractedAt: new Date(), ...during });
      await written({ by: 'worker', outcome: 'validated', createdAt: new Date('2026-01-02T00:30:00Z') });
      await written({ by: 'volunteer', outcome: 'validated', ...during });
      const first = await em.findOneOrFail(Round, { task: await em.findOneOrFail(Task, { slug: 'tone' }), number: 1 });
      em.create(RoundRelease, { round: first, part: 'test', dataset: 'later', examples: 2, content: '0'.repeat(64) });
      await em.flush();
      await annotated(first);
    });

    /** Adds six examples to a closed round. */
    async function annotated(round: Round): Promise<void> {
      const em = world.orm.em.fork();
      const annotator = (await em.findOneOrFail(User, { username: 'volunteer' })).id;
      for (let count = 0; count < 6; count++) {
        em.create(Annotation, {
          ...{ round: round.id, annotator, pseudonym: 'v', key: crypto.randomUUID(), source: 'written', input: {} },
          ...{ authorLabel: ['positive'], label: ['positive'], fooled: true, answers: [], answeredAt: new Date() },
        });
      }
      await em.flush();
    }

    it('shows the owner of the task what an example has cost', async () => {
      const costs = (number: number, token?: string) =>
        world.call('GET', `/tasks/tone/rounds/${number}/costs`, { ...(token !== undefined && { token }) });
      expect(await costs(2, owner)).toMatchObject({
        status: 200,
        body: {
          ...{ task: 'tone', round: 2 },
          items: [
            {
              ...{ currency: 'USD', paid: 2, sessions: 1, examples: 4, pending: 1, validated: 2, validatedFooling: 1 },
              ...{ perExample: 0.5, perValidated: 1, perValidatedFooling: 2 },
            },
          ],
        },
      });
      expect((await costs(1, owner)).body).toEqual({ task: 'tone', round: 1, items: [] });
      expect((await costs(2)).status).toBe(401);
      expect((await costs(2, await world.user('stranger'))).status).toBe(403);
      expect((await costs(9, owner)).status).toBe(404);
    });

    it('also in the data card, which has no pay for others', async () => {
      const task = await world.orm.em.fork().findOneOrFail(Task, { slug: 'tone' });
      await world.orm.em.fork().nativeUpdate(Round, { task, number: 2 }, { state: 'closed', closedAt: new Date() });
      const card = (accept: string, token?: string) =>
        world.call('GET', '/tasks/tone/rounds/2/data-card', {
          ...(token !== undefined && { token }),
          headers: { accept },
        });
      const { body } = await card('application/json', owner);
      expect(body.pay).toMatchObject([{ currency: 'USD', perValidated: 1 }]);
      expect((await card('text/markdown', owner)).body).toContain('| USD | 2.00 | 4 | 0.50 | 1.00 | 2.00 |');
      for (const token of [undefined, await world.user('stranger')]) {
        expect((await card('application/json', token)).body).not.toHaveProperty('pay');
        expect((await card('text/markdown', token)).body).not.toContain('USD');
      }
    });

    it('and expects the pay of the next round', async () => {
      const { body } = await plan('tone', '?detect=4', owner);
      // six examples were written for the two that rank
      expect(body).toMatchObject({ writtenPerExample: 3, toWrite: 3 * body.needed.value });
      expect(body.costs).toEqual([
        {
          currency: 'USD',
          perExample: 0.5,
          needed: 0.5 * body.toWrite,
          neededOnBoard: 0.5 * body.toWriteOnBoard,
        },
      ]);
      expect((await plan('tone', '?detect=4')).body).not.toHaveProperty('costs');
    });
  });
});
