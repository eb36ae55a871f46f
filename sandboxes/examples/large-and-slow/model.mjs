// Kernel ridge regression with an explicit weight for every pair of features; trained on
// train.jsonl when the container starts.
import { readFileSync } from 'node:fs';
import { featuresOf } from './features.mjs';
import { kernel, pairWeights } from './pair-weights.mjs';
import { ridge } from './ridge.mjs';

/** Chosen by cross-validation on the training examples. */
const PENALTY = 0.1;

/** @returns {(text: string) => {label: string}} */
export function load() {
  const examples = trainingExamples();
  const labels = [...new Set(examples.map(({ label }) => label))].sort();
  const known = new Map();
  const inputs = examples.map(({ text }) => numbered(featuresOf(text), known));
  const shares = ridge(
    kernelMatrix(inputs, known.size),
    labels.map((label) => examples.map((example) => (example.label === label ? 1 : 0) - 1 / labels.length)),
    PENALTY,
  );
  const weights = pairWeights(labels.length);
  inputs.forEach((input, row) =>
    weights.learn(
      input,
      shares.map((ofLabel) => ofLabel[row]),
    ),
  );

  return (text) => {
    // a feature that no training example has received no weight
    const features = new Map([...featuresOf(text)].filter(([feature]) => known.has(feature)));
    const scores = weights.scores(numbered(features, known));
    return { label: labels[scores.indexOf(Math.max(...scores))] };
  };
}

/** Numbers the features from 1; a new feature gets the next number in `known`. */
function numbered(features, known) {
  for (const feature of features.keys()) if (!known.has(feature)) known.set(feature, known.size + 1);
  return {
    ids: Uint32Array.from(features.keys(), (feature) => known.get(feature)),
    weights: Float64Array.from(features.values()),
  };
}

/**
 * Returns the lower triangle of the kernel matrix: the kernel of every input with itself and those
 * before it.
 */
function kernelMatrix(inputs, features) {
  return inputs.map((input, row) => {
    const dense = new Float64Array(features + 1);
    input.ids.forEach((id, index) => (dense[id] = input.weights[index]));
    return Float64Array.from(inputs.slice(0, row + 1), (other) => {
      let product = 0;
      for (let index = 0; index < other.ids.length; index += 1)
        product += dense[other.ids[index]] * other.weights[index];
      return kernel(product);
    });
  });
}

/** @returns {{text: string, label: string}[]} */
function trainingExamples() {
  return readFileSync(new URL('train.jsonl', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
