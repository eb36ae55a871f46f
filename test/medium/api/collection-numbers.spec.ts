import { humanFigures } from '@assay/collection/statistics';
import { Validation } from '@assay/collection/validating';
import { type CollectionFigures, type CollectionGroup, type NumbersBy } from '@assay/contracts/annotating';
import { ANNOTATION_OUTCOMES } from '@assay/contracts/collection';
import { User } from '@assay/identity';
import { Round, Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { type Plant, type Planted, plantAnnotations } from '../../factories/collection/planted-annotations.js';
import { studentT95 } from '../../../libs/scoring/src/intervals/student-t.js';
import { until } from '../../factories/until.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};
const PEOPLE = ['anna', 'ben', 'carla', 'dora', 'emil', 'finn'];
const FIGURES = ['submitted', 'retracted', 'annotators', ...ANNOTATION_OUTCOMES, 'withoutModel', 'unknown'] as const;

describe('numbers of collection', () => {
  let world: ApiWorld;
  const tokens: Record<string, string | undefined> = { nobody: undefined };
  let planted: readonly Planted[];
  let models: readonly string[];

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['owner', 'builder', ...PEOPLE]) tokens[name] = await world.user(name);
    expect((await world.call('POST', '/tasks', { token: tokens['owner'], body: TASK })).status).toBe(201);
    models = [await submitted('Shown', true), await submitted('Unpublished', false)];
    planted = await plantAnnotations(world, 'tone', plants());
  }, 300_000);
  afterAll(() => world.close());

  async function submitted(name: string, publish: boolean): Promise<string> {
    const body = { name, kind: 'container', publish };
    return (await world.call('POST', '/tasks/tone/models', { token: tokens['builder'], body })).body.id as string;
  }

  /**
   * Returns 400 examples in two rounds, by annotators of uneven activity. Every field takes each of
   * its values, and no two fields vary together.
   */
  function plants(): Plant[] {
    return Array.from({ length: 400 }, (_, n): Plant => {
      const isControl = n % 11 === 3;
      return {
        round: n % 7 < 4 ? 1 : 2,
        by: PEOPLE[n % 10 < 6 ? 0 : n % 10 < 8 ? 1 : n % 10 < 9 ? 2 : 3 + (Math.floor(n / 10) % 3)]!,
        target: isControl ? null : models[n % 5 < 3 ? 0 : 1]!,
        tags: n === 6 ? ['rare'] : [`tag${n % 3}`, ...(n % 4 === 0 ? ['fourth'] : [])],
        condition: n % 6 === 0 ? null : n % 6 < 4 ? 'prompt' : 'free',
        day: `2026-02-0${1 + (n % 4)}`,
        fooled: isControl || n % 37 === 1 ? null : (n * n) % 13 < (n % 10 < 6 ? 3 : 8),
        outcome: ANNOTATION_OUTCOMES[(n * 3) % 17 < 9 ? 1 : (n * 3) % 5]!,
        seconds: n % 9 === 4 ? null : ((n * 29) % 211) / 4,
        editDistance: n % 3 === 0 ? (n * 31) % 97 : null,
        isExplained: n % 8 < 3,
        isRetracted: n % 19 === 7,
        isCheck: n % 23 === 5,
        isAttested: n % 13 === 9,
      };
    });
  }

  const get = (role: string, path: string) => world.call('GET', path, { token: tokens[role] });

  it('of a round are as they are counted by hand', async () => {
    for (const number of [1, 2]) {
      const { status, body } = await get('nobody', `/tasks/tone/rounds/${number}/numbers`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ task: 'tone', round: number, groups: [] });
      expectFigures(
        body.total as CollectionFigures,
        planted.filter((each) => each.round === number),
      );
    }
  });

  it.each<[NumbersBy, (each: Planted) => readonly (string | null)[]]>([
    ['round', ({ round }) => [String(round)]],
    ['target', ({ target }) => [target]],
    ['annotator', ({ pseudonym }) => [pseudonym]],
    ['tag', ({ tags }) => tags],
    ['condition', ({ condition }) => [condition]],
    ['day', ({ day }) => [day]],
  ])('by %s are as they are counted by hand, of a task and of a round', async (by, keysOf) => {
    for (const [path, rows] of [
      ['/tasks/tone/numbers', planted],
      ['/tasks/tone/rounds/2/numbers', planted.filter(({ round }) => round === 2)],
    ] as const) {
      const { status, body } = await get('owner', `${path}?by=${by}`);
      expect(status).toBe(200);
      expectFigures(body.total as CollectionFigures, rows);
      const groups = body.groups as CollectionGroup[];
      const keys = new Set(rows.filter(({ isCheck }) => !isCheck).flatMap(keysOf));
      expect(new Set(groups.map(({ key }) => key))).toEqual(keys);
      expect(groups).toHaveLength(keys.size);
      for (const { key, ...figures } of groups) {
        expectFigures(
          figures,
          rows.filter((each) => keysOf(each).includes(key)),
          by === 'annotator',
        );
      }
    }
  });

  it('name the models by target to a user who may see them, once the round is closed', async () => {
    const names = async (role: string) => {
      const { body } = await get(role, '/tasks/tone/rounds/1/numbers?by=target');
      return (body.groups as CollectionGroup[]).map(({ model }) => model?.name ?? null);
    };

    expect((await names('owner')).toSorted()).toEqual(['Shown', 'Unpublished', null]);
    expect((await names('builder')).toSorted()).toEqual(['Shown', 'Unpublished', null]);
    expect((await names('anna')).toSorted()).toEqual(['Shown', null, null]);
  });

  it('tell nobody but the owner by target while a round is open', async () => {
    for (const role of ['nobody', 'anna', 'builder']) {
      const { status, body } = await get(role, '/tasks/tone/rounds/2/numbers?by=target');
      expect([status, body.code]).toEqual([403, 'targets_hidden']);
      const ofTask = (await get(role, '/tasks/tone/numbers?by=target')).body;
      expect(ofTask.leftOut.rounds).toEqual([2]);
      expectFigures(ofTask.total as CollectionFigures, planted);
      const shown = (ofTask.groups as CollectionGroup[]).reduce((sum, { submitted }) => sum + submitted, 0);
      expect(shown).toBe(standing(planted.filter(({ round }) => round === 1)).length);
    }
    expect((await get('owner', '/tasks/tone/numbers?by=target')).body.leftOut.rounds).toEqual([]);
    expect((await get('owner', '/tasks/tone/rounds/2/numbers?by=target')).status).toBe(200);
  });

  it('show an annotator themselves alone, and nobody who is not signed in', async () => {
    const { body } = await get('anna', '/tasks/tone/numbers?by=annotator');
    const own = planted.filter(({ by }) => by === 'anna');

    expect((body.groups as CollectionGroup[]).map(({ key }) => key)).toEqual([own[0]!.pseudonym]);
    expectFigures((body.groups as CollectionGroup[])[0]!, own, true);
    expectFigures(body.total as CollectionFigures, planted);
    expect((await get('builder', '/tasks/tone/numbers?by=annotator')).body.groups).toEqual([]);
    expect(await get('nobody', '/tasks/tone/numbers?by=annotator')).toMatchObject({
      status: 401,
      body: { code: 'sign_in' },
    });
  });

  it('keep tags of a few examples to the owner', async () => {
    const keys = async (role: string) => {
      const { body } = await get(role, '/tasks/tone/numbers?by=tag');
      return [(body.groups as CollectionGroup[]).map(({ key }) => key), body.leftOut.groups as number];
    };

    expect(await keys('anna')).toEqual([['fourth', 'tag0', 'tag1', 'tag2'], 1]);
    expect(await keys('owner')).toEqual([['fourth', 'rare', 'tag0', 'tag1', 'tag2'], 0]);
  });

  it.each([
    ['/tasks/tone/rounds/9/numbers', 404, 'not_found'],
    ['/tasks/tone/rounds/x/numbers', 404, 'not_found'],
    ['/tasks/none/numbers', 404, 'not_found'],
    ['/tasks/tone/numbers?by=mood', 422, 'validation_failed'],
    ['/tasks/tone/trend?models=0', 422, 'validation_failed'],
    ['/tasks/tone/saturation', 404, 'no_board_yet'],
  ])('of %s are refused', async (path, status, code) => {
    expect(await get('owner', path)).toMatchObject({ status, body: { code } });
  });

  it('of a task without annotations are nothing', async () => {
    const body = { ...TASK, slug: 'empty' };
    await world.call('POST', '/tasks', { token: tokens['owner'], body });

    const numbers = (await get('nobody', '/tasks/empty/numbers?by=day')).body;

    expect(numbers.groups).toEqual([]);
    expectFigures(numbers.total as CollectionFigures, []);
  });

  it('are in the overview, with the tasks that have none', async () => {
    const { status, body } = await get('nobody', '/overview');
    const here = standing(planted.filter(({ isAttested }) => !isAttested));
    const attested = planted.filter((each) => each.isAttested && !each.isCheck && !each.isRetracted);

    expect(status).toBe(200);
    const [tone] = (body.items as { task: string; vmer: object }[]).filter(({ task }) => task === 'tone');
    expect(tone).toMatchObject({
      name: 'Tone',
      rounds: 2,
      openRound: 2,
      examples: here.length + attested.length,
      // the overview has no intervals
      vmer: { ...validatedRate(here), low: null, high: null },
      models: 0,
      leaders: [],
      saturation: null,
    });
  });

  it('are sent to users who watch the service', async () => {
    const metrics = await (await fetch(`${world.url}/metrics`)).text();

    expect(metrics).toContain('assay_rounds{state="open"} 1');
    expect(metrics).toContain('assay_rounds{state="closed"} 1');
    const pending = planted.filter(({ outcome }) => outcome === 'pending').length;
    expect(metrics).toContain(`assay_annotations{outcome="pending"} ${pending}`);
    expect(metrics).toContain('assay_validations_waiting 0');
  });

  it('have people among them: one validator left out against the others, over all that was submitted', async () => {
    const em = world.orm.em.fork();
    const users = await em.find(User, { username: { $in: ['owner', 'builder', ...PEOPLE] } });
    const given: Record<string, string> = { owner: 'negative', builder: 'positive', anna: 'positive', ben: 'positive' };
    const judged = planted.filter(({ round }) => round === 1);
    for (const [place, { id }] of judged.entries()) {
      for (const user of users) {
        const answer = given[user.username];
        if (answer === undefined) continue;
        em.create(Validation, {
          annotation: id,
          validator: user,
          pseudonym: user.username,
          // ben gives another answer on every third example, and flags every fifth
          label: [place % 3 === 0 && user.username === 'ben' ? 'negative' : answer],
          verdict: place % 5 === 0 && user.username === 'ben' ? 'flagged' : 'correct',
          byOwner: user.username === 'owner',
        });
      }
    }
    await em.flush();
    const round = await em.findOneOrFail(Round, { number: 1, task: { slug: 'tone' } }, { populate: ['task'] });

    const { accuracy } = (await humanFigures(em, round))!;

    // builder, anna and ben answer alike: 3 of 3. Ben differs: only his answer has two others that
    // agree, so 0 of 1. Ben flags: two are left
    const counted = judged.flatMap(({ isCheck, isRetracted }, place) => (isCheck || isRetracted ? [] : [place]));
    const kept = counted.filter((place) => place % 5 !== 0);
    const alike = kept.filter((place) => place % 3 !== 0).length;
    const n = 3 * alike + (kept.length - alike);
    expect(accuracy).toMatchObject({ n, value: expect.closeTo((3 * alike) / n, 12) });
    expect(accuracy!.low).toBeLessThan(accuracy!.value);
    // a slow answer of a test above, before the verdicts, may still be cached
    await until(async () => (await get('nobody', '/tasks/tone/rounds/1/numbers')).body.agreement !== null);
    const { body } = await get('nobody', '/tasks/tone/rounds/1/numbers');
    expect(body.agreement).toMatchObject({ of: 'labels', units: counted.length });
    expect(body.agreement.alpha.value).toBeLessThan(1);
    expect((await get('nobody', '/tasks/tone/rounds/2/numbers')).body.agreement).toBeNull();
    const empty = await em.findOneOrFail(Task, { slug: 'empty' });
    const other = em.create(Round, { task: empty, number: 1, state: 'closed', imported: false });
    await em.flush();
    expect(await humanFigures(em, other)).toBeNull();
  });
});

