import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { readText, withValue } from './definition-text.js';

const TEXT = `# what we are after
slug: nli # stays for ever
name: 'Natural language inference'
inputs: [{ name: context, type: text }, { name: hypothesis, type: text }]
output:
  name: label
  type: label
  labels: [entailment, neutral] # two for now

# how often
quota:
  perDay: 3
collection:
  instructions: |
    Write **one** sentence.

    Be kind.
`;

describe('a definition as text and as data', () => {
  it('reads the data of a text', () => {
    expect(readText(TEXT).definition).toMatchObject({ slug: 'nli', quota: { perDay: 3 } });
    expect(readText('')).toEqual({ definition: {}, problems: [] });
    expect(readText('- a list').definition).toBeUndefined();
  });

  it('says where a text is no YAML', () => {
    const { definition, problems } = readText('slug: a\nname: [b\noutput: {\n');
    expect(definition).toBeUndefined();
    expect(problems[0]).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
    expect(problems[0]!.message).not.toMatch(/line \d/);
  });

  it('changes a single value and not a character beside it', () => {
    expect(withValue(TEXT, ['name'], 'Inference')).toBe(TEXT.replace("'Natural language inference'", "'Inference'"));
    expect(withValue(TEXT, ['quota', 'perDay'], 12)).toBe(TEXT.replace('perDay: 3', 'perDay: 12'));
    expect(withValue(TEXT, ['inputs', 1, 'name'], 'claim')).toBe(TEXT.replace('hypothesis', 'claim'));
  });

  it.each(['yes: no', '12', 'true', 'null', '- a', '# no', "it's", '', 'a, b', '[x', ' led'])(
    'quotes %j where needed',
    (value) => {
      const changed = withValue('name: plain # why\nslug: a\n', ['name'], value);
      expect(parse(changed)).toEqual({ name: value, slug: 'a' });
      expect(changed).toContain('# why');
    },
  );

  it('adds and removes with all comments and the order kept', () => {
    const added = withValue(TEXT, ['quota', 'total'], 40);
    expect(parse(added)).toEqual({ ...parse(TEXT), quota: { perDay: 3, total: 40 } });
    for (const comment of ['# what we are after', '# stays for ever', '# two for now', '# how often']) {
      expect(added).toContain(comment);
    }
    const removed = withValue(added, ['quota', 'total'], undefined);
    expect(parse(removed)).toEqual(parse(TEXT));
    expect(Object.keys(parse(removed) as object)).toEqual(Object.keys(parse(TEXT) as object));
    expect(removed).toContain('# two for now');
  });

  it('replaces a list in the manner in which it was written', () => {
    const changed = withValue(TEXT, ['output', 'labels'], ['yes it does', 'no']);
    expect(changed).toContain('labels: [yes it does, no] # two for now');
    expect(parse(changed)).toEqual({
      ...parse(TEXT),
      output: { name: 'label', type: 'label', labels: ['yes it does', 'no'] },
    });
  });

  it('writes several lines as a block', () => {
    const changed = withValue(TEXT, ['collection', 'instructions'], 'One.\n\nTwo.\n');
    expect(changed).toContain('  instructions: |\n    One.\n\n    Two.\n');
    expect(changed).toContain('# how often');
  });

  it('begins where nothing is', () => {
    expect(parse(withValue('', ['output', 'type'], 'label'))).toEqual({ output: { type: 'label' } });
    expect(parse(withValue('name:\n', ['name'], 'Hate speech'))).toEqual({ name: 'Hate speech' });
  });

  it('leaves a text alone that is no YAML', () => {
    expect(withValue('name: [a', ['name'], 'b')).toBe('name: [a');
  });

  it.each(['nli', 'qa', 'sentiment', 'hate-speech', 'vqa', 'translation'])(
    'changes the ready task %s back and forth without a trace in its data',
    (name) => {
      const text = readFileSync(join('libs/tasks/ready', `${name}.yaml`), 'utf8');
      const there = withValue(withValue(text, ['quota', 'perDay'], 7), ['language'], 'de');
      expect(parse(there)).toEqual({ ...parse(text), quota: { perDay: 7 }, language: 'de' });
      const back = withValue(withValue(there, ['quota'], undefined), ['language'], 'en');
      expect(parse(back)).toEqual(parse(text));
      expect(back.split('\n').length).toBe(text.split('\n').length);
    },
  );
});
