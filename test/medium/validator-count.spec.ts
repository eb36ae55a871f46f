import { unlinkWork } from '@assay/collection';
import { Annotation, AnnotatorCount } from '@assay/collection/annotating';
import { Validation } from '@assay/collection/validating';
import { ANNOTATION_OUTCOMES } from '@assay/contracts/collection';
import { User } from '@assay/identity';
import { seededRng } from '@assay/kernel';
import { databaseOptions } from '@assay/persistence';
import { inTransaction } from '@assay/persistence/queries';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Client } from 'pg';
import { migrations } from '../../apps/api/migrations/index.js';
import { type AnnotationFactory, annotationFactory } from '../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';

const TASK = {
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  performance: 'accuracy',
  collection: { validations: 2, mostValidations: 3 },
};
const LABEL = { name: 'label', type: 'label', labels: ['negative', 'neutral', 'positive'] };
const TEXT = { name: 'reply', type: 'text' };
const VALIDATORS = ['ann', 'ben', 'cem', 'dua', 'eve'];
const AUTHORS = ['fay', 'gus'];
const CHANGES = 150;
const MIGRATION = 'Migration20261130207000CountValidators';

let world: ApiWorld;
const tokens: Record<string, string> = {};

beforeAll(async () => {
  world = await apiWorld();
  for (const name of ['owner', ...AUTHORS, ...VALIDATORS]) tokens[name] = await world.user(name);
}, 300_000);
afterAll(() => world.close());

async function task(slug: string, output: object = LABEL): Promise<AnnotationFactory> {
  const performance = output === TEXT ? 'exact_match' : 'accuracy';
  const body = { ...TASK, slug, output, performance };
  expect((await world.call('POST', '/tasks', { token: tokens['owner'], body })).status).toBe(201);
  return annotationFactory(world.orm, slug);
}

const written = (made: AnnotationFactory, place: number, given: object = {}): Promise<Annotation> =>
  made.written({
    by: AUTHORS[place % AUTHORS.length]!,
    authorLabel: ['positive'],
    label: ['positive'],
    answeredAt: new Date(),
    fooled: place % 3 === 0,
    ...given,
  });

/** Takes the next example as a validator, and gives a label and a verdict. Returns the statuses of the answers. */
async function validate(slug: string, who: string, label: string): Promise<number[]> {
  const token = tokens[who];
  const next = await world.call('POST', `/tasks/${slug}/validate/next`, { token });
  if (next.status !== 200) return [next.status];
  const given = await world.call('POST', `/annotations/${next.body.id}/validations`, { token, body: { label } });
  if (given.status !== 201) return [next.status, given.status];
  const body = given.body.agrees ? { verdict: 'correct' } : { verdict: 'incorrect', label };
  const verdict = await world.call('PATCH', `/validations/${given.body.id}`, { token, body });
  return [next.status, given.status, verdict.status];
}

it('counts the validations of each validator exactly, whatever changes', async () => {
  const made = await task('changes');
  const rng = seededRng('validations');
  const ids: string[] = [];
  for (let place = 0; place < 25; place++) {
    const annotation = await written(made, place, { isCheck: place % 5 === 0 });
    for (const by of VALIDATORS.slice(0, 1 + (place % 3))) {
      const verdict = (['correct', 'incorrect', 'flagged', null] as const)[place % 4]!;
      await made.validated(annotation, { by, verdict, label: place % 7 === 0 ? null : ['positive'] });
    }
    ids.push(annotation.id);
  }
  await expectExact();
  const em = world.orm.em.fork();
  const given = (await em.find(Validation, { annotation: { $in: ids } })).map(({ id }) => id);
  for (let change = 0; change < CHANGES; change++) {
    const annotation = ids[rng.below(ids.length)]!;
    const validation = given[rng.below(given.length)]!;
    const isOdd = rng.below(2) === 0;
    const changes = [
      () => em.nativeUpdate(Annotation, annotation, { outcome: ANNOTATION_OUTCOMES[rng.below(5)]! }),
      () => em.nativeUpdate(Annotation, annotation, { retractedAt: isOdd ? new Date() : null }),
      () => em.nativeUpdate(Annotation, annotation, { isCheck: isOdd }),
      () => em.nativeUpdate(Annotation, annotation, { fooled: [true, false, null][rng.below(3)]! }),
      () => em.nativeUpdate(Validation, validation, { verdict: isOdd ? 'flagged' : null }),
      () => em.nativeUpdate(Validation, validation, { byOwner: isOdd }),
      () => em.nativeUpdate(Validation, validation, { agrees: [true, false, null][rng.below(3)]! }),
      () => em.nativeUpdate(Validation, validation, { label: isOdd ? ['neutral'] : null }),
      () => (rng.below(6) === 0 ? em.nativeDelete(Validation, validation) : Promise.resolve(0)),
      () => (rng.below(10) === 0 ? em.nativeDelete(Annotation, annotation) : Promise.resolve(0)),
    ];
    await changes[rng.below(changes.length)]!();
    if (change % 15 === 14) await expectExact();
  }
}, 120_000);

