import { Annotation } from '@assay/collection/annotating';
import { RoundModel } from '@assay/collection/rounds';
import { Validation } from '@assay/collection/validating';
import { User } from '@assay/identity';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Model } from '@assay/submissions';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AnnotationFactory, annotationFactory } from '../../factories/collection/annotations.js';
import type { ApiAnswer } from '../../factories/worlds/api-call.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: ['entailment', 'neutral', 'contradiction'] },
  performance: 'accuracy',
};
const INPUT = { context: 'It rains.', hypothesis: 'It is wet.' };
const VALIDATORS = ['ada', 'bob', 'cem', 'dua', 'eli', 'fay', 'gus'] as const;
const MINUTE = 60_000;

describe('validating', () => {
  let world: ApiWorld;
  const tokens: Record<string, string> = {};
  let tasks = 0;
  /** The slug of the current test's own task. */
  let slug: string;
  let made: AnnotationFactory;

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['owner', 'writer', 'other-writer', 'builder', ...VALIDATORS]) {
      tokens[name] = await world.user(name);
    }
  }, 300_000);
  afterAll(() => world.close());
  beforeEach(() => start({}));

  async function start(collection: object, task: object = {}): Promise<void> {
    slug = `nli-${tasks++}`;
    const body = { slug, ...TASK, ...task, collection };
    const { status } = await world.call('POST', '/tasks', { token: tokens['owner']!, body });
    expect(status).toBe(201);
    made = await annotationFactory(world.orm, slug);
  }

  const written = (given: Partial<Parameters<AnnotationFactory['written']>[0]> = {}): Promise<Annotation> =>
    made.written({
      by: 'writer',
      input: INPUT,
      authorLabel: ['entailment'],
      label: ['entailment'],
      answeredAt: new Date(),
      ...given,
    });
  const next = (who: string): Promise<ApiAnswer> =>
    world.call('POST', `/tasks/${slug}/validate/next`, { token: tokens[who]! });
  const answer = (who: string, id: string, body: object): Promise<ApiAnswer> =>
    world.call('POST', `/annotations/${id}/validations`, { token: tokens[who]!, body });
  const judge = (who: string, id: string, body: object): Promise<ApiAnswer> =>
    world.call('PATCH', `/validations/${id}`, { token: tokens[who]!, body });
  const decide = (who: string, id: string, body: object): Promise<ApiAnswer> =>
    world.call('POST', `/annotations/${id}/decide`, { token: tokens[who]!, body });
  const stored = (id: string) => world.orm.em.fork().findOneOrFail(Annotation, id);
  const events = async (type: string, annotationId: string) => {
    const all = await world.orm.em.fork().find(OutboxEvent, { type });
    return all.filter(({ payload }) => payload['annotationId'] === annotationId).length;
  };
  /** Lets a validator answer and judge the example that they are assigned. */
  async function say(who: string, label: unknown, verdict: object): Promise<ApiAnswer> {
    const item = await next(who);
    expect(item.status).toBe(200);
    const first = await answer(who, item.body.id as string, { label });
    expect(first.status).toBe(201);
    return judge(who, first.body.id as string, verdict);
  }
  const correct = (who: string) => say(who, 'entailment', { verdict: 'correct' });
  const incorrect = (who: string, label: string) => say(who, label, { verdict: 'incorrect', label });
  const setRound = async (change: Partial<Round>) => {
    const em = world.orm.em.fork();
    await em.nativeUpdate(Round, made.round.id, change);
  };

  describe('an item', () => {
    it('shows the input and the form of the answer, and nothing of author, models or label', async () => {
      await start({
        validationInstructions: 'Read it *twice*.',
        validationFields: [{ name: 'clear', label: 'Is it clear?', type: 'boolean' }],
      });
      const { id } = await written({
        goal: 'entailment',
        explanations: { example: 'the author says why' },
        answers: [{ model: 'm', specification: 's', answer: 'neutral', milliseconds: 1, at: '2026-11-22T00:00:00Z' }],
      });
      const { status, body } = await next('ada');
      expect(status).toBe(200);
      expect(body).toEqual({
        id,
        round: 1,
        input: INPUT,
        output: TASK.output,
        choices: null,
        instructions: 'Read it *twice*.',
        contentWarning: null,
        fields: [{ name: 'clear', label: 'Is it clear?', type: 'boolean', required: false }],
        until: expect.any(String),
        validation: null,
      });
    });

    it('is the same for two browsers of one person, and after their label the one to judge', async () => {
      await written();
      await written();
      const [one, two] = await Promise.all([next('ada'), next('ada')]);
      expect(two.body).toEqual(one.body);

      const first = await answer('ada', one.body.id as string, { label: 'neutral' });
      expect((await next('ada')).body).toMatchObject({ id: one.body.id, validation: first.body });
    });

    it('is never of oneself, retracted, decided, or without the answers of the models', async () => {
      await written({ by: 'ada' });
      await written({ retractedAt: new Date() });
      await written({ outcome: 'validated' });
      await written({ answeredAt: null });
      expect(await next('ada')).toMatchObject({ status: 404, body: { code: 'nothing_to_validate' } });
    });

    it('is handed to no more people than the example still needs', async () => {
      const { id } = await written();
      const given = await Promise.all(VALIDATORS.slice(0, 5).map((who) => next(who)));
      expect(given.map(({ status }) => status).sort()).toEqual([200, 200, 200, 404, 404]);
      expect(await world.orm.em.fork().count(Validation, { annotation: id })).toBe(3);
    });

    it('goes to another once it was kept for 15 minutes, and who let it go may still answer', async () => {
      await start({ validations: 1, mostValidations: 1 });
      const { id } = await written();
      await next('ada');
      expect((await next('bob')).status).toBe(404);

      const em = world.orm.em.fork();
      await em.nativeUpdate(Validation, { annotation: id }, { createdAt: new Date(Date.now() - 16 * MINUTE) });
      expect((await next('bob')).body.id).toBe(id);
      expect((await next('ada')).status).toBe(404);
      expect((await answer('ada', id, { label: 'entailment', verdict: 'correct' })).body.outcome).toBe('validated');
      expect(await answer('bob', id, { label: 'entailment' })).toMatchObject({
        status: 409,
        body: { code: 'decided_already' },
      });
    });

    it('is of one author so often and no more', async () => {
      await start({ sameAuthor: 2 });
      for (let index = 0; index < 4; index++) await written();
      const { id } = await written({ by: 'other-writer' });
      const seen: string[] = [];
      for (let index = 0; index < 3; index++) {
        const item = await next('ada');
        seen.push(item.body.id as string);
        await answer('ada', item.body.id as string, { label: 'entailment', verdict: 'correct' });
      }
      expect(seen).toContain(id);
      expect((await next('ada')).status).toBe(404);
    });

    it('is also of a round that is closing and waits for what is pending, and not of one that has closed', async () => {
      const { id } = await written();
      const waiting = { state: 'closing', closingStep: 'settle' } as const;
      await setRound({ ...waiting, pendingUntil: new Date(Date.now() + MINUTE) });
      expect((await next('ada')).body.id).toBe(id);
      await setRound({ ...waiting, pendingUntil: new Date(Date.now() - MINUTE) });
      expect((await next('bob')).status).toBe(404);
      expect(await answer('ada', id, { label: 'entailment' })).toMatchObject({
        status: 409,
        body: { code: 'round_closed' },
      });
      expect((await stored(id)).outcome).toBe('pending');
    });

    it('is of a multiple choice with its choices, in an order that tells nothing', async () => {
      await start({}, { output: { name: 'reply', type: 'text' }, performance: 'exact_match' });
      await written({ choices: { texts: ['zebra', 'ape', 'newt'], right: 0, chosen: [1] } });
      expect((await next('ada')).body.choices).toEqual(['ape', 'newt', 'zebra']);
    });
  });

  describe('what people say', () => {
    it('is a label first, then the verdict, with what the author said in between', async () => {
      await written({ explanations: { example: 'rain is wet' } });
      const item = await next('ada');
      const first = await answer('ada', item.body.id as string, { label: 'neutral' });
      expect(first).toMatchObject({
        status: 201,
        body: {
          annotation: item.body.id,
          label: ['neutral'],
          agrees: false,
          author: { label: ['entailment'], explanations: { example: 'rain is wet' } },
          verdict: null,
          outcome: 'pending',
        },
      });
      const second = await judge('ada', first.body.id as string, { verdict: 'incorrect', label: 'contradiction' });
      expect(second).toMatchObject({
        status: 200,
        body: { verdict: 'incorrect', rightLabel: ['contradiction'], label: ['neutral'], outcome: 'pending' },
      });
    });

    it("may be said at once where the label is the author's, and counts for nothing yet where it is not", async () => {
      await written();
      const [a, b] = [await next('ada'), await next('bob')];
      const whole = { verdict: 'correct' };
      expect((await answer('ada', a.body.id as string, { label: 'entailment', ...whole })).body.verdict).toBe(
        'correct',
      );
      expect((await answer('bob', b.body.id as string, { label: 'neutral', ...whole })).body.verdict).toBeNull();
    });

    it('makes an example valid where three agree, and tells it once', async () => {
      const { id } = await written();
      await correct('ada');
      await correct('bob');
      expect((await correct('cem')).body.outcome).toBe('validated');
      expect(await stored(id)).toMatchObject({ outcome: 'validated', label: ['entailment'], fooled: true });
      expect((await stored(id)).decidedAt).toBeInstanceOf(Date);
      expect(await events('validation.answered', id)).toBe(3);
      expect(await events('annotation.decided', id)).toBe(1);
    });

    it('makes another label the label where three agree on it, and decides again whether it fooled', async () => {
      const answers = [
        { model: 'm', specification: 's', answer: 'neutral', milliseconds: 1, at: '2026-11-22T00:00:00Z' },
      ];
      const { id } = await written({ answers, fooled: true });
      for (const who of ['ada', 'bob', 'cem']) await incorrect(who, 'neutral');
      expect(await stored(id)).toMatchObject({
        outcome: 'validated',
        authorLabel: ['entailment'],
        label: ['neutral'],
        fooled: false,
      });
    });

    it('rejects an example where three find it wrong, each otherwise, and flags it where three flag it', async () => {
      const { id } = await written();
      await incorrect('ada', 'neutral');
      await incorrect('bob', 'neutral');
      await incorrect('cem', 'contradiction');
      expect((await stored(id)).outcome).toBe('rejected');

      const { id: other } = await written();
      for (const who of ['ada', 'bob', 'cem']) {
        const { body } = await next(who);
        await answer(who, body.id as string, { verdict: 'flagged', reason: 'not English' });
      }
      expect((await stored(other)).outcome).toBe('flagged');
    });

    it('leaves an example undecided where five do not agree, and asks nobody else', async () => {
      const { id } = await written();
      await correct('ada');
      await correct('bob');
      await incorrect('cem', 'neutral');
      await incorrect('dua', 'neutral');
      const last = await next('eli');
      await answer('eli', last.body.id as string, { verdict: 'flagged', reason: 'odd' });
      expect((await stored(id)).outcome).toBe('undecided');
      expect((await next('fay')).status).toBe(404);
    });

    it("is of a check no decision: its author's label is known", async () => {
      await start({ validations: 1, mostValidations: 1 });
      await written();
      const { id } = await written({ isCheck: true, fooled: null });
      await correct('ada');
      expect((await next('ada')).body.id).toBe(id);
      await answer('ada', id, { label: 'entailment', verdict: 'correct' });
      expect((await stored(id)).outcome).toBe('pending');
      const alone = await decide('owner', id, { outcome: 'rejected', reason: 'wrong' });
      expect(alone).toMatchObject({ status: 409, body: { code: 'check_is_known' } });
    });

    it('holds spans for the same that nearly are, and takes them where they stand in the input alone', async () => {
      const inputs = [
        { name: 'context', type: 'text' },
        { name: 'question', type: 'text' },
      ];
      await start({}, { inputs, output: { name: 'answer', type: 'span', of: 'context' }, performance: 'squad_f1' });
      const { id } = await written({
        input: { context: 'Ada met the Queen in London in 1842.', question: 'When?' },
        authorLabel: ['in 1842'],
        label: ['in 1842'],
      });
      await next('ada');
      expect(await answer('ada', id, { label: '1843' })).toMatchObject({
        status: 422,
        body: { code: 'span_not_in_input' },
      });
      expect((await answer('ada', id, { label: 'in 1842.' })).body.agrees).toBe(true);
    });

    it('tells whether the model is wrong where the task asks people', async () => {
      await start(
        { validations: 1, mostValidations: 1 },
        { output: { name: 'reply', type: 'text' }, performance: 'exact_match' },
      );
      const { id } = await written({
        authorLabel: ['Guten Tag'],
        label: ['Guten Tag'],
        fooled: true,
        answers: [{ model: 'm', specification: 's', answer: 'Tag', milliseconds: 1, at: '2026-11-22T00:00:00Z' }],
      });
      await next('ada');
      const first = await answer('ada', id, { label: 'Hallo' });
      expect(first.body.author.answers).toEqual(['Tag']);
      await judge('ada', first.body.id as string, { verdict: 'correct', modelWrong: false });
      expect(await stored(id)).toMatchObject({ outcome: 'validated', fooled: false });
    });
  });

  describe('an owner', () => {
    it('decides alone, which is marked, also where it was decided before', async () => {
      const { id } = await written();
      const first = await decide('owner', id, { outcome: 'rejected', reason: 'nonsense' });
      expect(first).toMatchObject({ status: 200, body: { outcome: 'rejected', decidedByOwner: true } });
      const again = await decide('owner', id, { outcome: 'validated', label: 'neutral', reason: 'on appeal' });
      expect(again.body).toMatchObject({ outcome: 'validated', label: ['neutral'], decidedByOwner: true });
      expect((await decide('owner', id, { outcome: 'validated', reason: 'as it was' })).body.label).toEqual([
        'entailment',
      ]);
      const rows = await world.orm.em.fork().find(Validation, { annotation: id });
      expect(rows).toEqual([expect.objectContaining({ byOwner: true, verdict: 'correct', reason: 'as it was' })]);
      expect(await events('annotation.decided', id)).toBe(3);
    });
  });

  describe('at once', () => {
    it('five validators bring one decision, and nobody more than the most', async () => {
      await start({ validations: 3, mostValidations: 5 });
      const { id } = await written();
      // simulates five assignments of the same example, some of them long ago
      const people = VALIDATORS.slice(0, 5);
      for (const by of people)
        await made.validated({ id } as Annotation, { by, label: null, verdict: null, answeredAt: null });
      const answers = await Promise.all(
        people.map((who) => answer(who, id, { label: 'entailment', verdict: 'correct' })),
      );
      const codes = answers.map(({ status, body }) => (status === 201 ? 'taken' : (body.code as string))).sort();
      expect(codes).toEqual(['decided_already', 'decided_already', 'taken', 'taken', 'taken']);
      expect(await events('annotation.decided', id)).toBe(1);
      expect(await stored(id)).toMatchObject({ outcome: 'validated' });
    });

    it('a close and answers: what was answered before it counts, what comes after is refused', async () => {
      const items = [await written(), await written(), await written()];
      const handed: [string, string][] = [];
      for (const who of VALIDATORS.slice(0, 4)) handed.push([who, (await next(who)).body.id as string]);
      const close = world.call('POST', `/tasks/${slug}/rounds/1/close`, { token: tokens['owner'], body: {} });
      const answers = await Promise.all(
        handed.map(([who, id]) => answer(who, id, { label: 'entailment', verdict: 'correct' })),
      );
      expect((await close).status).toBe(202);
      const outcomes = answers.map(({ status, body }) => (status === 201 ? 'taken' : (body.code as string)));
      for (const outcome of outcomes) expect(['taken', 'round_closed']).toContain(outcome);
      const counted = await world.orm.em.fork().count(Validation, {
        annotation: { $in: items.map(({ id }) => id) },
        verdict: 'correct',
      });
      expect(counted).toBe(outcomes.filter((outcome) => outcome === 'taken').length);
      expect((await next('gus')).body.code).toBe('nothing_to_validate');
    });

    it('a double click is one answer', async () => {
      await written();
      const { body } = await next('ada');
      const both = await Promise.all([1, 2].map(() => answer('ada', body.id as string, { label: 'neutral' })));
      expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    });

    it("an owner's decision and an answer do not both decide", async () => {
      await start({ validations: 1, mostValidations: 1 });
      const { id } = await written();
      await next('ada');
      const [byOwner, byValidator] = await Promise.all([
        decide('owner', id, { outcome: 'flagged', reason: 'spam' }),
        answer('ada', id, { label: 'entailment', verdict: 'correct' }),
      ]);
      expect(byOwner.status).toBe(200);
      expect([201, 409]).toContain(byValidator.status);
      expect(await stored(id)).toMatchObject({ outcome: 'flagged', decidedByOwner: true });
    });
  });

  describe('is refused', () => {
    it("of one's own, of what was not handed out, and twice", async () => {
      const { id } = await written();
      const refused = async (given: Promise<ApiAnswer>) => {
        const { status, body } = await given;
        return [status, body.code];
      };
      expect(await refused(answer('writer', id, { label: 'neutral' }))).toEqual([403, 'own_example']);
      expect(await refused(answer('ada', id, { label: 'neutral' }))).toEqual([404, 'not_found']);
      await next('ada');
      const { body } = await answer('ada', id, { label: 'neutral' });
      expect(await refused(answer('ada', id, { label: 'neutral' }))).toEqual([409, 'validated_already']);
      await judge('ada', body.id as string, { verdict: 'correct' });
      expect(await refused(judge('ada', body.id as string, { verdict: 'correct' }))).toEqual([
        409,
        'validated_already',
      ]);
      expect(await refused(judge('bob', body.id as string, { verdict: 'correct' }))).toEqual([404, 'not_found']);
      expect(await refused(decide('ada', id, { outcome: 'rejected', reason: 'no' }))).toEqual([404, 'not_found']);
    });

    it.each([
      ['a label outside the task', { label: 'perhaps' }, 422, 'unknown_label'],
      ['two labels', { label: ['neutral', 'entailment'] }, 422, 'wrong_label'],
      ['an empty label', { label: '  ' }, 422, 'empty_label'],
      ['a number', { label: 3 }, 422, 'wrong_label'],
      ['no label', {}, 422, 'validation_failed'],
      ['a flag without a reason', { verdict: 'flagged' }, 422, 'reason_needed'],
      ['an unknown key', { label: 'neutral', author: 'x' }, 422, 'validation_failed'],
      ['a label of more than its limit', { label: 'x'.repeat(20_001) }, 422, 'validation_failed'],
    ])('with %s', async (_, body, status, code) => {
      const { id } = await written();
      await next('ada');
      expect(await answer('ada', id, body)).toMatchObject({ status, body: { code } });
    });

    it.each([
      ['incorrect without what is right', { verdict: 'incorrect' }, 'right_label_needed'],
      ["incorrect with the author's label", { verdict: 'incorrect', label: 'entailment' }, 'label_of_the_author'],
      ['correct with a label', { verdict: 'correct', label: 'neutral' }, 'validation_failed'],
      ['a required question left out', { verdict: 'correct' }, 'field_missing'],
      ['a question that there is not', { verdict: 'correct', extra: { clear: true, odd: 1 } }, 'unknown_field'],
      ['an answer of another type', { verdict: 'correct', extra: { clear: 'yes' } }, 'wrong_field'],
    ])('with a verdict: %s', async (_, body, code) => {
      await start({ validationFields: [{ name: 'clear', label: 'Is it clear?', type: 'boolean', required: true }] });
      const { id } = await written();
      await next('ada');
      const first = await answer('ada', id, { label: 'neutral' });
      expect(await judge('ada', first.body.id as string, body)).toMatchObject({ status: 422, body: { code } });
    });

    it('before a label, and of an example that was taken back', async () => {
      const { id } = await written();
      await next('ada');
      const em = world.orm.em.fork();
      const validation = await em.findOneOrFail(Validation, { annotation: id });
      expect(await judge('ada', validation.id, { verdict: 'correct' })).toMatchObject({
        status: 409,
        body: { code: 'label_first' },
      });
      await em.nativeUpdate(Annotation, id, { retractedAt: new Date() });
      expect((await answer('ada', id, { label: 'neutral' })).body.code).toBe('example_retracted');
      expect((await decide('owner', id, { outcome: 'rejected', reason: 'no' })).body.code).toBe('example_retracted');
    });

    it('to owners of models in the round, people who have not agreed, and people who have seen enough', async () => {
      await start({ contentWarning: 'slurs', exposurePerDay: 1 });
      await written();
      expect(await next('ada')).toMatchObject({ status: 403, body: { code: 'consent_needed' } });
      const agreed = { age: true, warned: true };
      for (const who of ['ada', 'builder']) {
        const token = tokens[who]!;
        expect((await world.call('POST', `/tasks/${slug}/consent`, { token, body: agreed })).status).toBe(200);
      }
      const em = world.orm.em.fork();
      const owner = await em.findOneOrFail(User, { username: 'builder' });
      const { body } = await world.call('POST', `/tasks/${slug}/models`, {
        token: tokens['builder']!,
        body: { name: 'Mine', kind: 'container' },
      });
      const model = await em.findOneOrFail(Model, { id: body.id as string, owner });
      em.create(RoundModel, { round: made.round.id, model, reason: 'named', since: new Date() });
      await em.flush();
      expect(await next('builder')).toMatchObject({ status: 403, body: { code: 'own_model_in_round' } });

      await correct('ada');
      await written();
      expect((await next('ada')).body.code).toBe('exposure_reached');
    });

    it('to nobody in particular', async () => {
      expect((await world.call('POST', `/tasks/${slug}/validate/next`)).status).toBe(401);
      expect((await next('ada')).body.code).toBe('nothing_to_validate');
    });
  });
});