const standing = (rows: readonly Planted[]) =>
  rows.filter((each) => !each.isCheck && !each.isRetracted && !each.isAttested);
const validated = ({ outcome }: Planted) => outcome === 'validated';
const knows = ({ fooled }: Planted) => fooled !== null;
const validatedRate = (rows: readonly Planted[], isOfOne = false) => ({
  ...rate(rows, validated, isOfOne),
  pending: rows.filter((each) => knows(each) && each.outcome === 'pending').length,
});

function expectFigures(figures: CollectionFigures, all: readonly Planted[], isOfOne = false): void {
  const counted = all.filter(({ isCheck }) => !isCheck);
  const rows = standing(counted);
  const attested = counted.filter(({ isAttested, isRetracted }) => isAttested && !isRetracted);
  const { seconds, editDistance, explained } = figures;
  const times = rows.flatMap((each) => each.seconds ?? []);
  const distances = rows.flatMap((each) => each.editDistance ?? []);
  expect(Object.fromEntries(FIGURES.map((name) => [name, figures[name]]))).toEqual({
    submitted: rows.length,
    retracted: counted.filter((each) => each.isRetracted && !each.isAttested).length,
    annotators: new Set(rows.map(({ by }) => by)).size,
    ...outcomes(rows),
    withoutModel: rows.filter(({ target }) => target === null).length,
    unknown: rows.filter(({ target, fooled }) => target !== null && fooled === null).length,
  });
  const every = () => true;
  expect(figures.mer).toEqual(rate(rows, every, isOfOne));
  expect(figures.vmer).toEqual(validatedRate(rows, isOfOne));
  expect(figures.errorRateAmongValidated).toEqual(rate(rows.filter(validated), every, isOfOne));
  expect(figures.yield).toEqual(
    rate(
      rows.filter(({ outcome }) => outcome !== 'pending'),
      validated,
      isOfOne,
    ),
  );
  expect(seconds.n).toBe(times.length);
  expect([seconds.lowerQuartile, seconds.median, seconds.upperQuartile]).toEqual(
    [0.25, 0.5, 0.75].map((share) => quantile(times, share)),
  );
  expect(editDistance).toEqual({ n: distances.length, median: quantile(distances, 0.5) });
  const share = rows.filter(({ isExplained }) => isExplained).length;
  expect(explained).toEqual({
    numerator: share,
    denominator: rows.length,
    value: rows.length === 0 ? null : share / rows.length,
  });
  expect(figures.attested).toEqual({
    examples: attested.length,
    ...outcomes(attested),
    validatedFooling: attested.filter((each) => each.fooled && validated(each)).length,
  });
}

