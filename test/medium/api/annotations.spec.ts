import { Annotation, Assignment } from '@assay/collection/annotating';
import { Context } from '@assay/collection/rounds';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Round } from '@assay/tasks';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type AnnotatingRound, annotatingRound, answerBy } from '../../factories/worlds/annotating-world.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const LABELS = ['entailment', 'neutral', 'contradiction'];
const NLI = {
  slug: 'nli',
  name: 'Natural language inference',
  inputs: [
    { name: 'context', type: 'text' as const },
    { name: 'hypothesis', type: 'text' as const },
  ],
  output: { name: 'label', type: 'label' as const, labels: LABELS },
  performance: 'accuracy' as const,
};
const contexts = (count: number, tags: (index: number) => string[] = () => []) =>
  Array.from({ length: count }, (_, index) => ({
    content: { context: `Number ${index} of these stories is about a man who went to sea.` },
    tags: tags(index),
  }));

/**
 * A model that answers `contradiction` if the hypothesis contains "not", and `neutral` otherwise.
 */
const KEYWORD = (_: unknown, input: Readonly<Record<string, unknown>>) =>
  / not /.test(` ${String(input['hypothesis'])} `)
    ? { answer: 'contradiction', probabilities: [0.1, 0.2, 0.7] }
    : { answer: 'neutral', probabilities: [0.2, 0.5, 0.3] };

