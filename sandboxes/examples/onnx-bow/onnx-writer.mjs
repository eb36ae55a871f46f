// Writes a network as the folder that a Hugging Face export to ONNX produces.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generator, uniform } from './network.mjs';
import { encodeModel, floats, integers, node, value } from './onnx-proto.mjs';
import { PADDING, UNKNOWN, WORD } from './words.mjs';

/**
 * @typedef {object} Layer x · weights + bias, then max(0, ·) except after the last layer
 * @property {number} inputs
 * @property {number} outputs
 * @property {Float32Array} weights [inputs, outputs]
 * @property {Float32Array} bias [outputs]
 *
 * @typedef {object} BagOfWords
 * @property {readonly string[]} labels in the order of the logits
 * @property {readonly string[]} vocabulary position is the token's ID; [PAD] first, [UNK] second
 * @property {number} dimension of an embedding
 * @property {Float32Array} embeddings [vocabulary, dimension]
 * @property {readonly Layer[]} layers from the mean of the embeddings to the logits; an object that
 *   occurs several times is written once
 * @property {number} [maxTokens] the most tokens of a text; longer texts are truncated
 */

/**
 * Writes model.onnx, tokenizer.json, tokenizer_config.json and config.json into `folder`, which is
 * created if it is missing. The same network gives the same bytes.
 * @param {string} folder
 * @param {BagOfWords} network
 */
export async function writeBagOfWordsModel(folder, network) {
  const { labels, vocabulary, maxTokens = 128 } = network;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'model.onnx'), modelOf(network));
  await writeJson(join(folder, 'tokenizer.json'), tokenizerOf(vocabulary, maxTokens));
  await writeJson(join(folder, 'tokenizer_config.json'), {
    tokenizer_class: 'PreTrainedTokenizerFast',
    model_max_length: maxTokens,
    pad_token: PADDING,
    unk_token: UNKNOWN,
  });
  await writeJson(join(folder, 'config.json'), {
    architectures: ['bag-of-words'],
    id2label: Object.fromEntries(labels.map((label, id) => [id, label])),
    label2id: Object.fromEntries(labels.map((label, id) => [label, id])),
    problem_type: 'single_label_classification',
  });
}

/**
 * Writes a network with random weights and a chosen cost, for benchmarks: `depth` products of
 * `width` × `width` per example, which are 2 × depth × width² floating-point operations. The layers
 * share their weights, so the file contains width² of them.
 * @param {string} folder
 * @param {{
 *   labels: readonly string[],
 *   words: readonly string[],
 *   width: number,
 *   depth: number,
 *   seed: number,
 *   maxTokens?: number,
 * }} options `words` is the vocabulary without [PAD] and [UNK]
 */
export async function writeCostlyModel(folder, { labels, words, width, depth, seed, maxTokens }) {
  const random = generator(seed);
  const vocabulary = [PADDING, UNKNOWN, ...words];
  const layer = (outputs) => ({
    inputs: width,
    outputs,
    // preserves the variance from layer to layer (He et al. 2015)
    weights: uniform(width * outputs, Math.sqrt(6 / width), random),
    bias: new Float32Array(outputs),
  });
  const hidden = layer(width);
  await writeBagOfWordsModel(folder, {
    labels,
    vocabulary,
    dimension: width,
    embeddings: uniform(vocabulary.length * width, 1, random),
    layers: [...Array.from({ length: depth }, () => hidden), layer(labels.length)],
    ...(maxTokens === undefined ? {} : { maxTokens }),
  });
}

/** input_ids, attention_mask → mean of the embeddings without padding → layers → logits. */
function modelOf({ labels, vocabulary, dimension, embeddings, layers }) {
  const nodes = [
    node('Gather', ['embeddings', 'input_ids'], 'embedded', { axis: 0 }),
    node('Cast', ['attention_mask'], 'mask', { to: 1 }),
    node('Unsqueeze', ['mask', 'last_axis'], 'mask_column'),
    node('Mul', ['embedded', 'mask_column'], 'masked'),
    node('ReduceSum', ['masked', 'sequence_axis'], 'sum', { keepdims: 0 }),
    node('ReduceSum', ['mask', 'sequence_axis'], 'count', { keepdims: 1 }),
    node('Max', ['count', 'one'], 'count_or_one'),
    node('Div', ['sum', 'count_or_one'], 'layer_0'),
  ];
  const initializers = [
    floats('embeddings', [vocabulary.length, dimension], embeddings),
    integers('last_axis', [2]),
    integers('sequence_axis', [1]),
    floats('one', [1], Float32Array.of(1)),
  ];

  const distinct = [...new Set(layers)];
  distinct.forEach(({ inputs, outputs, weights, bias }, index) => {
    initializers.push(floats(`weights_${index}`, [inputs, outputs], weights), floats(`bias_${index}`, [outputs], bias));
  });
  layers.forEach((layer, index) => {
    const isLast = index === layers.length - 1;
    const shared = distinct.indexOf(layer);
    const sum = isLast ? 'logits' : `sum_${index}`;
    nodes.push(node('MatMul', [`layer_${index}`, `weights_${shared}`], `product_${index}`));
    nodes.push(node('Add', [`product_${index}`, `bias_${shared}`], sum));
    if (!isLast) nodes.push(node('Relu', [sum], `layer_${index + 1}`));
  });

  return encodeModel({
    nodes,
    initializers,
    inputs: ['input_ids', 'attention_mask'].map((name) => value(name, 'int64', ['batch', 'sequence'])),
    outputs: [value('logits', 'float', ['batch', labels.length])],
  });
}

function tokenizerOf(vocabulary, maxTokens) {
  const special = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
  return {
    version: '1.0',
    truncation: { direction: 'Right', max_length: maxTokens, strategy: 'LongestFirst', stride: 0 },
    padding: {
      strategy: 'BatchLongest',
      direction: 'Right',
      pad_to_multiple_of: null,
      pad_id: 0,
      pad_type_id: 0,
      pad_token: PADDING,
    },
    added_tokens: [PADDING, UNKNOWN].map((content, id) => ({ id, content, ...special })),
    normalizer: { type: 'Lowercase' },
    pre_tokenizer: { type: 'Split', pattern: { Regex: WORD }, behavior: 'Removed', invert: true },
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordLevel',
      vocab: Object.fromEntries(vocabulary.map((word, id) => [word, id])),
      unk_token: UNKNOWN,
    },
  };
}

function writeJson(path, content) {
  return writeFile(path, `${JSON.stringify(content, null, 1)}\n`);
}
