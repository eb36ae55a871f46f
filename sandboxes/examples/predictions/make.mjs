// Writes predictions.jsonl: the lexicon combined with naive Bayes and rules for turns of phrase.
//   node make.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { scoreOf } from '../lexicon/model.mjs';
import { featuresOf } from '../naive-bayes/features.mjs';
import { train } from '../naive-bayes/naive-bayes.mjs';
import { RULES } from './rules.mjs';

const DATASETS = ['round-1', 'round-2', 'static'];

/**
 * The weight of naive Bayes, which is overconfident. Chosen by cross-validation on the training
 * examples.
 */
const BELIEF = 0.5;

/**
 * The limit of the lexicon's score, so that a list of adjectives does not outweigh everything else.
 */
const MOST = 2;

const { labels, classify } = train(read('train').map(({ text, label }) => ({ features: featuresOf(text), label })));

const lines = DATASETS.flatMap((dataset) =>
  read(dataset).map(({ id, text }) => JSON.stringify({ dataset, id, prediction: predict(text) })),
);
writeFileSync(new URL('predictions.jsonl', import.meta.url), `${lines.join('\n')}\n`);
console.log(`wrote ${lines.length} predictions`);

function predict(text) {
  const probabilities = softmax(evidence(text));
  const best = probabilities.indexOf(Math.max(...probabilities));
  // four digits suffice; the last label receives the rounding remainder
  const rounded = probabilities.slice(0, -1).map((value) => Number(value.toFixed(4)));
  const rest = Math.max(0, Number((1 - rounded.reduce((sum, value) => sum + value, 0)).toFixed(4)));
  return {
    label: labels[best],
    probabilities: Object.fromEntries(labels.map((label, index) => [label, rounded[index] ?? rest])),
  };
}

/** Returns the log score of each label. */
function evidence(text) {
  const points = Object.fromEntries(
    classify(featuresOf(text)).map((probability, index) => [
      labels[index],
      BELIEF * Math.log(Math.max(probability, 1e-9)),
    ]),
  );
  const score = Math.max(-MOST, Math.min(MOST, verdict(text)));
  points.positive += 2 * score;
  points.negative -= 2 * score;
  if (score === 0) points.neutral += 0.5;

  const plain = text.toLowerCase().replaceAll('’', "'");
  for (const { pattern, positive = 0, neutral = 0 } of RULES) {
    if (!pattern.test(plain)) continue;
    points.positive += positive;
    points.negative -= positive;
    points.neutral += neutral;
  }
  return labels.map((label) => points[label]);
}

/** Returns the lexicon's score; the part after a "but" counts three times. */
function verdict(text) {
  const parts = text.split(/\b(?:but|yet|still|however)\b/i);
  return scoreOf(text) + (parts.length > 1 ? 2 * scoreOf(parts.at(-1)) : 0);
}

function softmax(points) {
  const top = Math.max(...points);
  const weights = points.map((value) => Math.exp(value - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function read(name) {
  return readFileSync(new URL(`../sentiment/${name}.jsonl`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
