import { describe, expect, it } from '@jest/globals';
import { YamlSource } from './yaml-source.js';

const TEXT = `# a task
slug: nli
defaults: &shared { cpus: 1, memory: lots }
limits: *shared
weights:
  accuracy: 4
  a.b: -1
slices:
  - genre
  - { field: group, wrong: 1 }
`;

describe('YamlSource', () => {
  const at = (path: string) => {
    const [found] = new YamlSource(TEXT).located([{ path, message: '' }]);
    return [found?.line, found?.column];
  };

  it.each([
    ['slug', 2, 1],
    ['weights.accuracy', 6, 3],
    ['weights.a.b', 7, 3],
    ['slices.0', 9, 5],
    ['slices.1.wrong', 10, 21],
    ['limits.memory', 3, 30],
    // what is missing: where it is missing
    ['slices.1.match', 10, 5],
    ['weights.throughput', 5, 1],
  ])('finds %s in line %i, at %i', (path, line, column) => {
    expect(at(path)).toEqual([line, column]);
  });

  it('has no line for what is missing altogether', () => {
    expect(at('name')).toEqual([undefined, undefined]);
    expect(at('')).toEqual([undefined, undefined]);
  });

  it.each([
    ['a: 1\nb: [2\nc: 3', 3],
    ['a: 1\na: 2', 2],
    ['a: *nothing', 1],
    ['a: 1\n---\nb: 2', 2],
  ])('says in which line %j ceases to be YAML', (text, line) => {
    const { problems, value } = new YamlSource(text);
    expect(value).toBeUndefined();
    expect(problems[0]).toMatchObject({ path: '', line });
  });

  it('gives up on aliases that would fill the memory', () => {
    const levels = Array.from({ length: 9 }, (_, n) => `l${n + 1}: &l${n + 1} [${Array(9).fill(`*l${n}`).join(', ')}]`);
    const { problems } = new YamlSource(['l0: &l0 [1]', ...levels].join('\n'));
    expect(problems[0]!.message).toContain('alias');
  });
});
