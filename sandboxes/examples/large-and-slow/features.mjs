// The features of a text: words, negated words, pairs of words, pieces of 3 to 5 letters, and the
// lexicon's score.
import { scoreOf } from './lexicon.mjs';
import { NEGATIONS } from './words.mjs';

/** The most words that a negation affects; punctuation ends it. */
const REACH = 4;

/** The weight of each kind of feature. Chosen by cross-validation on the training examples. */
const WEIGHTS = { word: 1, negated: 1, pair: 0.5, piece: 0.3, lexicon: 3 };

/** @returns {Map<string, number>} weight of each feature; the squares sum to 1 */
export function featuresOf(text) {
  const weights = new Map();
  const add = (feature, weight) => weights.set(feature, (weights.get(feature) ?? 0) + weight);

  let reach = 0;
  let previous = '^';
  for (const token of tokensOf(text)) {
    add(`word ${token}`, WEIGHTS.word);
    add(`pair ${previous} ${token}`, WEIGHTS.pair);
    if (reach > 0) add(`negated ${token}`, WEIGHTS.negated);
    for (const piece of piecesOf(token)) add(`piece ${piece}`, WEIGHTS.piece);
    reach = NEGATIONS.has(token) ? REACH : /^[a-z0-9]/.test(token) ? reach - 1 : 0;
    previous = token;
  }
  const score = scoreOf(text);
  if (score === 0) add('lexicon neutral', WEIGHTS.lexicon);
  else add(`lexicon ${score > 0 ? 'praise' : 'blame'}`, WEIGHTS.lexicon * Math.min(2, Math.abs(score)));
  return normalised(weights);
}

function tokensOf(text) {
  const plain = text.toLowerCase().replaceAll('’', "'");
  return plain.match(/[a-z]+(?:'[a-z]+)*|[0-9]+|[.,;:!?]/g) ?? [];
}

function* piecesOf(word) {
  const padded = `<${word}>`;
  for (let length = 3; length <= 5; length += 1) {
    for (let start = 0; start + length <= padded.length; start += 1) yield padded.slice(start, start + length);
  }
}

function normalised(weights) {
  let squares = 0;
  for (const weight of weights.values()) squares += weight * weight;
  for (const [feature, weight] of weights) weights.set(feature, weight / Math.sqrt(squares));
  return weights;
}
