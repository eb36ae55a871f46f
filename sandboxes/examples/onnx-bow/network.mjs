// A bag of words: the mean of the word embeddings, followed by a linear layer that gives the
// logits.

/**
 * @typedef {object} Network
 * @property {number} dimension of an embedding
 * @property {number} width number of logits
 * @property {Float32Array} embeddings [vocabulary, dimension]
 * @property {Float32Array} weights [dimension, width]
 * @property {Float32Array} bias [width]
 *
 * @typedef {object} Schedule
 * @property {number} dimension
 * @property {number} epochs
 * @property {number} rate learning rate of Adam
 * @property {number} dropout share of words that a step replaces by the unknown word, so that the
 *   unknown word learns to represent rare words
 * @property {number} decay of weights and embeddings per step (decoupled: Loshchilov & Hutter 2019)
 * @property {number} seed
 */

/**
 * Returns the logits of one text.
 * @param {Network} network
 * @param {ArrayLike<number>} ids
 * @returns {Float32Array}
 */
export function logitsOf(network, ids) {
  return logitsFromMean(network, meanOf(network, ids));
}

/**
 * Trains with softmax cross-entropy, one text per step. The same texts, labels and schedule give
 * the same network, bit for bit.
 * @param {readonly (readonly number[])[]} texts token IDs
 * @param {readonly number[]} labels
 * @param {{ vocabulary: number, width: number, unknown: number }} size
 * @param {Schedule} schedule
 * @returns {Network}
 */
export function trainNetwork(texts, labels, { vocabulary, width, unknown }, schedule) {
  const random = generator(schedule.seed);
  const { dimension } = schedule;
  const network = {
    dimension,
    width,
    embeddings: uniform(vocabulary * dimension, 0.1, random),
    weights: uniform(dimension * width, 1 / Math.sqrt(dimension), random),
    bias: new Float32Array(width),
  };
  const optimiser = adam(network, schedule.decay);

  const order = texts.map((_, index) => index);
  for (let epoch = 0; epoch < schedule.epochs; epoch++) {
    shuffle(order, random);
    // the learning rate falls to zero, so that the last steps are small
    const rate = schedule.rate * (1 - epoch / schedule.epochs);
    for (const index of order) {
      const ids = texts[index].map((id) => (random() < schedule.dropout ? unknown : id));
      if (ids.length > 0) optimiser.step(gradientsOf(network, ids, labels[index]), rate);
    }
  }
  return network;
}

function meanOf({ embeddings, dimension }, ids) {
  const mean = new Float32Array(dimension);
  for (let at = 0; at < ids.length; at++) {
    for (let k = 0; k < dimension; k++) mean[k] += embeddings[ids[at] * dimension + k];
  }
  return mean.map((sum) => sum / Math.max(1, ids.length));
}

function logitsFromMean({ weights, bias, dimension, width }, mean) {
  const logits = Float32Array.from(bias);
  for (let k = 0; k < dimension; k++) {
    for (let label = 0; label < width; label++) logits[label] += mean[k] * weights[k * width + label];
  }
  return logits;
}

function gradientsOf(network, ids, label) {
  const { weights, dimension, width } = network;
  const mean = meanOf(network, ids);
  const errors = softmax(logitsFromMean(network, mean));
  errors[label] -= 1;

  const weightGradients = new Float32Array(dimension * width);
  const wordGradients = new Float32Array(dimension);
  for (let k = 0; k < dimension; k++) {
    for (let j = 0; j < width; j++) {
      weightGradients[k * width + j] = mean[k] * errors[j];
      wordGradients[k] += (weights[k * width + j] * errors[j]) / ids.length;
    }
  }
  return { ids, wordGradients, weightGradients, biasGradients: errors };
}

/** Adam (Kingma & Ba 2015). Updates only those rows of the embeddings that occur in the text. */
function adam(network, decay) {
  const slots = {
    embeddings: moments(network.embeddings.length),
    weights: moments(network.weights.length),
    bias: moments(network.bias.length),
  };
  const update = (values, { first, second }, at, gradient, rate, shrink) => {
    first[at] = 0.9 * first[at] + 0.1 * gradient;
    second[at] = 0.999 * second[at] + 0.001 * gradient * gradient;
    values[at] -= rate * (first[at] / (Math.sqrt(second[at]) + 1e-8) + shrink * values[at]);
  };
  let steps = 0;
  return {
    step({ ids, wordGradients, weightGradients, biasGradients }, rate) {
      steps++;
      const corrected = (rate * Math.sqrt(1 - 0.999 ** steps)) / (1 - 0.9 ** steps);
      for (const id of ids) {
        for (let k = 0; k < network.dimension; k++) {
          update(network.embeddings, slots.embeddings, id * network.dimension + k, wordGradients[k], corrected, decay);
        }
      }
      weightGradients.forEach((gradient, at) => update(network.weights, slots.weights, at, gradient, corrected, decay));
      biasGradients.forEach((gradient, at) => update(network.bias, slots.bias, at, gradient, corrected, 0));
    },
  };
}

function moments(length) {
  return { first: new Float32Array(length), second: new Float32Array(length) };
}

/** @returns {Float64Array} */
export function softmax(logits) {
  const top = Math.max(...logits);
  const weights = Float64Array.from(logits, (value) => Math.exp(value - top));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** Returns random values, uniform in [-limit, limit]. */
export function uniform(length, limit, random) {
  return Float32Array.from({ length }, () => (2 * random() - 1) * limit);
}

function shuffle(values, random) {
  for (let last = values.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [values[last], values[other]] = [values[other], values[last]];
  }
}

/** Mulberry32, a random number generator: uniform in [0, 1). */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
