import { Annotation, Assignment } from '@assay/collection/annotating';
import { Context } from '@assay/collection/rounds';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { LockMode } from '@mikro-orm/postgresql';
import { type AnnotatingRound, annotatingRound, answerBy } from '../../factories/worlds/annotating-world.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const NLI = {
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' as const },
    { name: 'hypothesis', type: 'text' as const },
  ],
  output: { name: 'label', type: 'label' as const, labels: ['entailment', 'neutral', 'contradiction'] },
  performance: 'accuracy' as const,
};
const MANY = 10_000;
const PEOPLE = 10;
const EACH = 20;

describe('annotating at once', () => {
  let world: ApiWorld;
  let people = 0;
  let tasks = 0;

  beforeAll(async () => {
    world = await apiWorld();
  }, 300_000);
  afterAll(() => world.close());
  beforeEach(() => answerBy(world, () => ({ answer: 'neutral', probabilities: [0.2, 0.6, 0.2] })));

  const person = () => world.user(`person-${++people}`);
  const round = (contexts: number) =>
    annotatingRound(world, {
      definition: { ...NLI, slug: `nli-${++tasks}` },
      contexts: Array.from({ length: contexts }, (_, n) => ({ content: { context: `Story ${n}.` } })),
    });
  const annotations = (contextId: string) => world.orm.em.fork().find(Annotation, { context: contextId });
  const example = (context: string, key: string) => ({
    key,
    context,
    input: { hypothesis: `Written under the key ${key}.` },
    label: 'entailment',
  });

  it('takes a double click for one example', async () => {
    const one = await round(1);
    const token = await person();
    const { context } = (await one.next(token)).body;
    const clicks = await Promise.all(Array.from({ length: 6 }, () => one.write(token, example(context.id, 'click'))));

    expect(new Set(clicks.map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body } of clicks) {
      expect([200, 201]).toContain(status);
      expect(body).toMatchObject({ fooled: true, answers: [{ answer: 'neutral' }] });
    }
    expect(await annotations(context.id)).toHaveLength(1);
    const em = world.orm.em.fork();
    expect(await em.findOneOrFail(Context, context.id)).toMatchObject({ annotations: 1, fooled: 1 });
    const told = await em.find(OutboxEvent, { type: 'annotation.submitted' });
    expect(told.filter(({ payload }) => payload['annotationId'] === clicks[0]!.body.id)).toHaveLength(1);
  });

  it('gives two browsers of one person the same context, and takes one example of them', async () => {
    const several = await round(5);
    const token = await person();
    const given = await Promise.all(Array.from({ length: 6 }, () => several.next(token)));
    expect(new Set(given.map(({ body }) => body.context.id)).size).toBe(1);
    const { id } = given[0]!.body.context;

    const sent = await Promise.all(['a', 'b', 'c'].map((browser) => several.write(token, example(id, browser))));
    expect(sent.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect(sent.filter(({ status }) => status === 409).map(({ body }) => body.code)).toEqual([
      'already_sent',
      'already_sent',
    ]);
    expect(await annotations(id)).toHaveLength(1);
  });

  it('gives the last context to one of two people', async () => {
    const one = await round(1);
    const tokens = await Promise.all(Array.from({ length: 6 }, person));
    const given = await Promise.all(tokens.map((token) => one.next(token)));
    expect(given.map(({ status }) => status).sort()).toEqual([200, 503, 503, 503, 503, 503]);
    const context = one.contexts[0]!;
    const sent = await Promise.all(tokens.map((token) => one.write(token, example(context, 'a'))));
    expect(sent.map(({ status, body }) => (status === 201 ? 201 : body.code)).sort()).toEqual([
      201,
      ...Array.from({ length: 5 }, () => 'no_assignment'),
    ]);
    expect(await annotations(context)).toHaveLength(1);
  });

  it('takes one of what one person sends under one key for two contexts', async () => {
    const two = await round(2);
    const token = await person();
    const first = (await two.next(token)).body.context.id;
    const second = two.contexts.find((id) => id !== first)!;
    const em = world.orm.em.fork();
    const shown = await em.findOneOrFail(Assignment, { context: first });
    em.create(Assignment, {
      round: shown.round,
      user: shown.user,
      context: second,
      state: 'expired',
      expiresAt: new Date(),
    });
    await em.flush();
    const sent = await Promise.all([first, second].map((context) => two.write(token, example(context, 'same'))));
    expect(sent.map(({ status, body }) => (status === 201 ? 201 : body.code)).sort()).toEqual([201, 'key_reused']);
  });

  it('counts what was sent before a round closes, and answers the rest clearly', async () => {
    const closing = await round(20);
    const tokens = await Promise.all(Array.from({ length: 10 }, person));
    const given = await Promise.all(tokens.map((token) => closing.next(token)));
    const sending = tokens.map((token, index) => closing.write(token, example(given[index]!.body.context.id, 'a')));
    await world.orm.em.fork().transactional(async (em) => {
      const locked = await em.findOneOrFail(Round, closing.roundId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      locked.state = 'closing';
      locked.closingStep = 'settle';
    });
    const before = await world.orm.em.fork().count(Annotation, { round: closing.roundId });
    const sent = await Promise.all(sending);

    expect(sent.filter(({ status }) => status === 201)).toHaveLength(before);
    for (const { status, body } of sent) if (status !== 201) expect(body.code).toBe('round_closed');
    expect(await world.orm.em.fork().count(Annotation, { round: closing.roundId, answeredAt: { $ne: null } })).toBe(
      before,
    );
  });

  it(`hands out and takes examples in milliseconds, of ${MANY} contexts`, async () => {
    const large: AnnotatingRound = await round(MANY);
    const tokens = await Promise.all(Array.from({ length: PEOPLE }, person));
    const times = { next: [] as number[], write: [] as number[] };
    const given = new Set<string>();
    const timed = async <T>(into: number[], act: () => Promise<T>): Promise<T> => {
      const start = performance.now();
      const result = await act();
      into.push(performance.now() - start);
      return result;
    };
    await Promise.all(
      tokens.map(async (token) => {
        for (let key = 0; key < EACH; key++) {
          const { body } = await timed(times.next, () => large.next(token));
          given.add(body.context.id);
          const sent = await timed(times.write, () => large.write(token, example(body.context.id, `${key}`)));
          expect(sent.status).toBe(201);
        }
      }),
    );
    const at = (values: number[], share: number) =>
      values.toSorted((a, b) => a - b)[Math.floor(share * values.length)]!.toFixed(0);
    for (const [what, values] of Object.entries(times)) {
      console.log(`${what}, ${PEOPLE} people at once: p50 ${at(values, 0.5)} ms, p95 ${at(values, 0.95)} ms`);
    }
    expect(given.size).toBe(PEOPLE * EACH);
  }, 300_000);
});
