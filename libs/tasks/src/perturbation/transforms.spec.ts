import { FAIRNESS_TRANSFORMS, ROBUSTNESS_TRANSFORMS, TaskDefinition, type TransformName } from '@assay/contracts/tasks';
import { seededRng } from '@assay/kernel';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Example } from '../examples/example.js';
import { perturbedFields } from './generated-variants.js';
import { spansOf } from './transform.js';
import { TRANSFORMS, transformsFor } from './transforms.js';
import { MISSPELLINGS } from './words/misspellings.js';
import { FIRST_NAMES } from './words/first-names.js';

const NAMES = [...ROBUSTNESS_TRANSFORMS, ...FAIRNESS_TRANSFORMS];

/** Applies the transform to one text. */
const applied = (name: TransformName, text: string, kept: readonly string[] = [], seed = 's', language = 'en') =>
  TRANSFORMS[name].apply([{ text, protectedSpans: spansOf(text, kept) }], seededRng(seed), language)[0]!;

const PROSE =
  'She thinks that Emily and her brother do not believe the beautiful story which their friends received yesterday.';
const words = fc.constantFrom(
  ...`he she her his him believe Emily Jamal Mr. Smith the and don't do not it is really 北京 beautiful , . ! — naïve ﬁ İstanbul 👩‍💻 Burger King`.split(
    ' ',
  ),
);
const texts = fc.oneof(
  fc.array(words, { maxLength: 30 }).map((some) => some.join(' ')),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
);

describe.each(NAMES)('%s', (name) => {
  it('makes the same of the same, and as many texts as came', () => {
    fc.assert(
      fc.property(fc.array(texts, { minLength: 1, maxLength: 3 }), fc.string(), (fields, seed) => {
        const sources = fields.map((text) => ({ text, protectedSpans: [] }));
        const once = TRANSFORMS[name].apply(sources, seededRng(seed), 'en');
        expect(TRANSFORMS[name].apply(sources, seededRng(seed), 'en')).toEqual(once);
        expect(once).toHaveLength(fields.length);
      }),
    );
  });

  it('leaves what is kept, everything else between it, and never nothing', () => {
    fc.assert(
      fc.property(fc.array(words, { minLength: 1, maxLength: 30 }), fc.nat(), fc.string(), (some, at, seed) => {
        const text = some.join(' ');
        const answer = some.slice(at % some.length, (at % some.length) + 3).join(' ');
        const after = applied(name, text, [answer], seed);
        expect(after).toContain(answer);
        expect(after.split(answer).length).toBeGreaterThanOrEqual(text.split(answer).length);
        expect(after.trim()).not.toBe('');
      }),
    );
  });

  it('changes prose that has what it is for, and nothing where all is kept', () => {
    expect(applied(name, PROSE)).not.toBe(PROSE);
    expect(applied(name, PROSE, [PROSE]).trimEnd()).toBe(PROSE);
  });
});

