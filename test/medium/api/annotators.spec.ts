import { Annotation } from '@assay/collection/annotating';
import { awardBadges } from '@assay/collection/people';
import { User } from '@assay/identity';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnnotationFactory, annotationFactory } from '../../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['hateful', 'harmless'] },
  performance: 'accuracy',
  collection: { boardMinimum: 2 },
};
const DAY = 86_400_000;

describe('people who annotate', () => {
  let world: ApiWorld;
  let tone: AnnotationFactory;
  const tokens: Record<string, string> = {};

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['owner', 'ann', 'bob', 'cid', 'dee']) tokens[name] = await world.user(name);
    await world.call('POST', '/tasks', { token: tokens['owner']!, body: TASK });
    const warned = { ...TASK, slug: 'warned', collection: { contentWarning: 'Slurs.' } };
    await world.call('POST', '/tasks', { token: tokens['owner']!, body: warned });
    tone = await annotationFactory(world.orm, 'tone');
  });
  afterAll(() => world.close());

  const get = (path: string, name?: string) => world.call('GET', path, { token: name && tokens[name] });
  const appeal = (id: string, name: string, reason = 'It is right.') =>
    world.call('POST', `/annotations/${id}/appeal`, { token: tokens[name], body: { reason } });
  const decide = async (
    annotation: Annotation,
    change: Pick<Annotation, 'outcome' | 'decidedByOwner'>,
  ): Promise<void> => {
    const em = world.orm.em.fork();
    await em.nativeUpdate(Annotation, annotation.id, { decidedAt: new Date(), ...change });
  };

  it('see their examples and what became of each, without who said what', async () => {
    const rejected = await tone.written({ by: 'ann', outcome: 'rejected', decidedAt: new Date() });
    await tone.validated(rejected, { by: 'bob', verdict: 'incorrect', rightLabel: ['hateful'] });
    await tone.validated(rejected, { by: 'cid', verdict: 'flagged', reason: 'No sentence.' });
    const pending = await tone.written({ by: 'ann' });
    await tone.written({ by: 'ann', retractedAt: new Date() });
    await tone.written({ by: 'bob' });

    const all = (await get('/me/examples', 'ann')).body.items;
    expect(all.map(({ fate }: { fate: string }) => fate)).toEqual(['retracted', 'pending', 'rejected']);
    expect(all[2]).toMatchObject({
      id: rejected.id,
      task: 'tone',
      round: 1,
      input: { text: 'written by ann' },
      verdicts: { correct: 0, incorrect: 1, flagged: 1 },
      reasons: ['No sentence.'],
      appeal: null,
      mayAppeal: true,
    });
    expect(JSON.stringify(all)).not.toMatch(/\b(bob|cid)\b/);

    const first = (await get('/me/examples?limit=2&task=tone&round=1', 'ann')).body;
    const second = (await get(`/me/examples?limit=2&cursor=${first.nextCursor}`, 'ann')).body;
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([2, 1, undefined]);
    const only = (await get('/me/examples?outcome=pending', 'ann')).body.items;
    expect(only.map(({ id }: { id: string }) => id)).toEqual([pending.id]);
    expect((await get('/me/examples?task=warned', 'ann')).body.items).toEqual([]);
    expect((await get('/me/examples')).status).toBe(401);
  });

  it('appeal once, and the owner answers by deciding', async () => {
    const example = await tone.written({ by: 'ann', outcome: 'flagged', decidedAt: new Date() });
    expect((await appeal(example.id, 'bob')).status).toBe(404);
    expect((await appeal(example.id, 'ann', ' ')).body.code).toBe('validation_failed');
    const made = await Promise.all([appeal(example.id, 'ann'), appeal(example.id, 'ann')]);
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect((await appeal(example.id, 'ann')).body.code).toBe('appealed_already');

    expect((await get('/tasks/tone/appeals', 'ann')).body.code).toBe('not_the_owner');
    const open = (await get('/tasks/tone/appeals?open=true', 'owner')).body.items;
    expect(open).toEqual([
      expect.objectContaining({
        id: example.id,
        pseudonym: 'pseudonym-of-ann',
        appeal: { reason: 'It is right.', at: expect.any(String), answeredAt: null },
      }),
    ]);

    await decide(example, { outcome: 'validated', decidedByOwner: true });
    expect((await get('/tasks/tone/appeals?open=true', 'owner')).body.items).toEqual([]);
    expect((await get('/tasks/tone/appeals?open=false', 'owner')).body.items).toHaveLength(1);
    const [mine] = (await get('/me/examples?limit=1', 'ann')).body.items;
    expect(mine).toMatchObject({ fate: 'validated', appeal: { answeredAt: expect.any(String) }, mayAppeal: false });
  });

  it.each([
    ['pending', { outcome: 'pending' }, 409],
    ['found correct', { outcome: 'validated' }, 409],
    ['retracted', { outcome: 'rejected', retractedAt: new Date() }, 409],
    ['undecided', { outcome: 'undecided' }, 201],
    ['relabelled', { outcome: 'validated', label: ['hateful'] }, 201],
  ] as const)('appeal for what is %s: %j gives %i', async (_, given, status) => {
    const example = await tone.written({ by: 'dee', decidedAt: new Date(), ...given });
    const answer = await appeal(example.id, 'dee');
    expect(answer.status).toBe(status);
    if (status === 409) expect(answer.body.code).toBe('nothing_to_appeal');
  });

  it('do not appeal once the round is closed', async () => {
    const { round, written } = await annotationFactory(world.orm, 'tone', 7);
    const example = await written({ by: 'dee', outcome: 'rejected' });
    await world.orm.em.fork().nativeUpdate(Round, round.id, { state: 'closed' });
    const late = await appeal(example.id, 'dee');
    expect(late).toMatchObject({
      status: 409,
      body: { code: 'round_closed', detail: expect.stringContaining('Round 7') },
    });
  });

  it('choose what others see of them', async () => {
    expect((await get('/me/profile', 'bob')).body).toEqual({
      username: 'bob',
      displayName: null,
      bio: '',
      board: 'pseudonym',
      shows: [],
    });
    expect((await get('/users/BOB')).body).toEqual({ username: 'bob', displayName: null, bio: '' });
    expect((await get('/users/nobody')).status).toBe(404);

    const change = { displayName: 'Bobby', bio: 'I write.', shows: ['models', 'badges', 'examples'] };
    const patched = await world.call('PATCH', '/me/profile', { token: tokens['bob'], body: change });
    expect(patched.body).toMatchObject({ ...change, board: 'pseudonym' });
    await tone.written({ by: 'bob', outcome: 'validated' });
    const hidden = await annotationFactory(world.orm, 'warned');
    await hidden.written({ by: 'bob', outcome: 'validated' });
    const page = (await get('/users/bob')).body;
    expect(page).toEqual({
      username: 'bob',
      displayName: 'Bobby',
      bio: 'I write.',
      models: [],
      badges: [],
      examples: { written: 2, validated: 1, fooling: 1 },
    });

    await world.call('PATCH', '/me/profile', { token: tokens['bob'], body: { shows: [] } });
    expect(Object.keys((await get('/users/bob')).body)).toEqual(['username', 'displayName', 'bio']);
    expect((await world.call('PATCH', '/me/profile', { token: tokens['bob'], body: { board: 'loud' } })).status).toBe(
      422,
    );
  });

  describe('on a board', () => {
    let board: AnnotationFactory;
    const rows = async (query = '', name?: string) => (await get(`/tasks/board/annotators${query}`, name)).body.rows;

    beforeAll(async () => {
      await world.call('POST', '/tasks', { token: tokens['owner']!, body: { ...TASK, slug: 'board' } });
      board = await annotationFactory(world.orm, 'board');
      const wrote = async (by: string, fates: readonly object[]) => {
        for (const fate of fates) await board.written({ by, outcome: 'validated', ...fate });
      };
      await wrote('ann', [{}, {}, { fooled: false }, { outcome: 'rejected' }, { outcome: 'pending' }]);
      await wrote('bob', [{}, {}, { retractedAt: new Date(), outcome: 'rejected' }]);
      await wrote('cid', [{}, { outcome: 'pending' }, { fooled: null }]);
      await wrote('dee', [{}, {}, {}]);
      await world.call('PATCH', '/me/profile', { token: tokens['dee'], body: { board: 'hidden' } });
      await world.call('PATCH', '/me/profile', {
        token: tokens['ann'],
        body: { board: 'name', displayName: 'Ann the first' },
      });
    });

    it('are ranked by validated errors among what was found correct, from a least number on, as they want to be named', async () => {
      expect(await rows('', 'bob')).toEqual([
        {
          rank: 1,
          name: 'annotator-pseudonym-',
          username: null,
          isYou: true,
          examples: 2,
          decided: 2,
          validated: 2,
          fooling: 2,
          badges: [],
          yield: 1,
          vmer: { value: 1, low: expect.closeTo(0.342, 3), high: 1 },
          errorRateAmongValidated: { value: 1, low: expect.closeTo(0.342, 3), high: 1 },
        },
        {
          rank: 2,
          name: 'Ann the first',
          username: 'ann',
          isYou: false,
          examples: 5,
          decided: 4,
          validated: 3,
          fooling: 2,
          badges: [],
          yield: 0.5,
          vmer: { value: 2 / 5, low: expect.closeTo(0.118, 3), high: expect.closeTo(0.769, 3) },
          errorRateAmongValidated: { value: 2 / 3, low: expect.closeTo(0.208, 3), high: expect.closeTo(0.939, 3) },
        },
      ]);
    });

    it('have new figures as soon as an example is decided otherwise', async () => {
      await world.call('POST', '/tasks', { token: tokens['owner']!, body: { ...TASK, slug: 'changing' } });
      const changing = await annotationFactory(world.orm, 'changing');
      const examples: Annotation[] = [];
      for (let number = 0; number < 4; number++) {
        examples.push(await changing.written({ by: number < 3 ? 'ann' : 'bob', outcome: 'validated' }));
      }
      await changing.written({ by: 'bob', outcome: 'validated' });
      const vmer = async () => {
        const { rows: all } = (await get('/tasks/changing/annotators')).body;
        return (all as { examples: number; vmer: { value: number; low: number } }[]).map((row) => [
          row.examples,
          row.vmer.value,
          row.vmer.low,
        ]);
      };
      const [low2, low3] = [expect.closeTo(0.342, 3), expect.closeTo(0.439, 3)];
      expect((await vmer()).toSorted()).toEqual([
        [2, 1, low2],
        [3, 1, low3],
      ]);
      await decide(examples[0]!, { outcome: 'rejected', decidedByOwner: true });
      expect((await vmer()).toSorted()).toEqual([
        [2, 1, low2],
        [3, 2 / 3, expect.closeTo(0.208, 3)],
      ]);
    });

    it('have one for each round', async () => {
      await annotationFactory(world.orm, 'board', 2);
      expect(await rows('?round=2')).toEqual([]);
      expect(await rows('?round=1')).toHaveLength(2);
      expect((await get('/tasks/board/annotators?round=9')).status).toBe(404);

      const whole = await rows();
      const first = (await get('/tasks/board/annotators?limit=1')).body;
      expect(first.rows).toEqual(whole.slice(0, 1));
      const second = (await get(`/tasks/board/annotators?limit=1&cursor=${first.nextCursor}`)).body;
      expect([second.rows, second.nextCursor]).toEqual([whole.slice(1), undefined]);
      expect((await get('/tasks/board/annotators?cursor=ann')).body.code).toBe('unknown_cursor');

      const numbersOf = ({ items }: { items: { number: number }[] }) => items.map(({ number }) => number);
      const earlier = (await get('/tasks/board/rounds?limit=1')).body;
      const later = (await get(`/tasks/board/rounds?limit=1&cursor=${earlier.nextCursor}`)).body;
      expect([numbersOf(earlier), numbersOf(later), later.nextCursor]).toEqual([[1], [2], undefined]);
      expect((await get('/tasks/board/rounds?cursor=1')).body.code).toBe('unknown_cursor');
    });

    it('have none where there is a content warning', async () => {
      const answer = await get('/tasks/warned/annotators');
      expect([answer.status, answer.body.code]).toEqual([404, 'no_board_here']);
    });
  });

  describe('earn badges', () => {
    const codes = async (name: string) =>
      ((await get('/me/badges', name)).body.items as { code: string; earnedAt: string | null }[])
        .filter(({ earnedAt }) => earnedAt !== null)
        .map(({ code }) => code);
    const award = async (name: string) => {
      const em = world.orm.em.fork();
      const { id } = await em.findOneOrFail(User, { username: name });
      await awardBadges(em, [id, id]);
    };

    it('for what they did, once each, with how far the others are', async () => {
      tokens['eve'] = await world.user('eve');
      tokens['fay'] = await world.user('fay');
      const noon = new Date('2026-01-10T23:59:00Z').getTime();
      for (const days of [0, 1, 2, 4, 5]) {
        const createdAt = new Date(noon + days * DAY);
        const annotation = await tone.written({ by: 'eve', outcome: 'validated', createdAt });
        await tone.validated(annotation, { by: 'fay', verdict: days === 0 ? 'incorrect' : 'correct' });
      }
      await award('eve');
      await award('eve');
      await award('fay');
      expect(await codes('eve')).toEqual(['first-fool', 'streak-3']);
      const { items } = (await get('/me/badges', 'eve')).body;
      expect(items.find(({ code }: { code: string }) => code === 'fooling-10')).toMatchObject({
        progress: 5,
        needed: 10,
      });
      const fay = (await get('/me/badges', 'fay')).body.items;
      expect(fay.find(({ code }: { code: string }) => code === 'validator-10')).toMatchObject({ progress: 4 });
      expect(await codes('fay')).toEqual([]);
    });

    it('beside their name on a board where they show them, and always for their own eyes', async () => {
      const board = await annotationFactory(world.orm, 'board');
      await board.written({ by: 'eve', outcome: 'validated' });
      await board.written({ by: 'eve', outcome: 'validated' });
      const badges = async (asker: string) => {
        const { rows } = (await get('/tasks/board/annotators', asker)).body;
        return rows
          .filter(
            ({ examples, badges: { length } }: { examples: number; badges: unknown[] }) => examples === 2 && length,
          )
          .map((row: { badges: { code: string }[] }) => row.badges.map(({ code }) => code));
      };
      const earned = [['first-fool', 'streak-3']];
      expect([await badges('ann'), await badges('eve')]).toEqual([[], earned]);
      const show = (body: object) => world.call('PATCH', '/me/profile', { token: tokens['eve'], body });
      await show({ shows: ['badges'] });
      expect(await badges('ann')).toEqual([]);
      await show({ board: 'name' });
      expect(await badges('ann')).toEqual(earned);
    });

    it('nowhere in a task with a content warning', async () => {
      tokens['gus'] = await world.user('gus');
      const { written } = await annotationFactory(world.orm, 'warned');
      for (const days of [0, 1, 2]) {
        const createdAt = new Date(Date.parse('2026-01-10T12:00:00Z') + days * DAY);
        await written({ by: 'gus', outcome: 'validated', createdAt });
      }
      await award('gus');
      expect(await codes('gus')).toEqual([]);
    });
  });
});
