import { Annotation } from '@assay/collection/annotating';
import { Context, Participation, RoundModel } from '@assay/collection/rounds';
import { DomainError } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AnnotatingRound, annotatingRound, answerBy } from '../../factories/worlds/annotating-world.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const STRANGER = '00000000-0000-7000-8000-000000000000';
const NLI = {
  slug: 'nli',
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' as const },
    { name: 'hypothesis', type: 'text' as const },
  ],
  output: { name: 'label', type: 'label' as const, labels: ['entailment', 'neutral', 'contradiction'] },
  performance: 'accuracy' as const,
};
const STORY =
  'The old lighthouse keeper climbed the narrow stairs every evening to light the lamp before the ships came home.';
const contexts = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ content: { context: `${STORY} (${n})` } }));

describe('what annotating refuses', () => {
  let world: ApiWorld;
  let nli: AnnotatingRound;
  let people = 0;

  beforeAll(async () => {
    world = await apiWorld();
    nli = await annotatingRound(world, { definition: NLI, contexts: contexts(60) });
  }, 300_000);
  afterAll(() => world.close());
  beforeEach(() => answerBy(world, () => ({ answer: 'neutral', probabilities: [0.2, 0.6, 0.2] })));

  const person = () => world.user(`writer-${++people}`);
  const count = () => world.orm.em.fork().count(Annotation);

  it.each([
    ['a label outside the task', { label: 'perhaps' }, 'unknown_label', 'entailment, neutral, contradiction'],
    ['several labels where there is one', { label: ['neutral'] }, 'unknown_label', 'one of'],
    ['a number for a label', { label: 3 }, 'unknown_label', '"3"'],
    ['an empty input', { input: { hypothesis: '' } }, 'empty_input', '"hypothesis"'],
    ['white space alone', { input: { hypothesis: ' \n\t\u00a0\u200b' } }, 'empty_input', '"hypothesis"'],
    ['no input', { input: {} }, 'empty_input', '"hypothesis"'],
    ['a number for a text', { input: { hypothesis: 3 } }, 'empty_input', '"hypothesis"'],
    ['an input over its limit', { input: { hypothesis: 'a'.repeat(5_001) } }, 'input_too_long', '5001'],
    ['an input that is the context', { input: { hypothesis: 'A.', context: 'B.' } }, 'unknown_input', '"context"'],
    ['a context that is not there', { context: STRANGER }, 'wrong_context', 'round 1'],
    ['an answer to no question of the task', { extra: { colour: 'red' } }, 'unknown_field', '"colour"'],
    ['a mark where nothing is marked', { span: { start: 0, end: 1 } }, 'wrong_span', '"span"'],
    ['a verdict where the rule decides', { fooled: true }, 'fooled_not_asked', '"fooled"'],
    ['the contrast to an example that is not there', { contrastTo: STRANGER }, 'wrong_contrast', 'contrast'],
    ['another goal than was shown', { goal: 'entailment' }, 'not_the_goal', '"entailment"'],
    ['a key with a blank', { key: 'a b' }, 'validation_failed', 'key'],
    ['a field that is none', { colour: 'red' }, 'validation_failed', 'colour'],
  ])('%s', async (_, change, code, named) => {
    const token = await person();
    const { context } = (await nli.next(token)).body;
    const before = await count();
    const right = { key: 'a', context: context.id, input: { hypothesis: 'He climbed.' }, label: 'neutral' };
    const refused = await nli.write(token, { ...right, ...change });
    expect(refused).toMatchObject({ status: 422, body: { code } });
    expect(refused.body.detail).toContain(named);
    expect(await count()).toBe(before);
    // the refusal used up neither the context nor the key
    expect((await nli.write(token, right)).status).toBe(201);
  });

  it('a context of another round', async () => {
    const other = await annotatingRound(world, { definition: { ...NLI, slug: 'nli-other' }, contexts: contexts(1) });
    const token = await person();
    await nli.next(token);
    const foreign = { key: 'a', context: other.contexts[0], input: { hypothesis: 'A.' }, label: 'neutral' };
    expect((await nli.write(token, foreign)).body.code).toBe('wrong_context');
    expect((await nli.write(token, foreign, '?trial')).body.code).toBe('wrong_context');
  });

  it('a context that was not handed out, and a second example for one that was', async () => {
    const token = await person();
    const free = { key: 'a', context: nli.contexts[0], input: { hypothesis: 'Nobody asked.' }, label: 'neutral' };
    expect(await nli.write(token, free)).toMatchObject({ status: 409, body: { code: 'no_assignment' } });
    const { context } = (await nli.next(token)).body;
    const example = { key: 'a', context: context.id, input: { hypothesis: 'The lamp was lit.' }, label: 'neutral' };
    expect((await nli.write(token, example)).status).toBe(201);
    const second = { ...example, key: 'b', input: { hypothesis: 'The lamp was out.' } };
    expect(await nli.write(token, second)).toMatchObject({ status: 409, body: { code: 'already_sent' } });
    // after the context is requested again, it accepts a second example
    expect((await nli.next(token, { context: context.id })).body.context.id).toBe(context.id);
    expect((await nli.write(token, second)).status).toBe(201);
    const other = nli.contexts.find((id) => id !== context.id);
    expect((await nli.next(token, { context: other })).status).toBe(404);
  });

  it('another example under the same key; the same one is the same', async () => {
    const token = await person();
    const { context } = (await nli.next(token)).body;
    const example = { key: 'k', context: context.id, input: { hypothesis: 'Ships came.' }, label: 'neutral' };
    const first = await nli.write(token, example);
    expect(await nli.write(token, example)).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect(await nli.write(token, { ...example, label: 'entailment' })).toMatchObject({
      status: 409,
      body: { code: 'key_reused' },
    });
  });

  it('everything of a closed round but what was sent before', async () => {
    const closing = await annotatingRound(world, { definition: { ...NLI, slug: 'nli-closed' }, contexts: contexts(3) });
    const token = await person();
    const { context } = (await closing.next(token)).body;
    const example = { key: 'a', context: context.id, input: { hypothesis: 'He slept.' }, label: 'neutral' };
    const sent = await closing.write(token, example);
    const { context: second } = (await closing.next(token)).body;
    await world.orm.em.fork().nativeUpdate(Round, closing.roundId, { state: 'closing', closingStep: 'freeze' });

    const late = { ...example, key: 'b', context: second.id };
    expect(await closing.write(token, late)).toMatchObject({ status: 409, body: { code: 'round_closed' } });
    expect((await closing.write(token, late, '?trial')).body.code).toBe('round_closed');
    expect(await closing.write(token, example)).toMatchObject({ status: 200, body: { id: sent.body.id } });
    expect(await closing.next(token)).toMatchObject({ status: 409, body: { code: 'no_open_round' } });
    const path = `/annotations/${sent.body.id}`;
    expect((await world.call('POST', `${path}/retract`, { token })).body.code).toBe('frozen');
    expect((await world.call('PATCH', path, { token, body: {} })).body.code).toBe('round_closed');
    const inspected = await world.call('POST', '/tasks/nli-closed/rounds/1/inspect', {
      token,
      body: { context: second.id, input: example.input },
    });
    expect(inspected.body.code).toBe('round_closed');
  });

  it("changing somebody else's example, and marking a context that one was never shown", async () => {
    const [author, other] = [await person(), await person()];
    const { context } = (await nli.next(author)).body;
    const { body } = await nli.write(author, {
      key: 'a',
      context: context.id,
      input: { hypothesis: 'So.' },
      label: 'neutral',
    });
    for (const [method, path] of [
      ['PATCH', `/annotations/${body.id}`],
      ['POST', `/annotations/${body.id}/retract`],
      ['POST', `/annotations/${body.id}/inspect`],
      ['POST', `/contexts/${context.id}/skip`],
    ] as const) {
      expect((await world.call(method, path, { token: other, body: {} })).status).toBe(404);
    }
    const flag = `/contexts/${context.id}/flag`;
    expect((await world.call('POST', flag, { token: other, body: { reason: 'bad' } })).status).toBe(404);
    expect((await world.call('POST', flag, { token: author, body: { reason: '  ' } })).status).toBe(422);
    expect((await world.call('POST', `/annotations/${body.id}/retract`, { token: nli.owner })).body.code).toBe(
      'not_the_author',
    );
    expect((await world.call('POST', '/tasks/nli/annotate/next')).status).toBe(401);
  });

  it('who has a model in the round, who has not agreed, and who has written enough today', async () => {
    expect(await nli.next(nli.owner)).toMatchObject({ status: 403, body: { code: 'own_model_in_round' } });
    const strict = await annotatingRound(world, {
      definition: {
        ...NLI,
        slug: 'nli-strict',
        collection: { examplesPerDay: 1, contentWarning: 'Storms.', consent: { version: '1', text: 'Do you agree?' } },
      },
      contexts: contexts(3),
    });
    const token = await person();
    expect(await strict.next(token)).toMatchObject({ status: 403, body: { code: 'consent_needed' } });
    const sent = { key: 'a', context: strict.contexts[0], input: { hypothesis: 'A.' }, label: 'neutral' };
    expect((await strict.write(token, sent)).body.code).toBe('consent_needed');
    expect((await strict.write(token, sent, '?trial')).body.code).toBe('consent_needed');
  });

  it('more trials a day than ten times the examples, and inspections among them', async () => {
    const tried = await annotatingRound(world, {
      definition: { ...NLI, slug: 'nli-tried', collection: { examplesPerDay: 1 } },
      contexts: contexts(1),
    });
    const token = await person();
    const context = tried.contexts[0];
    const example = { key: 'a', context, input: { hypothesis: 'He slept.' }, label: 'neutral' };
    const inspect = () =>
      world.call('POST', '/tasks/nli-tried/rounds/1/inspect', { token, body: { context, input: example.input } });
    for (let trial = 1; trial < 10; trial++) expect((await tried.write(token, example, '?trial')).status).toBe(200);
    expect((await inspect()).status).toBe(200);
    expect(await inspect()).toMatchObject({ status: 429, body: { code: 'trial_cap' } });
    expect(await tried.write(token, example, '?trial')).toMatchObject({ status: 429, body: { code: 'trial_cap' } });
    // other people are not affected, and neither are trials of another day
    expect((await tried.write(await person(), example, '?trial')).status).toBe(200);
    await world.orm.em.fork().nativeUpdate(Participation, { round: tried.roundId }, { trialsOn: '2020-01-01' });
    expect((await inspect()).status).toBe(200);
  });

  it('more examples a day than the task takes, and more for a context than it wants', async () => {
    const capped = await annotatingRound(world, {
      definition: { ...NLI, slug: 'nli-capped', collection: { examplesPerDay: 2, examplesPerContext: 1 } },
      contexts: contexts(3),
    });
    const token = await person();
    let full = '';
    for (const left of [2, 1]) {
      const next = await capped.next(token);
      expect(next.body.left).toBe(left);
      full = next.body.context.id;
      await capped.write(token, {
        key: `${left}`,
        context: full,
        input: { hypothesis: `${left} ships.` },
        label: 'neutral',
      });
    }
    const refused = await capped.next(token);
    expect(refused).toMatchObject({ status: 429, body: { code: 'daily_cap' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const other = await person();
    const { context } = (await capped.next(other)).body;
    await world.orm.em.fork().nativeUpdate(Context, context.id, { annotations: 1 });
    const late = await capped.write(other, {
      key: 'a',
      context: context.id,
      input: { hypothesis: 'Late.' },
      label: 'neutral',
    });
    expect(late).toMatchObject({ status: 409, body: { code: 'context_full' } });
  });

  it('an answer that does not stand in the context, where it is to be marked there', async () => {
    const qa = await annotatingRound(world, {
      definition: {
        ...NLI,
        slug: 'qa',
        inputs: [
          { name: 'passage', type: 'text' },
          { name: 'question', type: 'text' },
        ],
        output: { name: 'answer', type: 'span', of: 'passage' },
        performance: 'squad_f1',
      },
      contexts: [{ content: { passage: STORY } }],
    });
    answerBy(world, () => ({ answer: 'the ships' }));
    const token = await person();
    const { context, rules } = (await qa.next(token)).body;
    expect(rules).toMatchObject({ span: 'passage', fooled: { 'f1-below': 0.4 } });
    const example = { key: 'a', context: context.id, input: { question: 'What did he light?' } };
    expect((await qa.write(token, { ...example, label: 'the candle' })).body.code).toBe('answer_not_in_context');
    expect((await qa.write(token, { ...example, label: ' ' })).body.code).toBe('empty_answer');
    const start = STORY.indexOf('the lamp');
    const wrong = { ...example, label: 'the lamp', span: { start: 0, end: 8 } };
    expect((await qa.write(token, wrong)).body.code).toBe('answer_not_in_context');
    const marked = await qa.write(token, { ...wrong, span: { start, end: start + 8 } });
    expect(marked).toMatchObject({ status: 201, body: { label: ['the lamp'], fooled: true } });
    const kept = await world.orm.em.fork().findOneOrFail(Annotation, marked.body.id);
    expect(kept.span).toEqual({ start, end: start + 8 });
  });

  describe('what the automatic checks find', () => {
    const SENTENCE = 'Every evening somebody had to climb all the stairs of the tower.';
    const collection = (level: 'warn' | 'block' | 'off') => ({
      length: { shortest: 10, longest: 5_000 },
      checks: { duplicate: level, copy: level, language: level, length: level },
    });
    const cases = [
      ['duplicate', 'duplicate_example', `${SENTENCE.replace('Every', 'each')}..`],
      ['copy', 'copied_context', STORY],
      [
        'language',
        'other_language',
        'Der alte Leuchtturmwärter stieg jeden Abend die enge Treppe hinauf, um die Lampe anzuzünden, bevor es dunkel wurde.',
      ],
      ['length', 'input_length', 'Short.'],
    ] as const;

    it.each(['warn', 'block', 'off'] as const)('where the task says %s', async (level) => {
      const slug = `nli-${level}`;
      const checked = await annotatingRound(world, {
        definition: { ...NLI, slug, collection: collection(level) },
        contexts: contexts(12),
      });
      const [author, token] = [await person(), await person()];
      const first = (await checked.next(author)).body.context.id;
      const original = { key: 'o', context: first, input: { hypothesis: SENTENCE }, label: 'neutral' };
      expect((await checked.write(author, original)).body.findings).toEqual([]);

      for (const [check, code, hypothesis] of cases) {
        const { context } = (await checked.next(token)).body;
        const example = { key: check, context: context.id, input: { hypothesis }, label: 'neutral' };
        const tried = await checked.write(token, example, '?trial');
        const sent = await checked.write(token, example);
        const found = [{ check, blocking: level === 'block' }];
        expect(tried.body.findings).toMatchObject(level === 'off' ? [] : found);
        if (level === 'block') expect(sent).toMatchObject({ status: 422, body: { code, errors: [{ path: check }] } });
        else expect(sent.body.findings).toMatchObject(level === 'off' ? [] : found);
      }
    });
  });

  it('is answered later where no model can answer now: the same key continues from there', async () => {
    const token = await person();
    const { context } = (await nli.next(token)).body;
    answerBy(world, () => {
      throw new DomainError('unavailable', 'model_starting', 'The model is starting: 40 percent.');
    });
    const example = {
      key: 'cold',
      context: context.id,
      input: { hypothesis: 'It was cold there.' },
      label: 'entailment',
    };
    expect(await nli.write(token, example)).toMatchObject({
      status: 503,
      body: { code: 'model_starting', detail: expect.stringContaining('40 percent') },
    });
    const em = world.orm.em.fork();
    expect(await em.findOneOrFail(Annotation, { context: context.id })).toMatchObject({
      answeredAt: null,
      fooled: null,
    });

    answerBy(world, () => ({ answer: 'neutral' }));
    const again = await nli.write(token, example);
    expect(again).toMatchObject({ status: 200, body: { fooled: true, answers: [{ answer: 'neutral' }] } });
    expect(await world.orm.em.fork().count(Annotation, { context: context.id })).toBe(1);
  });

  it('an example where all models of the round are gone is kept all the same', async () => {
    const gone = await annotatingRound(world, { definition: { ...NLI, slug: 'nli-gone' }, contexts: contexts(1) });
    const token = await person();
    const { context } = (await gone.next(token)).body;
    const em = world.orm.em.fork();
    await em.nativeUpdate(RoundModel, { round: gone.roundId }, { until: new Date() });
    const example = { key: 'a', context: context.id, input: { hypothesis: 'None.' }, label: 'neutral' };
    expect(await gone.write(token, example)).toMatchObject({ status: 503, body: { code: 'model_unavailable' } });
    await em.nativeUpdate(Round, gone.roundId, { state: 'closing', closingStep: 'settle' });
    expect(await gone.write(token, example)).toMatchObject({ status: 503, body: { code: 'model_unavailable' } });
    for (const closed of [
      { state: 'closing', closingStep: 'freeze' },
      { state: 'closed', closingStep: null },
    ] as const) {
      await em.nativeUpdate(Round, gone.roundId, closed);
      const refused = await gone.write(token, example);
      expect(refused).toMatchObject({ status: 409, body: { code: 'round_closed' } });
      const { id } = await em.findOneOrFail(Annotation, { round: gone.roundId });
      expect(refused.body.detail).toContain(`/annotations/${id}`);
      expect((await world.call('GET', `/annotations/${id}`, { token })).body).toMatchObject({ answers: [] });
    }
    await em.nativeUpdate(Round, gone.roundId, { state: 'open' });
    const model = await em.findOneOrFail(Model, gone.models[0]!);
    em.create(RoundModel, { round: gone.roundId, model, reason: 'replacement', since: new Date() });
    await em.flush();
    expect((await gone.write(token, example)).body.answers).toHaveLength(1);
  });
});