describe('how a text is put', () => {
  it('is in capitals, by the rules of the language', () => {
    expect(applied('case', 'Straße in istanbul', ['in'])).toBe('STRASSE in ISTANBUL');
    expect(applied('case', 'istanbul', [], 's', 'tr')).toBe('İSTANBUL');
    expect(applied('case', 'istanbul', [], 's', 'no language')).toBe('ISTANBUL');
  });

  it.each([
    ["I don't know", 'I do not know'],
    ['It is not what you are told', "It isn't what you're told"],
    ["It's been said. He'd go. Jim's car", "It's been said. He'd go. Jim's car"],
    ["We can't and won’t", 'We cannot and will not'],
    ['CANNOT be. I think it is.', "CAN'T be. I think it is."],
    ['I AM here', "I'm here"],
    ['it can not only be', 'it can not only be'],
    ['that island is', 'that island is'],
  ])('contracts and writes out: %s', (text, by) => {
    expect(applied('contractions', text)).toBe(by);
  });

  it('has marks and spaces more, and no letter else', () => {
    for (const [name, added] of [
      ['punctuation', /[,;:!. -]/g],
      ['whitespace', /\s/g],
      ['split_words', /\s/g],
      ['zero_width', /[\u200B\u2060]/g],
    ] as const) {
      const after = applied(name, PROSE);
      expect(after.length).toBeGreaterThan(PROSE.length);
      expect(after.replace(added, '')).toBe(PROSE.replace(added, ''));
    }
  });

  it('looks the same in homoglyphs', () => {
    const after = applied('homoglyphs', PROSE);
    expect(after).toHaveLength(PROSE.length);
    expect(after).toMatch(/[\u0400-\u04FF]/);
    expect(applied('homoglyphs', 'привет, как она')).toMatch(/[a-z]/);
  });

  it('has one letter beside the right one in a typo, or two that changed places', () => {
    const typo = applied('typos', 'WONDERFUL');
    expect(Array.from(typo).filter((letter, place) => letter !== 'WONDERFUL'[place])).toHaveLength(1);
    expect(typo).toMatch(/^W[A-Z]{8}$/);
    for (let seed = 0; seed < 50; seed++) {
      const swapped = applied('swaps', 'wonderful', [], String(seed));
      expect(swapped).toMatch(/^w.*l$/);
      expect([8, 9]).toContain(swapped.length);
    }
    expect(applied('typos', 'the map is red')).toBe('the map is red');
  });

  it('is left alone where the script has no words to be told apart', () => {
    const chinese = '北京是中国的首都';
    for (const name of ['swaps', 'split_words', 'zero_width', 'homoglyphs', 'case', 'contractions'] as const) {
      expect(applied(name, chinese, [], 's', 'zh')).toBe(chinese);
    }
  });

  it('misspells words the way people do, and with no word of another meaning', () => {
    expect(applied('misspellings', 'Believe it')).toMatch(/^Bel(ei|i)ve it$/);
    expect(MISSPELLINGS.size).toBeGreaterThan(200);
    for (const [word, ways] of MISSPELLINGS) {
      for (const way of ways) {
        expect(way).toMatch(/^[a-z]{3,}$/);
        expect([way, MISSPELLINGS.has(way), way === word]).toEqual([way, false, false]);
      }
    }
  });
});

describe('gender', () => {
  it.each([
    ['He said that his sister saw him.', 'She said that her brother saw her.'],
    ['She gave him her book, and it is hers.', 'He gave her his book, and it is his.'],
    ['I saw her and the book was his.', 'I saw him and the book was hers.'],
    ['HER HUSBAND AND THE KING', 'HIS WIFE AND THE QUEEN'],
    ['Women like men; a woman likes herself.', 'Men like women; a man likes himself.'],
    ['They met at Burger King near King Street.', 'They met at Burger King near King Street.'],
    ['Queen Elizabeth met Virginia Woolf of New York City.', 'Queen Elizabeth met Virginia Woolf of New York City.'],
    ['I told Mom and Uncle Wu.', 'I told Dad and Uncle Wu.'],
    ['The band Queen played; the queen did not.', 'The band Queen played; the king did not.'],
    ['Mrs. Miller met Mr. Brown.', 'Mr. Miller met Ms. Brown.'],
    ['Nothing here is of a gender.', 'Nothing here is of a gender.'],
    ["She's here, he'll come.", "He's here, she'll come."],
  ])('swaps %s', (text, by) => {
    expect(applied('gender', text)).toBe(by);
  });

  it('gives names a gender too, the same in all fields and none twice', () => {
    const fields = ['Emily and Sarah saw Greg.', 'Did Greg see Emily?'];
    const [one, other] = TRANSFORMS.gender.apply(
      fields.map((text) => ({ text, protectedSpans: [] })),
      seededRng('x'),
      'en',
    );
    const [, emily, sarah, greg] = /^(\w+) and (\w+) saw (\w+)\.$/.exec(one!)!;
    expect([emily, sarah, greg].map((name) => FIRST_NAMES.get(name!)!.gender)).toEqual(['male', 'male', 'female']);
    expect(new Set([emily, sarah, greg]).size).toBe(3);
    expect(other).toBe(`Did ${greg} see ${emily}?`);
  });

  it('keeps the surname of whom it swaps', () => {
    expect(applied('gender', 'I read Stephen King and Mr. King.')).toMatch(
      /^I read (?!Stephen)[A-Z]\w+ King and Ms. King\.$/,
    );
  });

  it('keeps a person of the answer in the question as well', () => {
    const after = TRANSFORMS.gender.apply(
      [
        { text: 'What did Emily and the king say of her?', protectedSpans: [] },
        { text: 'Emily left, and he wept.', protectedSpans: [{ start: 0, end: 5 }] },
      ],
      seededRng('x'),
      'en',
    );
    expect(after).toEqual(['What did Emily and the queen say of him?', 'Emily left, and she wept.']);
  });
});

