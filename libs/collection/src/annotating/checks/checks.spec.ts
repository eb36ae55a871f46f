import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { isCopied } from './check-example.js';
import { isOtherLanguage } from './language-check.js';
import { bandsOf, comparable, jaccard, shingles } from './minhash.js';

const SENTENCE = 'The old keeper climbed the narrow stairs every evening to light the lamp.';

describe('fingerprints', () => {
  const share = (a: string, b: string) => bandsOf(a, 't').filter((band) => bandsOf(b, 't').includes(band)).length;

  it('are the same for texts that differ in case, punctuation and white space alone', () => {
    expect(bandsOf('  THE old-keeper, climbed!', 't')).toEqual(bandsOf('the old keeper climbed', 't'));
    expect(comparable('ﬁne — “Ça va?”')).toBe('fine ça va');
  });

  it('share some for texts that are nearly the same, and hardly any for others', () => {
    const near = SENTENCE.replace('old', 'bold');
    expect(jaccard(shingles(SENTENCE), shingles(near))).toBeGreaterThan(0.8);
    expect(share(SENTENCE, near)).toBeGreaterThan(0);
    expect(share(SENTENCE, 'Nobody in the whole town remembered when the ships had last come in.')).toBe(0);
  });

  it('never meet in two tasks', () => {
    expect(bandsOf(SENTENCE, 'a').some((band) => bandsOf(SENTENCE, 'b').includes(band))).toBe(false);
  });

  it('are there for texts of a character or two, and of other scripts', () => {
    expect(bandsOf('a', 't')).toHaveLength(16);
    expect(bandsOf('海へ行った', 't')).not.toEqual(bandsOf('山へ行った', 't'));
    expect(jaccard(new Set(), new Set())).toBe(1);
  });
});

describe('isCopied', () => {
  const source = `A story. ${SENTENCE} Then he slept, and the ships came home one after the other in the dark.`;

  it.each([
    ['a sentence of the context', SENTENCE.toUpperCase(), true],
    ['the whole context with a letter changed', source.replace('one after', 'One after').replace('dark', 'park'), true],
    ['a sentence of its own', 'He never went up there, because the lamp had been broken for years.', false],
    ['a few words that stand there', 'the lamp', false],
  ])('%s', (_, written, expected) => {
    expect(isCopied(written, ['Something else.', source])).toBe(expected);
  });
});

describe('isOtherLanguage', () => {
  const GERMAN = 'Der alte Leuchtturmwärter stieg jeden Abend die enge Treppe hinauf, um die Lampe anzuzünden.';
  const ENGLISH = 'The old keeper of the lighthouse climbed the narrow stairs every evening to light the lamp.';
  const DANISH = 'Den gamle fyrvogter gik hver aften op ad den smalle trappe for at tænde lampen.';
  const NORWEGIAN = 'Den gamle fyrvokteren klatret opp den trange trappen hver kveld for å tenne lampen.';
  const INDONESIAN = 'Penjaga mercusuar tua itu menaiki tangga sempit setiap malam untuk menyalakan lampu.';

  it.each([
    ['German for English', GERMAN, 'en', true],
    ['English for German', ENGLISH, 'de-AT', true],
    ['English for English', ENGLISH, 'en', false],
    ['English for American English', ENGLISH, 'en-US', false],
    ['German for German', GERMAN, 'de', false],
    ['Russian for English, though it is short', 'Он не пришёл домой', 'en', true],
    ['Chinese for Japanese signs', '彼は海へ行った', 'ja', false],
    ['a text too short to tell', 'Der Mann', 'en', false],
    ['digits', '1234 5678 9101112', 'en', false],
    ['a language nobody here knows', ENGLISH, 'tlh', false],
    ['a tag that is none', GERMAN, 'not a tag', false],
    ['a short German sentence for English', 'Das Hotel war leider sehr laut und schmutzig.', 'en', true],
    ['French for German', "Le vieux gardien du phare montait chaque soir l'escalier étroit.", 'de', true],
    ['Danish for Norwegian, which are hard to tell apart', DANISH, 'nb', false],
    ['Norwegian for English', NORWEGIAN, 'en', true],
    ['Norwegian for Nynorsk', NORWEGIAN, 'nn', false],
    ['Indonesian for Indonesian', INDONESIAN, 'id', false],
    ['English for Indonesian', ENGLISH, 'id', true],
    ['Serbian in Latin script', 'Stari čuvar svetionika svake večeri se penjao uz uske stepenice.', 'sr-Latn', false],
  ])('%s', async (_, text, tag, expected) => {
    expect(await isOtherLanguage(text, tag)).toBe(expected);
  });

  it('takes no sentence of the demonstration for another language than English', async () => {
    const texts = await demonstrationTexts();
    const others = await Promise.all(texts.map((text) => isOtherLanguage(text, 'en')));
    expect(texts.length).toBeGreaterThan(400);
    expect(texts.filter((_, index) => others[index])).toEqual([]);
  });
});

/** The sentences that the demonstration shows and collects. All are English. */
async function demonstrationTexts(): Promise<string[]> {
  const folder = new URL('../../../../../sandboxes/examples/sentiment/', import.meta.url);
  const files = ['round-1', 'round-2', 'round-3', 'static', 'train'].map((name) => new URL(`${name}.jsonl`, folder));
  const lines = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('').trim().split('\n');
  return [...new Set(lines.map((line) => (JSON.parse(line) as { text: string }).text))];
}
