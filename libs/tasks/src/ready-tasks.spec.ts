import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { TaskDefinition } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readExample } from './examples/example.js';

const folder = join(import.meta.dirname, '../ready');
const read = (name: string): TaskDefinition =>
  TaskDefinition.parse(parse(readFileSync(join(folder, `${name}.yaml`), 'utf8')));
const names = readdirSync(folder).map((file) => basename(file, '.yaml'));

const PNG = { b64: 'iVBORw0KGgo=', mediaType: 'image/png' };
const EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  nli: { context: 'It rained all day.', hypothesis: 'It was dry.', label: 'contradiction', tags: ['negation'] },
  qa: { context: 'Ada was born in London.', question: 'Where was Ada born?', answer: 'London' },
  sentiment: { text: 'I have seen worse.', label: 'neutral' },
  'hate-speech': { text: 'I love my neighbours.', label: 'not-hateful', target: 'nobody' },
  vqa: { image: PNG, question: 'What colour is the ball?', answer: ['red', 'dark red'] },
  translation: { source: 'It rains.', target: ['Es regnet.', 'Es ist am Regnen.'] },
};

describe('the ready tasks', () => {
  it('are the four of Dynabench, one with images and one with texts to answer', () => {
    expect([...names].sort()).toEqual(Object.keys(EXAMPLES).sort());
    expect(read('vqa').inputs).toContainEqual({ name: 'image', type: 'image' });
    expect(read('translation').output).toEqual({ name: 'target', type: 'text' });
  });

  it.each(names)('%s is a task by its own name, with all that people need to know before they take part', (name) => {
    const { slug, collection } = read(name);

    expect(slug).toBe(name);
    expect(collection).toMatchObject({
      consent: { version: '1', text: expect.stringContaining('pseudonym') },
      licence: { name: 'CC-BY-4.0', text: expect.stringContaining('creativecommons.org') },
      explanations: ['example', 'model'],
    });
    for (const text of [collection!.instructions, collection!.validationInstructions]) {
      expect(text.length).toBeGreaterThan(200);
    }
  });

  it.each(Object.keys(EXAMPLES))('%s takes an example as one would write it', (name) => {
    expect(readExample(read(name), EXAMPLES[name]!, 1)).toMatchObject({ ok: true });
  });

  it('warn of content in the task on hate speech alone, with an age and a cap', () => {
    for (const name of names) {
      const { contentWarning, minimumAge, exposurePerDay } = read(name).collection!;
      expect(contentWarning !== undefined).toBe(name === 'hate-speech');
      expect([minimumAge, exposurePerDay]).toEqual(name === 'hate-speech' ? [18, 100] : [undefined, undefined]);
    }
  });
});
