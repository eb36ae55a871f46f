// A loaded bundle: texts in, answers out.
//
// Tested on five models (2210 sentences, 1198 pairs, 1190 questions; batches of 1, 7, 64 and 128,
// in different orders): the logits of an example do not depend on the rest of its batch, because
// its padded length follows from the example alone (batches.mjs). For convolution and attention
// that holds bit for bit. If a matrix product has only one row, the runtime uses a matrix-vector
// kernel that adds in another order. A bag of words that is the only one of its length then differs
// by at most 1e-6. Running it twice would avoid that, but would double the latency of a single
// request, so the difference is accepted.
import { createRequire } from 'node:module';
import { batches, feedingOf, tensors } from './batches.mjs';
import { readBundle } from './bundle.mjs';
import { multiLabel, singleLabel } from './classification.mjs';
import { explanation, piecesOf, without } from './explanation.mjs';
import { BadRequest, textFields, textOf } from './instances.mjs';
import { bestSpan } from './span.mjs';

// telemetry is on by default; the library reads the variable when it is loaded
process.env.ORT_DISABLE_TELEMETRY = '1';
const require = createRequire(import.meta.url);
const { InferenceSession, Tensor } = require('onnxruntime-node');
const { Tokenizer } = require('tokenizers');

/**
 * @typedef {object} ModelOptions
 * @property {number} threads of one operator
 * @property {readonly string[] | null} fields of the first and second text; null: see `textFields`
 */

/**
 * Loads the bundle in `folder`. Throws an error with a sentence if the runner cannot serve it.
 * @param {string} folder
 * @param {ModelOptions} options
 * @returns {Promise<Model>}
 */
export async function loadModel(folder, options) {
  const settings = readBundle(folder);
  const session = await InferenceSession.create(settings.modelPath, {
    intraOpNumThreads: options.threads,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
  });
  return new Model(session, settings, options.fields);
}

export class Model {
  #session;
  #settings;
  #fields;
  #feeding;
  #tokenizer;
  #cuttingBoth = null;
  /** @type {boolean} whether the model answers questions with spans of a context */
  isReader;
  /** @type {readonly string[]} the outputs that are fetched */
  #outputs;

  constructor(session, settings, fields) {
    this.#session = session;
    this.#settings = settings;
    this.#fields = fields;
    this.#feeding = feedingOf(session);
    this.isReader = session.outputNames.includes('start_logits') && session.outputNames.includes('end_logits');
    this.#outputs = this.isReader ? ['start_logits', 'end_logits'] : [classifierOutput(session, settings)];
    // a reader must not truncate its question
    this.#tokenizer = tokenizerOf(settings, this.#feeding, this.isReader ? 'OnlySecond' : settings.truncation.strategy);
  }