const outcomes = (rows: readonly Planted[]) =>
  Object.fromEntries(ANNOTATION_OUTCOMES.map((name) => [name, rows.filter(({ outcome }) => outcome === name).length]));

/**
 * The expected rate of fooling examples that satisfy `counts`, among those whose result is known,
 * with the Wilson interval at the effective sample size. Examples are clustered by annotator and by
 * context; those of one annotator by context.
 */
function rate(all: readonly Planted[], counts: (each: Planted) => boolean = () => true, isOfOne = false) {
  const rows = all.filter(knows);
  const is = (each: Planted) => each.fooled === true && counts(each);
  const [k, n] = [rows.filter(is).length, rows.length];
  if (n === 0) return { numerator: 0, denominator: 0, value: null, low: null, high: null };
  const p = k / n;
  const bare = { numerator: k, denominator: n, value: p };
  const spreadBy = (keyOf: (each: Planted) => string) => {
    const clusters = [...Map.groupBy(rows, keyOf).values()];
    const shares = clusters.map((cluster) => cluster.length / n);
    const squares = clusters.map(
      (cluster, place) => (cluster.filter(is).length - p * cluster.length) ** 2 / (1 - shares[place]!),
    );
    const leverages = shares.map((share) => share ** 2 / (1 - share));
    const freedom = 1 / (squared(shares) + sum(leverages) ** 2 - squared(leverages));
    return {
      count: clusters.length,
      sizes: clusters.map(({ length }) => length),
      variance: sum(squares) / n ** 2,
      freedom,
    };
  };
  const [people, contexts, both] = [
    spreadBy(({ by }) => by),
    spreadBy(contextOf),
    spreadBy((each) => `${each.by} ${contextOf(each)}`),
  ];
  const crossed = {
    count: Math.min(people.count, contexts.count),
    variance: Math.max(people.variance + contexts.variance - both.variance, people.variance, contexts.variance),
    freedom: Math.min(
      ...[people, contexts].map((way) => (way.freedom + correlated(way.sizes, way.variance, both.variance)) / 2),
    ),
  };
  const isNested = both.count === contexts.count || both.count === people.count;
  const wider = both.count === contexts.count ? people : contexts;
  const { count, variance, freedom } = isOfOne ? contexts : isNested ? wider : crossed;
  // examples of different contexts are independent
  const isIndependent = isOfOne && contexts.count === n;
  if (count < 5 && !isIndependent) return { ...bare, low: null, high: null };
  const z = 1.959963984540054;
  const widened = variance * (studentT95(freedom) / z) ** 2;
  const isEdge = k === 0 || k === n;
  const size = isIndependent ? n : isEdge ? count : n / Math.max(1, (n * widened) / (p * (1 - p)));
  const centre = (p + z ** 2 / (2 * size)) / (1 + z ** 2 / size);
  const half = (z / (1 + z ** 2 / size)) * Math.sqrt((p * (1 - p)) / size + z ** 2 / (4 * size ** 2));
  return { ...bare, low: expect.closeTo(Math.max(0, centre - half), 9), high: expect.closeTo(centre + half, 9) };
}