it('counts exactly while validators, authors and the owner act at the same time', async () => {
  const made = await task('crowd');
  const ids: string[] = [];
  for (let place = 0; place < 40; place++) {
    ids.push((await written(made, place, { isCheck: place % 10 === 9 })).id);
  }
  const rng = seededRng('crowd');
  for (let turn = 0; turn < 8; turn++) {
    const some = ids[rng.below(ids.length)]!;
    const outcome = (['validated', 'rejected', 'flagged'] as const)[rng.below(3)]!;
    const statuses = await Promise.all([
      ...VALIDATORS.map((who) => validate('crowd', who, LABEL.labels[rng.below(3)]!)),
      world
        .call('POST', `/annotations/${some}/decide`, { token: tokens['owner'], body: { outcome, reason: 'Seen.' } })
        .then(({ status }) => [status]),
      world
        .call('DELETE', `/annotations/${ids[turn]!}`, { token: tokens[AUTHORS[turn % 2]!] })
        .then(({ status }) => [status]),
    ]);
    expect(statuses.flat().filter((status) => status >= 500)).toEqual([]);
  }
  await expectExact();
  await expectUncompared(made, 0);

  const em = world.orm.em.fork();
  const erased = await em.find(User, { username: { $in: ['eve', 'gus'] } });
  const erase = ({ id, username }: User): Promise<unknown> =>
    inTransaction(world.orm.em.fork(), (tx) => unlinkWork(tx, { id, username, text: 'remove', at: new Date() }));
  const statuses = await Promise.all([
    ...erased.map((user) => erase(user).then(() => [])),
    ...VALIDATORS.slice(0, 4).map((who) => validate('crowd', who, 'positive')),
  ]);
  expect(statuses.flat().filter((status) => status >= 500)).toEqual([]);
  await expectExact();
  expect(await em.count(AnnotatorCount, { annotatorId: { $in: erased.map(({ id }) => id) } })).toBe(0);
});

it('repeats a verdict that PostgreSQL ends because of a deadlock', async () => {
  const made = await task('deadlock');
  const { id, round } = await written(made, 0);
  const token = tokens['eve'];
  expect((await world.call('POST', '/tasks/deadlock/validate/next', { token })).body.id).toBe(id);
  const body = { label: 'positive' };
  const given = await world.call('POST', `/annotations/${id}/validations`, { token, body });
  const other = new Client({ connectionString: world.ownerUrl });
  await other.connect();
  try {
    // PostgreSQL ends the transaction that finds the deadlock: the request
    await other.query(`begin; set local deadlock_timeout = '1min'`);
    await other.query('select 1 from validator_count where round_id = $1 for update', [round.id]);
    const verdict = world.call('PATCH', `/validations/${given.body.id}`, { token, body: { verdict: 'correct' } });
    // waits for the annotation as soon as the request, which has locked it, waits for this transaction
    await other.query(
      `do $$ begin
         while not exists (select 1 from pg_locks l where not l.granted and pg_backend_pid() = any(pg_blocking_pids(l.pid)))
         loop perform pg_sleep(0.001); end loop;
         perform 1 from annotation where id = '${id}' for update;
       end $$`,
    );
    await other.query('commit');
    expect((await verdict).status).toBe(200);
  } finally {
    await other.end();
  }
  const { items } = (await world.call('GET', '/tasks/deadlock/rounds/1/validators', { token: tokens['owner'] })).body;
  expect(items).toMatchObject([{ answered: 1 }]);
});