  /**
   * Returns answers in the order of the instances.
   * @param {readonly Record<string, unknown>[]} instances
   * @returns {Promise<unknown[]>} predictions of the container contract
   */
  async predict(instances) {
    if (instances.length === 0) return [];
    const fields = textFields(instances[0], { configured: this.#fields, isReader: this.isReader });
    const texts = instances.map((instance, index) => fields.map((field) => textOf(instance, field, index)));
    const predictions = new Array(instances.length);
    for await (const { index, logits, encoding } of this.run(texts)) {
      predictions[index] = this.isReader ? bestSpan(encoding, texts[index][1], logits) : this.#classify(logits, index);
    }
    return predictions;
  }

  /**
   * Returns which words mattered to the answers, in the order of the instances.
   * @param {readonly Record<string, unknown>[]} instances
   * @returns {Promise<unknown[]>} explanations of the container contract
   */
  async explain(instances) {
    if (this.isReader || this.#settings.problemType !== 'single_label_classification') {
      throw new BadRequest('The runner explains the labels of texts and pairs, and nothing else.');
    }
    const explanations = [];
    for (const [index, instance] of instances.entries()) {
      const fields = textFields(instances[0], { configured: this.#fields, isReader: false });
      const texts = { ...instance, ...Object.fromEntries(fields.map((name) => [name, textOf(instance, name, index)])) };
      const pieces = piecesOf(texts, fields);
      const answers = await this.predict([texts, ...pieces.map((piece) => without(texts, piece))]);
      explanations.push(explanation(texts, fields, pieces, answers));
    }
    return explanations;
  }

  /**
   * Yields the logits of each text or pair, batch by batch, in any order.
   * @param {readonly (readonly string[])[]} texts
   */
  async *run(texts) {
    const encodings = await this.#encode(texts);
    for (const batch of batches(encodings, this.#settings, this.#feeding)) {
      const feeds = tensors(Tensor, batch, encodings, this.#settings.padding, this.#feeding);
      const results = await this.#session.run(feeds, this.#outputs);
      const [first, second] = this.#outputs.map((name) => results[name]);
      const width = first.dims[1];
      for (let row = 0; row < batch.rows.length; row++) {
        const index = batch.rows[row];
        const encoding = encodings[index];
        const padded = this.isReader && this.#settings.padding.direction === 'Left' ? width - encoding.getLength() : 0;
        yield {
          index,
          encoding,
          logits: { start: first.data, end: second?.data, offset: row * width + padded, width },
        };
      }
    }
  }

  async #encode(texts) {
    try {
      // the batch call of the library does not accept pairs
      if (texts[0].length === 1) return await this.#tokenizer.encodeBatch(texts.map(([text]) => text));
      return await Promise.all(texts.map(([first, second]) => this.#tokenizer.encode(first, second)));
    } catch {
      return Promise.all(texts.map((text) => this.#encodeAnyLength(text)));
    }
  }

  /**
   * Encodes one text or pair. Truncates both texts if the one that is never truncated is too long
   * by itself.
   */
  #encodeAnyLength([first, second]) {
    return this.#tokenizer.encode(first, second).catch(() => {
      this.#cuttingBoth ??= tokenizerOf(this.#settings, this.#feeding, 'LongestFirst');
      return this.#cuttingBoth.encode(first, second);
    });
  }

  #classify({ start: logits, offset, width }, index) {
    for (let at = offset; at < offset + width; at++) {
      if (!Number.isFinite(logits[at])) throw new Error(`The logits of instance ${index} are not finite.`);
    }
    const { problemType, labels } = this.#settings;
    if (problemType === 'regression') return { value: logits[offset] };
    if (width !== labels.length) {
      throw new Error(`The model gives ${width} logits; id2label of config.json names ${labels.length} labels.`);
    }
    if (problemType === 'multi_label_classification') return multiLabel(logits, offset, labels);
    return singleLabel(logits, offset, labels);
  }
}

/** Creates the tokenizer. It truncates, but batches.mjs pads, so that the masks need no call. */
function tokenizerOf({ tokenizerPath, truncation }, feeding, strategy) {
  const tokenizer = Tokenizer.fromFile(tokenizerPath);
  tokenizer.disablePadding();
  tokenizer.setTruncation(Math.min(truncation.maxTokens, feeding.tokens ?? Number.POSITIVE_INFINITY), {
    strategy,
    direction: truncation.direction.toLowerCase(),
    stride: truncation.stride,
  });
  return tokenizer;
}

function classifierOutput(session, { labels, problemType }) {
  const output = session.outputMetadata.find(({ name }) => name === 'logits') ?? session.outputMetadata[0];
  const width = output.shape[1];
  if (output.shape.length !== 2) throw new Error(`the output "${output.name}" of model.onnx must be [batch, labels]`);
  if (problemType !== 'regression' && labels.length === 0) throw new Error('config.json has no id2label');
  if (problemType !== 'regression' && typeof width === 'number' && width !== labels.length) {
    throw new Error(`model.onnx gives ${width} logits, id2label of config.json names ${labels.length} labels`);
  }
  return output.name;
}
