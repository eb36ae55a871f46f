import { Annotation } from '@assay/collection/annotating';
import { Participation, RoundModel } from '@assay/collection/rounds';
import { DomainError } from '@assay/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AnnotatingRound, annotatingRound, answerBy } from '../../factories/worlds/annotating-world.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

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
const INPUT = { context: 'It rains.', hypothesis: 'It is not dry.' };

describe('a question to a model in the loop', () => {
  let world: ApiWorld;
  let nli: AnnotatingRound;
  let people = 0;

  beforeAll(async () => {
    world = await apiWorld();
    nli = await annotatingRound(world, { definition: NLI, contexts: [], models: ['Keyword', 'Gone'] });
    await world.orm.em.fork().nativeUpdate(RoundModel, { model: nli.models[1]! }, { until: new Date() });
    answerBy(world, (_, { hypothesis }) => {
      if (hypothesis === 'cold') throw new DomainError('unavailable', 'model_starting', 'It starts.');
      return { answer: 'contradiction', probabilities: [0.1, 0.2, 0.7] };
    });
  }, 300_000);
  afterAll(() => world.close());

  const person = () => world.user(`person-${++people}`);
  const ask = (token: string | undefined, input: object = INPUT, model = nli.models[0]) =>
    world.call('POST', `/models/${model}/predict`, { token, body: { input } });

  it('is answered, and nothing of it is kept', async () => {
    const { status, body } = await ask(nli.owner);
    expect([status, body]).toEqual([
      200,
      {
        answer: 'contradiction',
        probabilities: { entailment: 0.1, neutral: 0.2, contradiction: 0.7 },
        milliseconds: 1,
        at: expect.any(String),
      },
    ]);
    const em = world.orm.em.fork();
    expect([await em.count(Annotation, {}), await em.count(Participation, {})]).toEqual([0, 0]);
  });

  it('is refused where it is no input of the task, or the model is not there to answer', async () => {
    const token = nli.owner;
    expect((await ask(token, { ...INPUT, label: 'x' })).body).toMatchObject({ status: 422, code: 'unknown_input' });
    expect((await ask(token, { context: 'It rains.' })).body).toMatchObject({
      code: 'invalid_input',
      errors: [{ path: 'input.hypothesis', message: 'is missing' }],
    });
    expect((await ask(token, { ...INPUT, context: 7 })).body.code).toBe('invalid_input');
    expect((await ask(token, INPUT, nli.models[1])).body).toMatchObject({ status: 409, code: 'not_in_loop' });
    expect((await ask(token, { ...INPUT, hypothesis: 'cold' })).body).toMatchObject({
      status: 503,
      code: 'model_starting',
    });
    expect((await ask(undefined)).body).toMatchObject({ status: 401, code: 'sign_in' });
  });

  it('shows a model that is not published to nobody but who may see it', async () => {
    expect((await ask(await person())).status).toBe(404);
  });

  it('can be asked 20 times a minute by each person', async () => {
    const [token, other] = [await person(), await person()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(token)));
    // the model of this round has no artifact, so it is not public
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(404));
    const refused = await ask(token);
    expect(refused.body).toMatchObject({ status: 429, code: 'too_many_questions' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit-policy')).toBe('"questions";q=20;w=60');
    expect(answers[0]!.headers.get('ratelimit')).toMatch(/^"questions";r=\d+;t=\d+$/);
    expect((await ask(other)).status).toBe(404);
  });
});