it('lists validators page by page, with figures that a decision and its revision change', async () => {
  const made = await task('pages');
  for (const by of ['ann', 'ben', 'cem'])
    await written(made, 1).then((annotation) => made.validated(annotation, { by }));
  // decides one of the others' two examples
  await validate('pages', 'ann', 'positive');
  const path = '/tasks/pages/rounds/1/validators';
  const page = async (query: string) => (await world.call('GET', `${path}?${query}`, { token: tokens['owner'] })).body;

  const whole = (await page('')).items;
  expect(whole.map(({ answered }: { answered: number }) => answered).toSorted()).toEqual(
    whole.map(({ answered }: { answered: number }) => answered).toReversed(),
  );
  const pages: unknown[] = [];
  let cursor: string | undefined;
  do {
    const part = await page(`limit=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
    pages.push(...part.items);
    cursor = part.nextCursor;
  } while (cursor !== undefined);
  expect(pages).toEqual(whole);
  expect((await page('cursor=nobody')).code).toBe('unknown_cursor');

  const agreement = async () =>
    (await page('')).items.flatMap(({ decided, agreement }: { decided: number; agreement: number | null }) =>
      decided > 0 ? [agreement] : [],
    );
  const decided = await world.orm.em.fork().findOneOrFail(Annotation, { round: made.round.id, outcome: 'validated' });
  expect(await agreement()).toEqual([1, 1]);
  const body = { outcome: 'rejected', reason: 'No sentence.' };
  await world.call('POST', `/annotations/${decided.id}/decide`, { token: tokens['owner'], body });
  expect(await agreement()).toEqual([0, 0]);
  await world.orm.em.fork().nativeUpdate(Annotation, decided.id, { retractedAt: new Date() });
  expect(await agreement()).toEqual([]);
});

it('counts and compares what was validated before it was counted', async () => {
  const labels = await task('earlier-labels');
  const texts = await task('earlier-texts', TEXT);
  for (const made of [labels, texts]) {
    const kept = await written(made, 0, { outcome: 'validated' });
    await made.validated(kept, { by: 'ann', label: ['positive'], verdict: 'correct', agrees: true });
    await made.validated(kept, {
      by: 'ben',
      label: ['neutral'],
      verdict: 'incorrect',
      rightLabel: ['neutral'],
      agrees: false,
    });
    const changed = await written(made, 1, { outcome: 'validated', label: ['neutral'] });
    await made.validated(changed, { by: 'ann', label: ['positive'], verdict: 'correct', agrees: false });
    await made.validated(changed, {
      by: 'ben',
      label: ['neutral'],
      verdict: 'incorrect',
      rightLabel: ['neutral'],
      agrees: true,
    });
    const flagged = await written(made, 2, { outcome: 'flagged' });
    await made.validated(flagged, { by: 'ann', label: null, verdict: 'flagged', agrees: true });
    const check = await written(made, 3, { isCheck: true });
    await made.validated(check, { by: 'ben', label: ['neutral'], verdict: 'correct', agrees: false });
  }
  const rounds = [labels.round.id, texts.round.id];
  const rows = (statement: string): Promise<unknown> => world.orm.em.fork().execute(statement, rounds);
  const stored = (): Promise<unknown> =>
    Promise.all([
      rows(`select * from validator_count where round_id in (?, ?) order by round_id, pseudonym`),
      rows(
        `select v.id, agrees from validation v join annotation a on a.id = v.annotation_id where round_id in (?, ?) order by v.id`,
      ),
    ]);
  const view = async (slug: string): Promise<unknown> =>
    (await world.call('GET', `/tasks/${slug}/rounds/1/validators`, { token: tokens['owner'] })).body;
  const before = [await stored(), await view('earlier-labels'), await view('earlier-texts')];

  const owner = await MikroORM.init({
    ...databaseOptions({ url: world.ownerUrl, entities: [Round], migrations, poolMax: 1 }),
    logger: () => undefined,
  });
  await owner.em
    .execute(`drop trigger annotation_validators on annotation; drop trigger validation_counts on validation;
    drop table validator_count; alter table validation drop column agrees; drop index validation_pseudonym_index;
    alter table annotator_count drop column annotator_id, drop column faced_validated;
    delete from mikro_orm_migrations where name = '${MIGRATION}'`);
  await owner.migrator.up();
  await owner.close();
  await expectExact();
  const uncompared = await world.orm.em
    .fork()
    .execute<{ round: string; n: number }[]>(
      `select round_id as round, sum(uncompared)::int as n from validator_count where round_id in (?, ?) group by 1`,
      rounds,
    );
  expect(Object.fromEntries(uncompared.map(({ round, n }) => [round, n]))).toEqual({
    [rounds[0]!]: 1,
    [rounds[1]!]: 5,
  });

  const views = [await view('earlier-labels'), await view('earlier-texts')];
  expect([await stored(), ...views]).toEqual(before);
}, 120_000);

async function expectUncompared({ round }: AnnotationFactory, expected: number): Promise<void> {
  const [row] = await world.orm.em
    .fork()
    .execute<{ n: number }[]>(`select sum(uncompared)::int as n from validator_count where round_id = ?`, [round.id]);
  expect(row!.n).toBe(expected);
}

/** Compares the counters with a count of all validations and annotations. */
async function expectExact(): Promise<void> {
  const em = world.orm.em.fork();
  const isDecided = `v.verdict is not null and not a.is_check and a.outcome not in ('pending', 'undecided')`;
  const isChecked = `a.is_check and (v.label is not null or v.verdict is not null)`;
  const expected = await em.execute<object[]>(
    `select a.round_id, v.pseudonym, count(*)::int as handed_out, count(v.verdict)::int as answered,
       count(*) filter (where ${isDecided})::int as decided, count(*) filter (where ${isDecided} and v.agrees)::int as agreeing,
       count(*) filter (where ${isChecked})::int as checks, count(*) filter (where ${isChecked} and v.agrees)::int as right_checks,
       count(*) filter (where (${isDecided} or ${isChecked}) and v.agrees is null)::int as uncompared,
       count(*) filter (where not a.is_check)::int as examples,
       count(*) filter (where not a.is_check and a.fooled is distinct from true)::int as non_fooling
     from validation v join annotation a on a.id = v.annotation_id
     where not v.by_owner and a.retracted_at is null group by 1, 2 order by 1, 2`,
  );
  const counted = await em.execute<object[]>(
    `select round_id, pseudonym, handed_out, answered, decided, agreeing, checks, right_checks, uncompared, examples, non_fooling
     from validator_count where handed_out > 0 order by 1, 2`,
  );
  expect(counted.length).toBeGreaterThan(0);
  expect(counted).toEqual(expected);

  const stands = `retracted_at is null and fooled is not null`;
  const authors = await em.execute<object[]>(
    `select round_id, pseudonym, max(annotator_id::text)::uuid as annotator_id, count(*) filter (where ${stands})::int as faced,
       count(*) filter (where ${stands} and outcome = 'validated')::int as faced_validated
     from annotation where not is_check group by 1, 2 order by 1, 2`,
  );
  const known = await em.execute<object[]>(
    `select round_id, pseudonym, annotator_id, faced, faced_validated from annotator_count
     where examples + retracted > 0 order by 1, 2`,
  );
  expect(known).toEqual(authors);
}
