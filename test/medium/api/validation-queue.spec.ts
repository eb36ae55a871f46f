import { Annotation } from '@assay/collection/annotating';
import { ASSIGNED_MILLISECONDS, roundAgreement, Validation } from '@assay/collection/validating';
import { databaseOptions } from '@assay/persistence';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import fc from 'fast-check';
import { migrations } from '../../../apps/api/migrations/index.js';
import { type AnnotationFactory, annotationFactory } from '../../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'neutral', 'positive'] },
  performance: 'accuracy',
};
const PEOPLE = ['ada', 'bob', 'cem', 'dua'] as const;
const VALIDATIONS = 2;
const NON_FOOLING = 0.3;

describe('the queue of validators', () => {
  let world: ApiWorld;
  const tokens: Record<string, string> = {};
  let tasks = 0;

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['owner', 'eve', 'fay', ...PEOPLE]) tokens[name] = await world.user(name);
  }, 300_000);
  afterAll(() => world.close());

  async function task(collection: object, definition: object = {}): Promise<{ slug: string; made: AnnotationFactory }> {
    const slug = `sentiment-${tasks++}`;
    const body = { slug, ...TASK, ...definition, collection };
    expect((await world.call('POST', '/tasks', { token: tokens['owner'], body })).status).toBe(201);
    return { slug, made: await annotationFactory(world.orm, slug) };
  }
  const written = (made: AnnotationFactory, by: string, given: object = {}): Promise<Annotation> =>
    made.written({ by, authorLabel: ['positive'], label: ['positive'], answeredAt: new Date(), ...given });
  const validate = async (slug: string, who: string, label: unknown = 'positive'): Promise<string | null> => {
    const token = tokens[who];
    const { status, body } = await world.call('POST', `/tasks/${slug}/validate/next`, { token });
    if (status === 404) return null;
    const answered = await world.call('POST', `/annotations/${body.id}/validations`, { token, body: { label } });
    const verdict = answered.body.agrees ? { verdict: 'correct' } : { verdict: 'incorrect', label };
    const given = await world.call('PATCH', `/validations/${answered.body.id}`, { token, body: verdict });
    expect(given.status).toBe(200);
    return body.id as string;
  };

  it('hands nobody their own, nothing twice, nothing in vain, and enough that fooled nobody', async () => {
    const examples = fc.array(fc.record({ by: fc.constantFrom(...PEOPLE), fooled: fc.boolean() }), { maxLength: 12 });
    const turns = fc.array(fc.constantFrom(...PEOPLE), { minLength: 10, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(examples, turns, async (given, order) => {
        const { slug, made } = await task({ validations: VALIDATIONS, nonFooling: NON_FOOLING });
        const all = new Map<string, { by: string; fooled: boolean; seenBy: string[] }>();
        for (const { by, fooled } of given) {
          all.set((await written(made, by, { fooled })).id, { by, fooled, seenBy: [] });
        }
        for (const who of order) {
          const left = [...all.values()].filter(
            ({ by, seenBy }) => by !== who && !seenBy.includes(who) && seenBy.length < VALIDATIONS,
          );
          const id = await validate(slug, who);
          expect(id === null).toBe(left.length === 0);
          if (id === null) continue;

          const item = all.get(id)!;
          expect(left).toContain(item);
          item.seenBy.push(who);
          const seen = [...all.values()].filter(({ seenBy }) => seenBy.includes(who));
          const others = seen.filter(({ fooled }) => !fooled).length;
          expect(others >= NON_FOOLING * seen.length || left.every(({ fooled }) => fooled)).toBe(true);
        }
      }),
      { numRuns: 5 },
    );
  }, 300_000);

  it('spreads validations: what has the fewest comes first', async () => {
    const { slug, made } = await task({ validations: 3 });
    for (let index = 0; index < 6; index++) await written(made, 'dua');
    const first = [await validate(slug, 'ada'), await validate(slug, 'ada'), await validate(slug, 'ada')];
    const second = [await validate(slug, 'bob'), await validate(slug, 'bob'), await validate(slug, 'bob')];
    expect(new Set([...first, ...second]).size).toBe(6);
  });

  it('serves many at once without handing out more than is needed', async () => {
    const { slug, made } = await task({ validations: VALIDATIONS });
    for (let index = 0; index < 10; index++) await written(made, 'dua');
    const people = ['ada', 'bob', 'cem'];
    // each of them from as many browsers as there are examples
    for (let turn = 0; turn < 10; turn++) await Promise.all(people.map((who) => validate(slug, who)));
    const em = world.orm.em.fork();
    const found = await em.find(Annotation, { round: made.round.id });
    expect(new Set(found.map(({ outcome }) => outcome))).toEqual(new Set(['validated']));
    expect(await em.count(Validation, { annotation: { round: made.round.id } })).toBe(10 * VALIDATIONS);
  });

  it('gives 20 concurrent validators an example each, and assigns none more often than it needs', async () => {
    const crowd = Array.from({ length: 20 }, (_, index) => `validator-${index}`);
    for (const name of crowd) tokens[name] ??= await world.user(name);
    const state = fc.record({ correct: fc.nat(2), incorrect: fc.nat(1), expired: fc.nat(2), open: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.array(state, { maxLength: 9 }), async (needed, states) => {
        const { slug, made } = await task({ validations: needed, mostValidations: needed + 1 });
        let room = 0;
        for (const given of states) {
          const correct = Math.min(given.correct, needed - 1);
          const incorrect = Math.min(given.incorrect, needed - 1);
          const annotation = await written(made, 'dua');
          const people = ['ada', 'bob', 'cem', 'owner', 'eve', 'fay'].values();
          const validated = (more: object) => made.validated(annotation, { by: people.next().value!, ...more });
          for (let index = 0; index < correct; index++) await validated({});
          for (let index = 0; index < incorrect; index++) await validated({ verdict: 'incorrect' });
          const assigned = { label: null, verdict: null, answeredAt: null };
          for (let index = 0; index < given.open; index++) await validated(assigned);
          const createdAt = new Date(Date.now() - ASSIGNED_MILLISECONDS - 1);
          for (let index = 0; index < given.expired; index++) await validated({ ...assigned, createdAt });
          const missing = Math.min(needed - Math.max(correct, incorrect), needed + 1 - correct - incorrect);
          room += Math.max(0, Math.max(1, missing) - given.open);
        }

        const path = `/tasks/${slug}/validate/next`;
        const answers = await Promise.all(crowd.map((who) => world.call('POST', path, { token: tokens[who] })));
        const codes = answers.map(({ status, body }) => (status === 200 ? 'assigned' : body.code));
        expect(codes.filter((code) => code === 'assigned')).toHaveLength(Math.min(room, crowd.length));
        expect(new Set(codes.filter((code) => code !== 'assigned')).size).toBe(room < crowd.length ? 1 : 0);
      }),
      {
        numRuns: 6,
        examples: [
          [3, []],
          [1, [{ correct: 0, incorrect: 0, expired: 2, open: 0 }]],
        ],
      },
    );
  }, 300_000);

  it('counts the verdicts of validators, also those from before they were counted', async () => {
    const { slug, made } = await task({ validations: 3 });
    const { id } = await written(made, 'dua');
    await validate(slug, 'ada');
    await validate(slug, 'bob', 'negative');
    await world.call('POST', `/tasks/${slug}/validate/next`, { token: tokens['cem'] });
    const counted = async () => (await world.orm.em.fork().findOneOrFail(Annotation, id)).verdictCount;
    expect(await counted()).toBe(2);

    const owner = await MikroORM.init({
      ...databaseOptions({ url: world.ownerUrl, entities: [Round], migrations, poolMax: 1 }),
      logger: () => undefined,
    });
    await owner.em.execute('alter table annotation drop column verdict_count');
    await owner.em.execute(`delete from mikro_orm_migrations where name = 'Migration20261130150000CountVerdicts'`);
    await owner.migrator.up();
    await owner.close();
    expect(await counted()).toBe(2);
  });

  it('tells the owner how each validator does: by what was agreed on, and by checks', async () => {
    const { slug, made } = await task({ validations: 2, mostValidations: 3 });
    await written(made, 'dua', { fooled: false });
    await validate(slug, 'ada');
    await validate(slug, 'bob', 'negative');
    await validate(slug, 'cem');
    await written(made, 'dua', { isCheck: true, fooled: null, answeredAt: null });
    await validate(slug, 'ada');
    await validate(slug, 'bob', 'neutral');

    const path = `/tasks/${slug}/rounds/1/validators`;
    const { status, body } = await world.call('GET', path, { token: tokens['owner'] });
    expect(status).toBe(200);
    const figures = { handedOut: 2, answered: 2, decided: 1, checks: 1, nonFooling: 1 };
    const good = { ...figures, agreement: 1, checkRate: 1, medianSeconds: expect.any(Number) };
    expect(body.items).toHaveLength(3);
    expect(body.items).toContainEqual({ ...good, pseudonym: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(body.items).toContainEqual(expect.objectContaining({ ...figures, agreement: 0, checkRate: 0 }));
    expect(body.items).toContainEqual(expect.objectContaining({ answered: 1, checks: 0, checkRate: null }));

    expect((await world.call('GET', path, { token: tokens['ada'] })).body.code).toBe('not_the_owner');
    expect((await world.call('GET', path)).status).toBe(401);
    const elsewhere = await world.call('GET', `/tasks/${slug}/rounds/7/validators`, { token: tokens['owner'] });
    expect(elsewhere.body.code).toBe('not_found');
  });

  describe('agreement of a round', () => {
    const agreementOf = async ({ round }: AnnotationFactory) => {
      const em = world.orm.em.fork();
      return roundAgreement(em, await em.findOneOrFail(Round, round.id, { populate: ['task'] }));
    };

    it('is of the labels given blind, checks and owners left out', async () => {
      const { made } = await task({});
      for (const labels of [
        ['positive', 'positive'],
        ['negative', 'neutral'],
        ['negative', 'negative'],
      ]) {
        const annotation = await written(made, 'dua');
        for (const [place, label] of labels.entries()) {
          await made.validated(annotation, { by: PEOPLE[place]!, label: [label] });
        }
        await made.validated(annotation, { by: 'owner', label: ['neutral'], byOwner: true });
      }
      const check = await written(made, 'dua', { isCheck: true });
      await made.validated(check, { by: 'ada', label: ['positive'] });
      await made.validated(check, { by: 'bob', label: ['neutral'] });
      // by hand: differences within 2 of 6; between 36 − (2² + 3² + 1²) = 22; 1 − 5 · 2 / 22
      expect(await agreementOf(made)).toMatchObject({ of: 'labels', units: 3, ratings: 6 });
      expect((await agreementOf(made))!.alpha.value).toBeCloseTo(1 - 10 / 22, 12);
    });

    it('is by distance for numbers, and by verdicts for texts', async () => {
      const numbers = await task({}, { output: { name: 'value', type: 'number' }, performance: 'mae' });
      for (const [one, other] of [
        ['1', '2'],
        ['10', '10'],
      ]) {
        const annotation = await written(numbers.made, 'dua', { authorLabel: ['1'], label: ['1'] });
        await numbers.made.validated(annotation, { by: 'ada', label: [one!] });
        await numbers.made.validated(annotation, { by: 'bob', label: [other!] });
      }
      // within 2 · 1; between 2 · (4 · 205 − 23²) = 582; 1 − 3 · 2 / 582
      expect((await agreementOf(numbers.made))!.alpha.value).toBeCloseTo(1 - 6 / 582, 12);

      const texts = await task({}, { output: { name: 'reply', type: 'text' }, performance: 'exact_match' });
      const annotation = await written(texts.made, 'dua');
      await texts.made.validated(annotation, { by: 'ada', label: ['hello'], verdict: 'correct' });
      await texts.made.validated(annotation, { by: 'bob', label: ['hi'], verdict: 'flagged' });
      expect(await agreementOf(texts.made)).toMatchObject({ of: 'verdicts', units: 1, alpha: { value: 0 } });
    });

    it('counts what two sets of labels have in common', async () => {
      const output = { name: 'tags', type: 'labels' as const, labels: ['a', 'b', 'c'] };
      const { made } = await task({}, { output, performance: 'accuracy' });
      for (const sets of [
        ['["a","b"]', '["a"]'],
        ['["b","c"]', '["b","c"]'],
      ]) {
        const annotation = await written(made, 'dua', { authorLabel: ['["a"]'], label: ['["a"]'] });
        for (const [place, set] of sets.entries()) {
          await made.validated(annotation, { by: PEOPLE[place]!, label: [set] });
        }
      }
      // 1 − MASI: {a, b} and {a} 1/2 · 2/3; {a, b} and {b, c} 1/3 · 1/3; {a} and {b, c} 0
      const within = 2 * (1 - 1 / 3);
      const between = 2 * (1 - 1 / 3 + 2 * (1 - 1 / 9) + 2);
      expect((await agreementOf(made))!.alpha.value).toBeCloseTo(1 - (3 * within) / between, 12);
    });

    it('is nothing before two have said anything of the same example', async () => {
      const { made } = await task({});
      await made.validated(await written(made, 'dua'), { by: 'ada', label: ['positive'] });
      expect(await agreementOf(made)).toBeNull();
    });
  });
});
