import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Consent } from '@assay/collection/people';
import { Context, RoundModel } from '@assay/collection/rounds';
import type { DataCard, ExportedAnnotation } from '@assay/contracts/datasets';
import { User } from '@assay/identity';
import { Round, Task } from '@assay/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnnotationFactory, annotationFactory } from '../../factories/collection/annotations.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  slug: 'moods',
  name: 'Moods | {all}',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  collection: {
    consent: { version: 'c2', text: 'I take part.' },
    licence: { version: 'l1', name: 'CC-BY-4.0', text: 'As you like.' },
    contentWarning: 'Moods can be bad.',
  },
};
const CLOSED = new Date('2026-03-04T05:06:07.000Z');

describe('the data of a round', () => {
  let world: ApiWorld;
  let owner: string;
  let stranger: string;
  let first: AnnotationFactory;
  let model: string;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    stranger = await world.user('stranger');
    for (const name of ['ann', 'ben', 'val', 'vic']) await world.user(name);
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    await world.call('POST', '/tasks', { token: owner, body: { ...TASK, slug: 'bare', collection: undefined } });
    const submitted = await world.call('POST', '/tasks/moods/models', {
      token: owner,
      body: { name: 'Bag | of words', kind: 'container' },
    });
    model = submitted.body.id as string;
    first = await annotationFactory(world.orm, 'moods');
    await fill();
  });
  afterAll(() => world.close());

  const answers = () => [
    {
      model,
      specification: '0b8f4f5e-0000-7000-8000-000000000000',
      answer: 'negative',
      probabilities: [0.75, 0.25],
      milliseconds: 3,
      at: '2026-03-01T00:00:00.000Z',
    },
  ];

  /**
   * Adds contexts, and examples in two rounds. Round 1: ann writes four, one of them retracted; ben
   * writes two, one of them in the hidden test split and one in the control arm; one is imported;
   * one is a gold check. Round 2, which is open: one by ann. Another task gets one more.
   */
  async function fill(): Promise<void> {
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'moods' });
    const context = em.create(Context, {
      round: first.round.id,
      externalId: 'ctx-1',
      content: { prompt: 'edit me' },
      tags: ['news'],
      metadata: { origin: 'web' },
    });
    em.create(RoundModel, {
      round: first.round.id,
      model,
      reason: 'named',
      evidence: null,
      since: new Date('2026-03-01T00:00:00.000Z'),
      until: null,
      left: null,
    });
    for (const [username, version] of [
      ['ann', 'c1'],
      ['ben', 'c2'],
    ] as const) {
      const user = await em.findOneOrFail(User, { username });
      em.create(Consent, { task, user, consentVersion: version, licenceVersion: 'l1', minimumAge: 18, warned: true });
    }
    await em.flush();

    const gold = (label: string) => ({ authorLabel: [label], label: [label], target: model, answers: answers() });
    const whole = await first.written({
      by: 'ann',
      context: context.id,
      condition: 'with',
      input: { text: 'so good it hurts' },
      ...gold('positive'),
      goal: 'positive',
      explanations: { example: 'it is praise', model: 'it reads hurts' },
      extra: { tone: 'ironic' },
      findings: [{ check: 'duplicate', blocking: false, message: 'like: HIDDEN NEIGHBOUR' }],
      editDistance: 7,
      seconds: 12.5,
      outcome: 'validated',
      split: 'train',
    });
    await first.validated(whole, { by: 'val', label: ['positive'], extra: { sure: true }, seconds: 4 });
    await first.validated(whole, { by: 'vic', label: ['negative'], verdict: 'flagged', reason: 'unclear' });
    await first.written({
      by: 'ann',
      context: context.id,
      condition: 'with',
      fooled: false,
      input: { text: 'plain' },
      ...gold('negative'),
      contrastTo: whole.id,
      outcome: 'validated',
      split: 'dev',
    });
    await first.written({ by: 'ann', ...gold('negative'), input: { text: 'PENDING TEXT' }, condition: 'with' });
    await first.written({ by: 'ann', ...gold('negative'), input: { text: 'TAKEN BACK' }, retractedAt: new Date() });
    await first.written({
      by: 'ben',
      ...gold('positive'),
      condition: 'with',
      input: { text: 'HIDDEN TEXT' },
      outcome: 'validated',
      split: 'test',
    });
    await first.written({
      by: 'ben',
      condition: 'without',
      authorLabel: ['negative'],
      label: ['negative'],
      fooled: null,
      input: {},
      explanations: { example: 'REMOVED REASON' },
      outcome: 'validated',
      split: 'train',
    });
    await first.written({
      by: 'ann',
      annotator: null,
      source: 'attested',
      fooled: null,
      ...gold('positive'),
      input: { text: 'from a paper' },
      outcome: 'rejected',
    });
    await first.written({ by: 'owner', isCheck: true, ...gold('positive'), input: { text: 'GOLD CHECK' } });
    const second = await annotationFactory(world.orm, 'moods', 2);
    await second.written({ by: 'ann', ...gold('positive'), input: { text: 'OPEN ROUND' }, split: null });
    const other = await annotationFactory(world.orm, 'bare');
    await other.written({ by: 'ann', authorLabel: ['positive'], label: ['positive'], input: { text: 'elsewhere' } });
  }

  async function close(number: number): Promise<void> {
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'moods' });
    const round = await em.findOneOrFail(Round, { task, number });
    Object.assign(round, {
      state: 'closed',
      closedAt: CLOSED,
      openedAt: new Date('2026-03-01'),
      closedBy: 'its owner',
    });
    round.settings = {
      turn: {},
      shares: { train: 0.8, dev: 0.1, test: 0.1 },
      conditions: [
        { name: 'with', prompt: true, model: true, share: 1 },
        { name: 'without', prompt: true, model: false, share: 1 },
      ],
    };
    await em.flush();
  }

  async function lines(path: string, token?: string): Promise<ExportedAnnotation[]> {
    const { status, headers, body } = await world.call('GET', `/tasks/${path}`, { token });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    return (body as string)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as ExportedAnnotation);
  }

  it('is whole for the owner of the task', async () => {
    const exported = await lines('moods/rounds/1/export', owner);

    expect(exported).toHaveLength(8);
    expect(exported[0]).toEqual({
      id: expect.any(String),
      round: 1,
      source: 'written',
      check: false,
      annotator: 'pseudonym-of-ann',
      condition: 'with',
      context: { id: 'ctx-1', tags: ['news'], prompt: 'edit me', metadata: { origin: 'web' } },
      input: { text: 'so good it hurts' },
      removed: false,
      label: 'positive',
      authorLabel: 'positive',
      goal: 'positive',
      fooled: true,
      target: { id: model, name: 'Bag | of words' },
      answers: [{ ...answers()[0], name: 'Bag | of words', probabilities: { negative: 0.75, positive: 0.25 } }],
      explanations: { example: 'it is praise', model: 'it reads hurts' },
      extra: { tone: 'ironic' },
      findings: [{ check: 'duplicate', blocking: false, message: 'like: HIDDEN NEIGHBOUR' }],
      contrastTo: null,
      editDistance: 7,
      seconds: 12.5,
      outcome: 'validated',
      decidedByOwner: false,
      split: 'train',
      createdAt: expect.any(String),
      retractedAt: null,
      validations: [
        {
          validator: 'pseudonym-of-val',
          label: 'positive',
          verdict: 'correct',
          rightLabel: null,
          reason: null,
          extra: { sure: true },
          byOwner: false,
          seconds: 4,
          answeredAt: expect.any(String),
        },
        expect.objectContaining({ validator: 'pseudonym-of-vic', verdict: 'flagged', reason: 'unclear' }),
      ],
    });
    expect(exported[1]!.contrastTo).toBe(exported[0]!.id);
    expect(exported.filter(({ check }) => check)).toHaveLength(1);
  });

  it('has of a text that was removed the mark alone', async () => {
    const removed = (await lines('moods/rounds/1/export', owner)).filter((each) => each.removed);

    expect(removed).toHaveLength(1);
    expect(removed[0]).toMatchObject({ input: null, explanations: {}, label: 'negative', outcome: 'validated' });
  });

  it('names nobody', async () => {
    const { body } = await world.call('GET', '/tasks/moods/export', { token: owner });
    const users = await world.orm.em.fork().find(User, {});

    for (const { id, username, email } of users) {
      expect(body).not.toContain(id);
      expect(body).not.toContain(email);
      expect((body as string).replaceAll(`pseudonym-of-${username}`, '')).not.toMatch(new RegExp(`"${username}"`));
    }
  });

  it('is taken by outcome and by source', async () => {
    const outcomes = await lines('moods/export?outcome=validated', owner);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['validated', 'validated', 'validated', 'validated']);
    expect((await lines('moods/export?source=attested', owner)).map(({ input }) => input)).toEqual([
      { text: 'from a paper' },
    ]);
    expect(await lines('moods/export?source=attested&outcome=validated', owner)).toEqual([]);
  });

  it('is of one task alone, and of all its rounds', async () => {
    expect((await lines('moods/export', owner)).map(({ round }) => round)).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 2]);
    expect((await lines('bare/export', owner)).map(({ input }) => input)).toEqual([{ text: 'elsewhere' }]);
  });

  it("is nobody else's while the round is open, and its train and dev parts are everybody's after", async () => {
    for (const token of [undefined, stranger]) expect(await lines('moods/export', token)).toEqual([]);
    const early = await world.call('GET', '/tasks/moods/rounds/1/data-card');
    expect([early.status, early.body.code]).toEqual([409, 'round_not_closed']);

    await close(1);

    for (const token of [undefined, stranger]) {
      const shown = await lines('moods/export', token);
      expect(shown.map(({ split }) => split)).toEqual(['train', 'dev', 'train']);
      expect(JSON.stringify(shown)).not.toMatch(/HIDDEN|PENDING|TAKEN BACK|GOLD CHECK|OPEN ROUND|REMOVED REASON/);
      expect(await lines('moods/rounds/2/export', token)).toEqual([]);
    }
    expect(await lines('moods/rounds/1/export', world.admin)).toHaveLength(8);
  });

  it('is described by a card', async () => {
    const { body, headers } = await world.call('GET', '/tasks/moods/rounds/1/data-card', {
      headers: { accept: 'application/json' },
    });
    const card = body as DataCard;

    expect(headers.get('content-type')).toContain('application/json');
    expect(card).toMatchObject({
      task: { slug: 'moods', language: 'en' },
      round: { number: 1, closedAt: CLOSED.toISOString(), closedBy: 'its owner' },
      examples: {
        submitted: 6,
        retracted: 1,
        fooled: 3,
        attested: 1,
        outcomes: { pending: 1, rejected: 1, validated: 4 },
        decidedByOwner: 0,
        removed: 1,
      },
      people: { annotators: 2, validators: 2, largestShare: 3 / 5 },
      contexts: 1,
      splits: [
        { split: 'train', examples: 2, fooled: 1, contexts: 1 },
        { split: 'dev', examples: 1, fooled: 0, contexts: 1 },
        { split: 'test', examples: 1, fooled: 1, contexts: 0 },
      ],
      mer: { value: 3 / 4, of: 4 },
      vmer: { value: 2 / 4, of: 4, pending: 1 },
      errorRateAmongValidated: { value: 2 / 3, of: 3 },
      agreement: { alpha: { value: 0, of: 'labels' }, validations: 2, agreeing: 0.5 },
      conditions: [
        {
          name: 'with',
          examples: 4,
          annotators: 2,
          mer: { value: 3 / 4, of: 4 },
          vmer: { value: 2 / 4, of: 4, pending: 1 },
          errorRateAmongValidated: { value: 2 / 3, of: 3 },
        },
        { name: 'without', model: false, examples: 1, annotators: 1, mer: { value: null, of: 0 } },
      ],
      models: [{ id: model, name: 'Bag | of words', reason: 'named', until: null, mer: { value: 3 / 4, of: 4 } }],
      consent: {
        version: 'c2',
        text: 'I take part.',
        agreed: [
          { version: 'c1', people: 1 },
          { version: 'c2', people: 1 },
        ],
        contentWarning: 'Moods can be bad.',
        minimumAge: 18,
      },
      licence: { name: 'CC-BY-4.0', version: 'l1', agreed: [{ version: 'l1', people: 2 }] },
    });
    expect(card.limits.join('\n')).toMatch(/were imported[^]*were removed/);
    expect(card.citation).toContain(
      `url = {${process.env['PUBLIC_URL'] ?? world.url.replace('127.0.0.1', 'localhost')}`,
    );
  });

  it('has its card as Markdown for people', async () => {
    const { body, headers } = await world.call('GET', '/tasks/moods/rounds/1/data-card');

    expect(headers.get('content-type')).toContain('text/markdown');
    expect(body).toMatch(/^# Moods \\\| \{all\}: data of round 1\n/);
    for (const part of [
      '75.0%',
      '| with | yes | yes | 4 |',
      'Bag \\| of words',
      '> I take part.',
      '@misc{moods-round-1',
    ]) {
      expect(body).toContain(part);
    }
  });

  it('of a round that came as a file is described by its datasets', async () => {
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'bare' });
    em.create(Round, { task, number: 7, state: 'closed', imported: true });
    await em.flush();

    const { status, body } = await world.call('GET', '/tasks/bare/rounds/7/data-card');
    expect([status, body.code]).toEqual([404, 'not_collected']);
  });

  it.each([
    ['moods/rounds/99/export', 404, 'not_found'],
    ['moods/rounds/99/data-card', 404, 'not_found'],
    ['moods/rounds/one/export', 404, 'not_found'],
    ['nowhere/export', 404, 'not_found'],
    ['moods/export?outcome=lost', 422, 'validation_failed'],
    ['moods/export?split=train', 422, 'validation_failed'],
  ])('is refused at %s', async (path, status, code) => {
    const refused = await world.call('GET', `/tasks/${path}`, { token: owner });
    expect([refused.status, refused.body.code]).toEqual([status, code]);
  });

  it('comes in its order however much there is, and leaves no file behind', async () => {
    const em = world.orm.em.fork();
    const task = await em.findOneOrFail(Task, { slug: 'bare' });
    const round = await em.findOneOrFail(Round, { task, number: 1 });
    await em.execute(
      `insert into annotation (id, round_id, pseudonym, key, source, input, author_label, label, answers, explanations, extra, created_at)
       select gen_random_uuid(), ?, 'p', n::text, 'written', jsonb_build_object('text', n::text), '["positive"]', '["positive"]', '[]', '{}', '{}', now()
       from generate_series(1, 1700) n`,
      [round.id],
    );
    const exported = await lines('bare/rounds/1/export', owner);

    expect(exported).toHaveLength(1701);
    const ids = exported.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(readdirSync(join(world.home, 'exports'))).toEqual([]);
  });
});