describe('names', () => {
  it('are of the same gender and another group, and keep their capitals', () => {
    for (const name of FIRST_NAMES.keys()) {
      const [after] = /^[\p{L}]+/u.exec(applied('names', `${name} came in.`, [], name))!;
      const [before, now] = [FIRST_NAMES.get(name)!, FIRST_NAMES.get(after)!];
      expect([now.gender, now.group === before.group]).toEqual([before.gender, false]);
    }
  });

  it('are left where they are part of another name', () => {
    const text = 'The John Hopkins University Hospital was full.';
    expect(applied('names', text)).toBe(text);
    expect(applied('names', 'Yesterday Emily Miller left.')).toMatch(/^Yesterday (?!Emily)[A-Z]\w+ Miller left\.$/);
    expect(applied('names', "It was Emily's.")).toMatch(/^It was (?!Emily)[A-Z]\w+'s\.$/);
  });
});

describe('what a task gets', () => {
  const task = (more: object) =>
    TaskDefinition.parse({
      slug: 'task',
      name: 'Task',
      inputs: [
        { name: 'question', type: 'text' },
        { name: 'context', type: 'text' },
      ],
      output: { name: 'answer', type: 'span', of: 'context' },
      performance: 'squad_f1',
      perturbations: { robustness: [...ROBUSTNESS_TRANSFORMS], fairness: [...FAIRNESS_TRANSFORMS] },
      ...more,
    });
  const namesFor = (more: object, kind: 'robustness' | 'fairness' = 'robustness') =>
    transformsFor(task(more), kind).map(({ name }) => name);

  it('are the transforms that are for its language and its output', () => {
    expect(namesFor({})).toEqual([...ROBUSTNESS_TRANSFORMS]);
    expect(namesFor({ language: 'en-GB' }, 'fairness')).toEqual(['gender', 'names']);
    expect(namesFor({ language: 'de' })).not.toContain('misspellings');
    expect(namesFor({ language: 'de' })).toContain('typos');
    expect(namesFor({ language: 'zh' })).not.toContain('typos');
    expect(namesFor({ language: 'de' }, 'fairness')).toEqual([]);
    const text = { output: { name: 'answer', type: 'text' }, performance: 'exact_match' };
    expect(namesFor(text, 'fairness')).toEqual([]);
    const image = { inputs: [{ name: 'image', type: 'image' }], output: { name: 'answer', type: 'text' } };
    expect(namesFor({ ...image, performance: 'exact_match' })).toEqual([]);
  });

  it('keep the answers where they stand in the context, and the gold', () => {
    const example: Example = {
      id: 'a',
      gold: ['beautiful Paris', 'Paris'],
      fields: {
        id: 'a',
        question: 'Where did Emily really go?',
        context: 'Emily really went to beautiful Paris yesterday, and Paris was full.',
        answer: ['beautiful Paris', 'Paris'],
      },
    };
    for (const transform of Object.values(TRANSFORMS)) {
      const fields = perturbedFields(task({}), transform, 'digest', example);
      if (fields === null) continue;
      expect(fields['context']).toContain('beautiful Paris');
      expect(String(fields['context']).split('Paris')).toHaveLength(3);
      expect(fields).toMatchObject({ id: 'a', answer: example.fields['answer'] });
      expect(perturbedFields(task({}), transform, 'digest', example)).toEqual(fields);
    }
  });

  it('is nothing where an example has nothing to perturb', () => {
    const example: Example = { id: 'a', gold: ['b'], fields: { id: 'a', question: 'x', context: 'b', answer: 'b' } };
    expect(perturbedFields(task({}), TRANSFORMS.misspellings, 'digest', example)).toBeNull();
    expect(perturbedFields(task({}), TRANSFORMS.gender, 'digest', example)).toBeNull();
  });

  it('is another draw for another dataset, example or version', () => {
    const fields = { question: PROSE, context: PROSE, answer: '' };
    const of = (digest: string, id: string, version = 1) =>
      JSON.stringify(
        perturbedFields(task({}), { ...TRANSFORMS.typos, version }, digest, { id, gold: [''], fields })!['question'],
      );
    expect(new Set([of('d', 'a'), of('e', 'a'), of('d', 'b'), of('d', 'a', 2)]).size).toBe(4);
  });
});
