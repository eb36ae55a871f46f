import type { CrowdOffer, CrowdSession, NextContext } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { stepOf, taskOf } from './crowd-steps.js';

const session = (state: CrowdSession['state'], done = 0): CrowdSession =>
  ({ state, examples: { done, of: 2 } }) as CrowdSession;

describe('the step of a session', () => {
  it.each(['failed', 'ended', 'finished'] as const)('is that of its state if it is %s', (state) => {
    expect(stepOf(session(state), false)).toBe(state);
    expect(stepOf(session(state, 2), true)).toBe(state);
  });

  it('is the terms until the worker has agreed', () => {
    expect(stepOf(session('onboarding'), false)).toBe('terms');
    expect(stepOf(session('working', 2), false)).toBe('terms');
  });

  it('is the test before the first example', () => expect(stepOf(session('onboarding'), true)).toBe('test'));

  it('is writing until all examples are written', () => {
    expect(stepOf(session('working', 1), true)).toBe('writing');
    expect(stepOf(session('working', 2), true)).toBe('written');
  });
});

describe('the task of an offer', () => {
  const offer = (task: object): CrowdOffer =>
    ({
      task: { language: 'de', inputs: ['place', 'text'], labels: null, contentWarning: null, ...task },
    }) as CrowdOffer;
  const rules = { span: 'text', fooled: { 'f1-below': 0.4 }, explanations: ['model'] } as NextContext['rules'];

  it.each(['label', 'labels'])('has the labels of an output of type %s', (answer) => {
    const { output } = taskOf(offer({ answer, labels: ['no', 'yes'] }));
    expect(output).toMatchObject({ type: answer, labels: ['no', 'yes'] });
  });

  it('names the input in which a span is marked', () => {
    expect(taskOf(offer({ answer: 'span' }), rules).output).toMatchObject({ type: 'span', of: 'text' });
  });

  it.each(['text', 'number'])('has an output of type %s', (answer) => {
    expect(taskOf(offer({ answer })).output).toMatchObject({ type: answer });
  });

  it('has the inputs in their order, and the rules of the round', () => {
    expect(taskOf(offer({ answer: 'text', contentWarning: 'Insults.' }), rules)).toMatchObject({
      language: 'de',
      inputs: [{ name: 'place' }, { name: 'text' }],
      collection: { fooled: { 'f1-below': 0.4 }, contentWarning: 'Insults.', explanations: ['model'], fields: [] },
    });
  });
});
