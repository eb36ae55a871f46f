// Learns from train.jsonl when the container starts, in a few milliseconds.
import { readFileSync } from 'node:fs';
import { featuresOf } from './features.mjs';
import { train } from './naive-bayes.mjs';

/** @returns {(text: string) => {label: string, probabilities: Record<string, number>}} */
export function load() {
  const { labels, classify } = train(examples().map(({ text, label }) => ({ features: featuresOf(text), label })));
  return (text) => {
    const probabilities = classify(featuresOf(text));
    const best = probabilities.indexOf(Math.max(...probabilities));
    return {
      label: labels[best],
      probabilities: Object.fromEntries(labels.map((label, index) => [label, probabilities[index]])),
    };
  };
}

/** @returns {{text: string, label: string}[]} */
function examples() {
  return readFileSync(new URL('train.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
