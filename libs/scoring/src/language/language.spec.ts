import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { metricExample, metricValue } from '../../../../test/factories/models/metric-value.js';
import { metricNamed } from '../metrics/registry.js';
import { answerWords } from './answer-words.js';
import { bleuTokeniser } from './bleu-tokens.js';
import { signatureOf } from './signature.js';
import type { TextRules } from './text-rules.js';
import { editWords, rougeTokens } from './word-segments.js';

interface Golden {
  readonly answers: readonly {
    readonly language: string;
    readonly gold: readonly string[];
    readonly predicted: string;
    readonly exact_match: number;
    readonly squad_f1: number;
  }[];
  readonly translations: readonly {
    readonly language: string;
    readonly tokeniser: string;
    readonly gold: readonly (readonly string[])[];
    readonly predicted: readonly string[];
    readonly bleu: number;
  }[];
}
const golden = JSON.parse(readFileSync(new URL('../../golden/languages.json', import.meta.url), 'utf8')) as Golden;

const TEXT_METRICS = ['exact_match', 'squad_f1', 'token_f1', 'bleu', 'chrf', 'rouge_l', 'wer', 'cer'] as const;
const value = (name: string, gold: string | readonly string[], predicted: string, rules: TextRules = {}): number =>
  metricValue(metricNamed(name), [metricExample(gold, predicted)], { labels: [], ...rules });
const signature = (name: string, rules: TextRules = {}) => signatureOf(metricNamed(name), rules);

const COMPOSED = 'caf\u00e9';
const DECOMPOSED = 'cafe\u0301';

describe('metrics of texts in several languages', () => {
  it.each(golden.answers)('score "$predicted" ($language) as the MLQA script does', (each) => {
    const { language, gold, predicted } = each;
    expect(value('exact_match', gold, predicted, { language })).toBe(each.exact_match);
    expect(value('squad_f1', gold, predicted, { language })).toBeCloseTo(each.squad_f1, 15);
  });

  it.each(golden.translations)('score translations to $language as sacreBLEU does with $tokeniser', (each) => {
    const { language } = each;
    const examples = each.gold.map((gold, index) => metricExample(gold, each.predicted[index]!));
    expect(bleuTokeniser({ language })).toBe(each.tokeniser);
    expect(metricValue(metricNamed('bleu'), examples, { labels: [], language })).toBeCloseTo(each.bleu, 12);
  });

  it('compare Chinese, Japanese and Korean by character', () => {
    expect(value('squad_f1', '北京大学', '北京大', { language: 'zh' })).toBeCloseTo(6 / 7, 15);
    expect(value('squad_f1', '北京大学', '北京大')).toBe(0);
    expect(answerWords('東京タワー。', { language: 'ja' })).toEqual(['東', '京', 'タ', 'ワ', 'ー']);
    expect(answerWords('서울 특별시', { language: 'ko' })).toEqual(['서', '울', '특', '별', '시']);
    expect(answerWords('東京', { language: 'de' })).toEqual(['東京']);
  });

  it.each(TEXT_METRICS)('%s takes composed and decomposed letters for the same', (name) => {
    const text = (coffee: string) => `one ${coffee} and another ${coffee}`;
    expect(value(name, text(COMPOSED), text(DECOMPOSED))).toBe(value(name, text(COMPOSED), text(COMPOSED)));
    expect(value(name, text(DECOMPOSED), text(COMPOSED))).toBe(value(name, text(COMPOSED), text(COMPOSED)));
  });

  it('fold quotation marks and compatibility characters only if the task says so', () => {
    expect(value('exact_match', 'don’t', "don't")).toBe(0);
    expect(value('exact_match', 'don’t', "don't", { normalise: ['nfkc'] })).toBe(0);
    expect(value('exact_match', 'don’t', "don't", { normalise: ['quotes'] })).toBe(1);
    expect(value('token_f1', 'don’t', "don't", { normalise: ['quotes'] })).toBe(1);
    expect(value('cer', '„so“ «or» ‹so›', '"so" "or" \'so\'', { normalise: ['quotes'] })).toBe(0);
    expect(value('exact_match', 'Ａ１', 'A1')).toBe(0);
    expect(value('exact_match', 'Ａ１', 'A1', { normalise: ['nfkc'] })).toBe(1);
  });

  it('use the English rules for every tag of English, and without a language', () => {
    for (const language of [undefined, 'en', 'en-GB', 'eng', 'EN_us']) {
      const rules = language === undefined ? {} : { language };
      expect(answerWords('The “end” of an era.', rules)).toEqual(['“end”', 'of', 'era']);
      expect(editWords("Don't stop, now.", rules)).toEqual(["Don't", 'stop,', 'now.']);
      expect(rougeTokens("Don't stop at 3.14", rules)).toEqual(['don', 't', 'stop', 'at', '3', '14']);
    }
  });

  it('have no articles in a language that MLQA does not cover, or that is not known', () => {
    for (const language of ['fr', 'mul', 'xx-notatag-at-all']) {
      expect(answerWords('«The» die la, of', { language })).toEqual(['the', 'die', 'la', 'of']);
    }
  });

  it('divide other languages than English into the words of Unicode', () => {
    expect(editWords('Das ist gut.', { language: 'de' })).toEqual(['Das', 'ist', 'gut', '.']);
    expect(editWords('我喜欢苹果。', { language: 'zh' })).toEqual(['我', '喜欢', '苹果', '。']);
    expect(rougeTokens("L'État, c'est 3,5 !", { language: 'fr' })).toEqual(["l'état", "c'est", '3,5']);
    expect(rougeTokens('ฉันรักไทย', { language: 'th' })).toEqual(['ฉัน', 'รัก', 'ไทย']);
    expect(value('wer', '我喜欢苹果', '我喜欢梨', { language: 'zh' })).toBeCloseTo(1 / 3, 15);
  });

  it('name their choices in a signature', () => {
    expect(signature('bleu')).toBe('case:mixed|eff:no|tok:13a|smooth:exp|norm:nfc|assay:2');
    expect(signature('bleu', { language: 'ja' })).toBe('case:mixed|eff:no|tok:char|smooth:exp|norm:nfc|assay:2');
    expect(signature('squad_f1')).toBe('case:lc|lang:en|rules:squad-1.1|norm:nfc|assay:2');
    expect(signature('exact_match', { language: 'de-AT', normalise: ['quotes', 'nfkc'] })).toBe(
      'case:lc|lang:de|rules:mlqa|norm:nfkc+quotes|assay:2',
    );
    expect(signature('wer', { language: 'zh' })).toBe('case:mixed|tok:icu-word|norm:nfc|assay:2');
    expect(signature('accuracy')).toBeNull();
  });
});