describe('annotating', () => {
  let world: ApiWorld;
  let nli: AnnotatingRound;
  let people = 0;

  beforeAll(async () => {
    world = await apiWorld();
    nli = await annotatingRound(world, { definition: NLI, contexts: contexts(40) });
  }, 300_000);
  afterAll(() => world.close());
  beforeEach(() => answerBy(world, KEYWORD));

  const person = () => world.user(`person-${++people}`);
  const stored = (id: string) => world.orm.em.fork().findOneOrFail(Annotation, id);
  const contextOf = (id: string) => world.orm.em.fork().findOneOrFail(Context, id);

  it('hands out a context with the rules of the task, and tells at once whether the model was fooled', async () => {
    const token = await person();
    const next = await nli.next(token);
    expect(next).toMatchObject({
      status: 200,
      body: {
        round: 1,
        condition: null,
        goal: null,
        models: 1,
        rules: { written: ['hypothesis'], labels: LABELS, fooled: 'label-differs', facing: 'one' },
        left: 500,
      },
    });
    expect(next.body.context.content.context).toMatch(/went to sea/);

    const body = {
      key: 'a',
      context: next.body.context.id,
      input: { hypothesis: 'He went on land.' },
      label: 'contradiction',
    };
    const sent = await nli.write(token, body);
    expect(sent).toMatchObject({
      status: 201,
      body: {
        label: ['contradiction'],
        fooled: true,
        answers: [
          { place: 1, answer: 'neutral', probabilities: { entailment: 0.2, neutral: 0.5, contradiction: 0.3 } },
        ],
        outcome: 'pending',
        missing: [],
        editDistance: null,
      },
    });
    expect(JSON.stringify(sent.body)).not.toContain('Keyword');
    expect(JSON.stringify(sent.body)).not.toContain(nli.models[0]);
    expect(sent.body.seconds).toBeGreaterThanOrEqual(0);

    const annotation = await stored(sent.body.id);
    expect(annotation.input).toEqual({ ...next.body.context.content, hypothesis: 'He went on land.' });
    expect(annotation.answers[0]).toMatchObject({ model: nli.models[0], answer: 'neutral' });
    expect(annotation.target?.id).toBe(nli.models[0]);
    expect(await contextOf(body.context)).toMatchObject({ annotations: 1, fooled: 1 });
    const events = await world.orm.em.fork().find(OutboxEvent, { type: 'annotation.submitted' });
    expect(events.map(({ payload }) => payload)).toContainEqual({ annotationId: sent.body.id });
  });

  it('names the models to the owner of the task, and to the author once the round is closed', async () => {
    const other = await annotatingRound(world, { definition: { ...NLI, slug: 'nli-names' }, contexts: contexts(2) });
    const token = await person();
    const { body: next } = await other.next(token);
    const input = { hypothesis: 'It rains.' };
    const { body } = await other.write(token, { key: 'a', context: next.context.id, input, label: 'neutral' });
    const path = `/annotations/${body.id}`;
    const model = { id: other.models[0], name: 'Keyword' };

    expect((await world.call('GET', path, { token })).body.answers[0].model).toBeUndefined();
    expect((await world.call('GET', path, { token: other.owner })).body.answers[0].model).toEqual(model);
    expect((await world.call('GET', path, { token: await person() })).status).toBe(404);

    await world.orm.em.fork().nativeUpdate(Round, other.roundId, { state: 'closed' });
    expect((await world.call('GET', path, { token })).body.answers[0].model).toEqual(model);
  });

  it('gives the contexts with fewest examples first, each to one person at a time', async () => {
    const few = await annotatingRound(world, { definition: { ...NLI, slug: 'nli-few' }, contexts: contexts(3) });
    const tokens = [await person(), await person(), await person()];
    const given = [];
    for (const token of tokens) given.push((await few.next(token)).body.context.id);
    expect(new Set(given).size).toBe(3);
    expect(await few.next(await person())).toMatchObject({ status: 503, body: { code: 'contexts_taken' } });

    await few.write(tokens[0]!, { key: 'a', context: given[0], input: { hypothesis: 'A.' }, label: 'neutral' });
    await few.write(tokens[1]!, { key: 'a', context: given[1], input: { hypothesis: 'B.' }, label: 'neutral' });
    await world.call('POST', `/contexts/${given[2]}/skip`, { token: tokens[2] });
    expect((await few.next(await person())).body.context.id).toBe(given[2]);
  });

  it('gives a context that somebody left lying to the next, and still takes what they write', async () => {
    const one = await annotatingRound(world, { definition: { ...NLI, slug: 'nli-left' }, contexts: contexts(1) });
    const [slow, quick] = [await person(), await person()];
    const { id } = (await one.next(slow)).body.context;
    await world.orm.em.fork().nativeUpdate(Assignment, { context: id }, { expiresAt: new Date(0) });
    expect((await one.next(quick)).body.context.id).toBe(id);

    const body = { context: id, input: { hypothesis: 'It took a while to write.' }, label: 'neutral' };
    expect((await one.write(slow, { ...body, key: 'slow' })).status).toBe(201);
    expect((await one.write(quick, { ...body, key: 'quick', input: { hypothesis: 'Nobody slept.' } })).status).toBe(
      201,
    );
  });

  it('takes tags in turn, or the one that is asked for', async () => {
    const tagged = await annotatingRound(world, {
      definition: { ...NLI, slug: 'nli-tags', collection: { contexts: 'tag' } },
      contexts: contexts(9, (index) => [['a', 'b', 'c'][index % 3]!]),
    });
    const token = await person();
    const tags = [];
    for (let key = 0; key < 4; key++) {
      const { context } = (await tagged.next(token)).body;
      tags.push(context.tags[0]);
      await tagged.write(token, {
        key: String(key),
        context: context.id,
        input: { hypothesis: `${key}.` },
        label: 'neutral',
      });
    }
    expect(tags).toEqual(['a', 'b', 'c', 'a']);
    expect((await tagged.next(token, { tag: 'c' })).body.context.tags).toEqual(['c']);
    expect(await tagged.next(token, { tag: 'none' })).toMatchObject({ status: 409, body: { code: 'no_context_left' } });
  });

  it('shows a goal where the task does, all labels alike often, and holds the author to it', async () => {
    const shown = await annotatingRound(world, {
      definition: { ...NLI, slug: 'nli-goal', collection: { goal: 'shown' } },
      contexts: contexts(9),
    });
    const goals = [];
    for (let key = 0; key < 6; key++) {
      const token = await person();
      const { context, goal } = (await shown.next(token)).body;
      goals.push(goal);
      const example = { key: 'a', context: context.id, input: { hypothesis: 'Something.' } };
      const other = LABELS.find((label) => label !== goal);
      expect((await shown.write(token, { ...example, label: other })).body.code).toBe('not_the_goal');
      expect((await shown.write(token, { ...example, label: goal, goal })).body).toMatchObject({ goal });
    }
    expect(goals.sort()).toEqual([...LABELS, ...LABELS].sort());
  });

  it('keeps nothing of a trial, and asks the models all the same', async () => {
    const token = await person();
    const before = await world.orm.em.fork().count(Annotation);
    const body = { key: 'a', context: nli.contexts[39], input: { hypothesis: 'He did not go.' }, label: 'neutral' };
    // another test may have been assigned this context
    const { annotations } = await contextOf(body.context!);
    const tried = await nli.write(token, body, '?trial');
    expect(tried).toMatchObject({
      status: 200,
      body: { trial: true, fooled: true, answers: [{ answer: 'contradiction' }] },
    });
    expect(await world.orm.em.fork().count(Annotation)).toBe(before);
    expect((await contextOf(body.context!)).annotations).toBe(annotations);
  });

  it('shows no model in the control arm, and no prompt where the arm has none', async () => {
    const arms = (model: boolean, prompt: boolean, slug: string) =>
      annotatingRound(world, {
        definition: { ...NLI, slug, collection: { prompt: 'optional' } },
        contexts: [{ content: { context: 'A story.', prompt: 'He went home early.' } }],
        conditions: [{ name: 'arm', model, prompt, share: 1 }],
      });
    const control = await arms(false, true, 'nli-control');
    const token = await person();
    const next = (await control.next(token)).body;
    expect(next).toMatchObject({ condition: 'arm', models: 0, context: { prompt: 'He went home early.' } });
    const example = {
      key: 'a',
      context: next.context.id,
      input: { hypothesis: 'He went home late.' },
      label: 'neutral',
    };
    const { body } = await control.write(token, example);
    expect(body).toMatchObject({ condition: 'arm', fooled: null, answers: [], editDistance: 4 });
    expect(body.answeredAt).not.toBeNull();
    expect((await world.call('POST', `/annotations/${body.id}/inspect`, { token })).body.code).toBe('no_model_shown');

    const free = await arms(true, false, 'nli-free');
    const shown = (await free.next(token)).body;
    expect(shown.context.prompt).toBeUndefined();
    expect(JSON.stringify(shown.context)).not.toContain('early');
    expect((await free.write(token, { ...example, context: shown.context.id })).body.editDistance).toBeNull();
  });

  it('faces one model drawn for the context, the next where that one fails, or all of them', async () => {
    const models = ['First', 'Second', 'Third'];
    const drawn = await annotatingRound(world, {
      definition: { ...NLI, slug: 'nli-drawn' },
      contexts: contexts(60),
      models,
    });
    const targets = [];
    const token = await person();
    for (let key = 0; key < 30; key++) {
      const { context } = (await drawn.next(token)).body;
      const { body } = await drawn.write(token, {
        key: `${key}`,
        context: context.id,
        input: { hypothesis: `${key}.` },
        label: 'neutral',
      });
      targets.push((await stored(body.id)).target!.id);
    }
    expect(new Set(targets).size).toBe(3);

    const majority = await annotatingRound(world, {
      definition: { ...NLI, slug: 'nli-most', collection: { facing: 'majority' } },
      contexts: contexts(2),
      models,
    });
    answerBy(world, ({ name }) => ({ answer: name === 'Third' ? 'neutral' : 'entailment' }));
    const { context, models: faced } = (await majority.next(token)).body;
    expect(faced).toBe(3);
    const { body } = await majority.write(token, {
      key: 'a',
      context: context.id,
      input: { hypothesis: 'So.' },
      label: 'neutral',
    });
    expect(body).toMatchObject({
      fooled: true,
      answers: [{ place: 1 }, { place: 2 }, { place: 3, answer: 'neutral' }],
    });
  });

  it('changes an earlier example so that its label flips, and keeps the two as a pair', async () => {
    const pairs = await annotatingRound(world, { definition: { ...NLI, slug: 'nli-pairs' }, contexts: contexts(3) });
    const [author, other] = [await person(), await person()];
    const { context } = (await pairs.next(author)).body;
    const input = { hypothesis: 'The man loves the open sea and its storms.' };
    const first = (await pairs.write(author, { key: 'a', context: context.id, input, label: 'neutral' })).body;

    const next = (await pairs.next(other, { contrast: true })).body;
    expect(next).toMatchObject({ context: { id: context.id }, contrast: { id: first.id, input, label: ['neutral'] } });
    const pair = { key: 'b', context: context.id, contrastTo: first.id };
    const same = await pairs.write(other, { ...pair, input: { hypothesis: 'He loves it.' }, label: 'neutral' });
    expect(same).toMatchObject({ status: 422, body: { code: 'label_not_flipped' } });
    const unchanged = await pairs.write(other, { ...pair, input, label: 'contradiction' });
    expect(unchanged).toMatchObject({ status: 422, body: { code: 'contrast_unchanged' } });
    const flipped = { hypothesis: 'The man hates the open sea and its storms.' };
    const second = await pairs.write(other, { ...pair, input: flipped, label: 'contradiction' });
    expect(second).toMatchObject({ status: 201, body: { contrastTo: first.id, context: context.id, editDistance: 3 } });
    expect(second.body.findings).toEqual([]);
    expect((await pairs.next(other, { contrast: true })).body.code).toBe('no_contrast_left');

    // an annotator who has seen the label of an example does not validate it
    const validating = (token: string) => world.call('POST', '/tasks/nli-pairs/validate/next', { token, body: {} });
    expect((await validating(other)).body.code).toBe('nothing_to_validate');
    expect((await validating(await person())).status).toBe(200);
  });

  it('takes explanations and answers to its own questions later, all that are required', async () => {
    const fields = [
      { name: 'topic', label: 'What is it about?', type: 'choice' as const, choices: ['sea', 'land'], required: true },
      { name: 'hard', label: 'Was it hard?', type: 'boolean' as const },
    ];
    const asking = await annotatingRound(world, {
      definition: { ...NLI, slug: 'nli-asking', collection: { fields, explanations: ['example', 'model'] } },
      contexts: contexts(2),
    });
    const token = await person();
    const { context } = (await asking.next(token)).body;
    const example = { key: 'a', context: context.id, input: { hypothesis: 'Ships sink.' }, label: 'neutral' };
    const { body } = await asking.write(token, { ...example, explanations: { example: 'Nothing says so.' } });
    expect(body.missing).toEqual(['explanations.model', 'extra.topic']);
    const change = (sent: object) => world.call('PATCH', `/annotations/${body.id}`, { token, body: sent });

    expect((await change({ extra: { hard: true } })).body.code).toBe('field_missing');
    expect((await change({ extra: { topic: 'air' } })).body.code).toBe('invalid_field');
    expect((await change({ extra: { depth: 1 } })).body.code).toBe('unknown_field');
    expect((await change({ fooled: true })).body.code).toBe('fooled_not_asked');
    const done = await change({ extra: { topic: 'sea' }, explanations: { model: 'It guesses.' } });
    expect(done).toMatchObject({
      status: 200,
      body: {
        missing: [],
        extra: { topic: 'sea' },
        explanations: { example: 'Nothing says so.', model: 'It guesses.' },
      },
    });
  });

  it('takes an example back once, and its context counts it no more', async () => {
    const token = await person();
    const { context } = (await nli.next(token)).body;
    const { body } = await nli.write(token, {
      key: 'a',
      context: context.id,
      input: { hypothesis: 'Yes.' },
      label: 'entailment',
    });
    expect(body.fooled).toBe(true);
    const retract = () => world.call('POST', `/annotations/${body.id}/retract`, { token });
    const first = await retract();
    expect(first.body.retractedAt).not.toBeNull();
    expect((await retract()).body.retractedAt).toBe(first.body.retractedAt);
    expect(await contextOf(context.id)).toMatchObject({ annotations: 0, fooled: 0 });
    expect((await world.call('PATCH', `/annotations/${body.id}`, { token, body: {} })).body.code).toBe('retracted');
  });

  it('does not hand a context again to a user who skipped or flagged it, and counts both', async () => {
    const one = await annotatingRound(world, { definition: { ...NLI, slug: 'nli-marks' }, contexts: contexts(2) });
    const token = await person();
    const first = (await one.next(token)).body.context.id;
    expect((await world.call('POST', `/contexts/${first}/flag`, { token, body: { reason: 'no story' } })).status).toBe(
      204,
    );
    expect((await world.call('POST', `/contexts/${first}/flag`, { token, body: { reason: 'again' } })).status).toBe(
      204,
    );
    const second = (await one.next(token)).body.context.id;
    expect(second).not.toBe(first);
    expect((await world.call('POST', `/contexts/${second}/skip`, { token })).status).toBe(204);
    expect((await one.next(token)).body.code).toBe('no_context_left');
    expect(await contextOf(first)).toMatchObject({ flags: 1, skips: 0 });
    expect(await contextOf(second)).toMatchObject({ flags: 0, skips: 1 });
  });

  it('says which words mattered, of what was sent and of what was not yet', async () => {
    const token = await person();
    const { context } = (await nli.next(token)).body;
    const input = { hypothesis: 'Waves.' };
    const asked = { context: context.id, input, label: 'neutral' };
    const before = await world.call('POST', '/tasks/nli/rounds/1/inspect', { token, body: asked });
    expect(before).toMatchObject({
      status: 200,
      body: { method: 'occlusion', fields: { hypothesis: [{ token: 'neutral', start: 0, end: 6, weight: 1 }] } },
    });
    const { body } = await nli.write(token, { ...asked, key: 'i' });
    expect((await world.call('POST', `/annotations/${body.id}/inspect`, { token, body: {} })).status).toBe(200);
    const unknown = await world.call('POST', `/annotations/${body.id}/inspect`, { token, body: { label: 'so-so' } });
    expect(unknown.body.code).toBe('unknown_label');
  });

  it('lets the author say whether the model was wrong where the task asks, or has a text chosen among hard negatives', async () => {
    const reply = { name: 'reply', type: 'text' as const };
    const definition = { ...NLI, output: reply, performance: 'exact_match' as const };
    const asking = await annotatingRound(world, { definition: { ...definition, slug: 'ask' }, contexts: contexts(2) });
    answerBy(world, () => ({ answer: 'to Hamburg' }));
    const token = await person();
    const { context, rules } = (await asking.next(token)).body;
    expect(rules.fooled).toBe('ask');
    const example = { key: 'a', context: context.id, input: { hypothesis: 'Where did he go?' }, label: 'to the sea' };
    const { body } = await asking.write(token, example);
    expect(body.fooled).toBeNull();
    const change = (fooled: boolean) => world.call('PATCH', `/annotations/${body.id}`, { token, body: { fooled } });
    expect((await change(true)).body.fooled).toBe(true);
    expect((await contextOf(context.id)).fooled).toBe(1);
    expect((await change(false)).body.fooled).toBe(false);
    expect((await contextOf(context.id)).fooled).toBe(0);

    const choosing = await annotatingRound(world, {
      definition: { ...definition, slug: 'choose', collection: { distractors: 2 } },
      contexts: contexts(2).map((each) => ({
        ...each,
        metadata: { distractors: ['to Hamburg', 'home', 'to the sea!'] },
      })),
    });
    const next = (await choosing.next(token)).body.context.id;
    const chosen = (await choosing.write(token, { ...example, context: next })).body;
    expect(chosen.fooled).toBe(true);
    expect([...chosen.choices.texts].sort()).toEqual(['home', 'to Hamburg', 'to the sea']);
    expect(chosen.choices.texts[chosen.choices.right]).toBe('to the sea');
    expect(chosen.choices.texts[chosen.choices.chosen[0]]).toBe('to Hamburg');
    answerBy(world, () => ({ answer: 'He went to the sea.' }));
    const again = (await choosing.next(token)).body.context.id;
    const right = await choosing.write(token, { ...example, key: 'b', context: again });
    expect(right.body.fooled).toBe(false);
  });
});