/**
 * The degrees of freedom of a variance over clusters whose examples correlate, from all covariances of
 * the clusters' residual sums.
 */
function correlated(sizes: readonly number[], variance: number, ofBoth: number): number {
  const n = sum(sizes);
  const pairs = sum(sizes.map((size) => size * (size - 1)));
  const shared = pairs > 0 ? Math.max(0, ((variance - ofBoth) * n ** 2) / pairs) : 0;
  const variances = sizes.map((size) => size * (ofBoth > 0 ? n * ofBoth : 1) + size * (size - 1) * shared);
  const all = sum(variances);
  const weighted = sizes.map((one, place) =>
    sizes.map((other, at) => {
      const [p, q] = [one / n, other / n];
      const covariance = p * q * all - p * variances[at]! - q * variances[place]!;
      return (covariance + (place === at ? variances[place]! : 0)) / (1 - p);
    }),
  );
  const trace = sum(weighted.map((row, place) => row[place]!));
  return trace ** 2 / sum(weighted.map((row, place) => sum(row.map((each, at) => each * weighted[at]![place]!))));
}

/** The planted contexts: one for each round and combination of tags. */
const contextOf = ({ round, tags }: Planted): string => `${round} ${tags.join()}`;
const sum = (of: readonly number[]): number => of.reduce((before, each) => before + each, 0);
const squared = (of: readonly number[]): number => sum(of.map((each) => each ** 2));

/**
 * The expected quantile, interpolated linearly between the two nearest values. Null if there are no
 * values.
 */
function quantile(values: readonly number[], share: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((one, other) => one - other);
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return expect.closeTo(low + (high - low) * (at - Math.floor(at)), 9) as unknown as number;
}
