// For: the languages of texts: normalisation, words, signatures.
export { answerWords } from './answer-words.js';
export { isEnglish, NORMALISATIONS, type Normalisation, type TextRules } from './text-rules.js';
