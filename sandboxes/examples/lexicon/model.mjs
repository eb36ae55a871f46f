// Counts words of praise and of blame. A negation inverts the words after it, up to the end of the
// clause.
import { INTENSIFIERS, NEGATIONS, NEGATIVE, POSITIVE } from './words.mjs';

/** The most words that a negation inverts. */
const REACH = 4;

/** @returns {(text: string) => 'negative' | 'neutral' | 'positive'} */
export function load() {
  return (text) => {
    const score = scoreOf(text);
    return score > 0 ? 'positive' : score < 0 ? 'negative' : 'neutral';
  };
}

/** Returns praise minus blame: 1 per word, 1.5 after an intensifier, inverted after a negation. */
export function scoreOf(text) {
  let score = 0;
  for (const clause of clausesOf(text)) {
    let reach = 0;
    let weight = 1;
    for (const word of clause) {
      if (NEGATIONS.has(word)) reach = REACH;
      else if (INTENSIFIERS.has(word)) weight = 1.5;
      else {
        const polarity = POSITIVE.has(word) ? 1 : NEGATIVE.has(word) ? -1 : 0;
        score += polarity * weight * (reach > 0 ? -1 : 1);
        reach -= 1;
        weight = 1;
      }
    }
  }
  return score;
}

/** @returns {string[][]} lower-case words, clause by clause */
export function clausesOf(text) {
  return text
    .toLowerCase()
    .replaceAll('’', "'")
    .split(/[.,;:!?()]|\bbut\b/)
    .map((clause) => clause.match(/[a-z]+(?:['-][a-z]+)*/g) ?? [])
    .filter((words) => words.length > 0);
}
