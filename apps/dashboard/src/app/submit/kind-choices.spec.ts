import type { Task } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { kindChoices } from './kind-choices.js';

type Terms = Parameters<typeof kindChoices>[0];

const dataset = (more: Partial<Task['datasets'][number]>) =>
  ({ use: 'scoring', status: 'active', visibility: 'public', ...more }) as Task['datasets'][number];
const TASK: Terms = {
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['a', 'b'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  datasets: [dataset({})],
};
const choice = (kind: string, task: Partial<Terms> = {}) =>
  kindChoices({ ...TASK, ...task }).find((each) => each.kind === kind);

describe('kindChoices', () => {
  it('takes all three where nothing stands against them', () => {
    expect(kindChoices(TASK).map(({ kind, refusal, caution }) => [kind, refusal, caution])).toEqual([
      ['container', undefined, undefined],
      ['onnx', undefined, undefined],
      ['predictions', undefined, undefined],
    ]);
  });

  it('has no runner for images, for three texts, and for free text', () => {
    const text = (name: string) => ({ name, type: 'text' as const });
    expect(choice('onnx', { inputs: [{ name: 'picture', type: 'image' }] })?.refusal).toBeDefined();
    expect(choice('onnx', { inputs: [text('a'), text('b'), text('c')] })?.refusal).toBeDefined();
    expect(choice('onnx', { output: { name: 'reply', type: 'text' } })?.refusal).toBeDefined();
    expect(choice('onnx', { output: { name: 'answer', type: 'span', of: 'text' } })?.refusal).toBeUndefined();
  });

  it('refuses predictions for what is hidden and counts', () => {
    const hidden = { visibility: 'hidden' as const };
    expect(choice('predictions', { datasets: [dataset(hidden), dataset({})] })?.refusal).toContain('1 of its 2');
    const harmless = [dataset({ ...hidden, use: 'reporting' }), dataset({ ...hidden, status: 'retired' }), dataset({})];
    expect(choice('predictions', { datasets: harmless })?.refusal).toBeUndefined();
  });

  it('says where predictions are not ranked', () => {
    const { inputs, output, performance, datasets } = TASK;
    expect(kindChoices({ inputs, output, performance, datasets })[2]?.caution).toBeDefined();
    expect(choice('predictions', { weights: { accuracy: 1, memory: 0 } })?.caution).toBeUndefined();
    expect(choice('predictions', { weights: { accuracy: 1, latency_p95: 1 } })?.caution).toBeDefined();
  });
});
