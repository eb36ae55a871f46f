import { TaskDefinition } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import type { Model } from './model.js';
import { specificationKey, specify } from './run-specification.js';

const definition = (more: object = {}) =>
  TaskDefinition.parse({
    slug: 'task',
    name: 'Task',
    inputs: [{ name: 'text', type: 'text' }],
    output: { name: 'label', type: 'label', labels: ['a', 'b'] },
    performance: 'accuracy',
    ...more,
  });
const key = (task: TaskDefinition, model: object = {}, digest = 'd') => {
  const given = { kind: 'container', command: null, protocol: 'invocations', ...model } as unknown as Model;
  return specificationKey(specify(task, given, { digest }));
};

describe('the key of a run specification', () => {
  it('is the same for whoever submits the same to tasks that run it alike', () => {
    expect(key(definition(), { name: 'one' })).toBe(key(definition({ slug: 'other' }), { name: 'two' }));
    expect(key(definition({ limits: { artifact: '1MiB', unpacked: '2MiB' } }))).toBe(key(definition()));
    expect(specificationKey({ b: 1, a: undefined } as never)).toBe(specificationKey({ b: 1 } as never));
  });

  it('is another for whatever decides the behaviour', () => {
    const keys = [
      key(definition()),
      key(definition(), {}, 'other'),
      key(definition(), { command: ['serve'] }),
      key(definition(), { kind: 'onnx' }),
      key(definition({ limits: { memory: '1GiB' } })),
      key(definition({ limits: { tolerance: 0.1 } })),
      key(definition({ runtime: 'runsc' })),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});
