import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskDefinition } from '@assay/contracts/tasks';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { CheckTerms, PublicDataset } from './check-terms.js';
import { exampleInstances, publicSample } from './example-instances.js';

const definition = TaskDefinition.parse({
  slug: 'task',
  name: 'Task',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['no', 'yes'] },
  performance: 'accuracy',
});
const { inputs, output, limits } = definition;
const TERMS: CheckTerms = { task: 'task', inputs, output, limits, runtime: 'runc', definition, publicDatasets: [] };
const api = () => Promise.reject(new Error('no server is needed'));

describe('the public sample', () => {
  const dataset = (name: string, examples: number): PublicDataset => ({ name, examples, digest: name });

  it('is the first public dataset with enough examples', () => {
    expect(publicSample([dataset('few', 19), dataset('enough', 20), dataset('many', 500)])?.name).toBe('enough');
  });

  it('is the largest one if none has enough', () => {
    expect(publicSample([dataset('few', 3), dataset('more', 19)])?.name).toBe('more');
    expect(publicSample([])).toBeUndefined();
  });
});

describe('the examples of a check', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'assay-examples-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const written = (lines: readonly string[]): string => {
    const file = join(folder, 'examples.jsonl');
    writeFileSync(file, lines.join('\n'));
    return file;
  };

  it('are at most 200 of the file, without their gold', async () => {
    const lines = Array.from({ length: 300 }, (_, n) => JSON.stringify({ text: `${n}`, label: 'yes' }));
    const found = await exampleInstances(TERMS, written([...lines.slice(0, 5), '', ...lines.slice(5)]), api);

    expect(found.lines).toEqual(lines.slice(0, 200));
    expect(found.instances[199]).toEqual({ text: '199' });
  });

  it('are refused with their line', async () => {
    await expect(exampleInstances(TERMS, written(['{"text":"a"}', '{']), api)).rejects.toThrow(
      'line 2 is not valid JSON',
    );
    await expect(exampleInstances(TERMS, written(['{"label":"yes"}']), api)).rejects.toThrow('line 1 has no "text"');
    await expect(exampleInstances(TERMS, written([]), api)).rejects.toThrow('has no examples');
  });

  it('are generated without a public dataset', async () => {
    expect(await exampleInstances(TERMS, undefined, api)).toMatchObject({ source: 'generated', lines: [] });
  });
});
