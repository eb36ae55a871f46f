import { Annotation, AnnotatorCount } from '@assay/collection/annotating';
import { CountVersionRepository } from '@assay/collection/statistics';
import { ANNOTATION_OUTCOMES } from '@assay/contracts/collection';
import { seededRng } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Plant, plantAnnotations } from '../factories/collection/planted-annotations.js';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};
const PEOPLE = ['anna', 'ben', 'carla'];
const CHANGES = 200;
const STANDS = 'not is_check and retracted_at is null';
const ANSWERED = `${STANDS} and answered_at is not null`;

let world: ApiWorld;

beforeAll(async () => {
  world = await apiWorld();
  const token = await world.user('owner');
  for (const name of PEOPLE) await world.user(name);
  expect((await world.call('POST', '/tasks', { token, body: TASK })).status).toBe(201);
  await plantAnnotations(world, 'tone', plants());
}, 300_000);
afterAll(() => world.close());

it('counts the examples of each annotator exactly, whatever changes', async () => {
  await expectExact();
  const rng = seededRng('changes');
  for (let change = 0; change < CHANGES; change++) {
    const em = world.orm.em.fork();
    const ids = (await em.find(Annotation, {}, { fields: ['id'], orderBy: { id: 'asc' } })).map(({ id }) => id);
    const some = [0, 1, 2].map(() => ids[rng.below(ids.length)]!);
    const time = rng.below(2) === 0 ? null : new Date();
    const changes = [
      { retractedAt: time },
      { answeredAt: time },
      { fooled: [true, false, null][rng.below(3)]! },
      { outcome: ANNOTATION_OUTCOMES[rng.below(ANNOTATION_OUTCOMES.length)]! },
      { isCheck: rng.below(2) === 0 },
      { seconds: change },
    ];
    if (rng.below(40) === 0) await em.nativeDelete(Annotation, some[0]!);
    else await em.nativeUpdate(Annotation, { id: { $in: some } }, changes[rng.below(changes.length)]!);
    if (change % 20 === 19) await expectExact();
  }
}, 120_000);

it('have another version after each change that statistics depend on, and the same one otherwise', async () => {
  const em = world.orm.em.fork();
  const { id: round } = await em.findOneOrFail(Round, { number: 2 });
  const { id } = await em.findOneOrFail(Annotation, { round, retractedAt: null, isCheck: false });
  const version = (): Promise<string> => new CountVersionRepository(world.orm.em.fork()).examples([round]);
  const changes = [
    { explanations: { example: 'Because.' } },
    { seconds: 0.5 },
    { editDistance: 3 },
    { decidedByOwner: true },
    { label: ['negative'] },
    { input: {} },
    { retractedAt: new Date() },
  ];
  const versions = [await version()];
  for (const change of changes) {
    await em.nativeUpdate(Annotation, id, change);
    versions.push(await version());
  }
  expect(new Set(versions).size).toBe(changes.length + 1);

  await em.nativeUpdate(Annotation, id, { findings: [], seconds: 0.5 });
  expect(await version()).toBe(versions.at(-1));
});

it('forgets the counts of a round that is deleted with its examples', async () => {
  const em = world.orm.em.fork();
  const { id } = await em.findOneOrFail(Round, { number: 1 });
  await em.execute('delete from annotation where round_id = ?', [id]);
  await em.execute('delete from round where id = ?', [id]);

  expect(await em.count(AnnotatorCount, { round: id })).toBe(0);
  await expectExact();
});

/** Compares the counters with a count of all annotations. */
async function expectExact(): Promise<void> {
  const em = world.orm.em.fork();
  const columns = `round_id, pseudonym, source, examples, retracted, answered, fooled, ${ANNOTATION_OUTCOMES.join(', ')},
    faced, faced_pending, faced_validated, validated_fooling`;
  const counted = await em.execute<object[]>(`select ${columns} from annotator_count where examples + retracted > 0
    order by round_id, pseudonym, source`);
  const outcomes = ANNOTATION_OUTCOMES.map(
    (outcome) => `count(*) filter (where ${ANSWERED} and outcome = '${outcome}')::int as ${outcome}`,
  );
  const expected = await em.execute<object[]>(
    `select round_id, pseudonym, source, count(*) filter (where ${STANDS})::int as examples,
       count(*) filter (where not is_check and retracted_at is not null)::int as retracted,
       count(*) filter (where ${ANSWERED})::int as answered, count(*) filter (where ${ANSWERED} and fooled)::int as fooled,
       ${outcomes.join(', ')},
       count(*) filter (where ${STANDS} and fooled is not null)::int as faced,
       count(*) filter (where ${STANDS} and fooled is not null and outcome = 'pending')::int as faced_pending,
       count(*) filter (where ${STANDS} and fooled is not null and outcome = 'validated')::int as faced_validated,
       count(*) filter (where ${STANDS} and outcome = 'validated' and fooled)::int as validated_fooling
     from annotation where not is_check group by round_id, pseudonym, source order by round_id, pseudonym, source`,
  );
  expect(counted.length).toBeGreaterThan(0);
  expect(counted).toEqual(expected);
}

function plants(): Plant[] {
  return Array.from({ length: 120 }, (_, n) => ({
    round: 1 + (n % 2),
    by: PEOPLE[n % PEOPLE.length]!,
    target: null,
    tags: [],
    condition: null,
    day: '2026-02-01',
    fooled: [true, false, null][n % 3]!,
    outcome: ANNOTATION_OUTCOMES[n % ANNOTATION_OUTCOMES.length]!,
    seconds: null,
    editDistance: null,
    isExplained: false,
    isRetracted: n % 7 === 0,
    isCheck: n % 11 === 0,
    isAttested: n % 5 === 0,
  }));
}
