// Trains a bag of words on a JSON Lines file of {text, label} and writes it as an ONNX export:
//   node train.mjs [../sentiment/train.jsonl] [FOLDER]
// Takes a second. The same examples give the same files.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { logitsOf, trainNetwork } from './network.mjs';
import { writeBagOfWordsModel } from './onnx-writer.mjs';
import { vocabularyOf, wordsOf } from './words.mjs';

const UNKNOWN_ID = 1;
const MAX_TOKENS = 128;

/** @type {import('./network.mjs').Schedule} */
const SCHEDULE = { dimension: 32, epochs: 60, rate: 0.01, dropout: 0.6, decay: 0.02, seed: 1 };

/**
 * Trains a network. `logits` returns the logits of a text in the order of the labels.
 * @param {readonly { text: string, label: string }[]} examples
 * @param {Partial<import('./network.mjs').Schedule>} [schedule] replaces parts of the default
 * @returns {{
 *   network: import('./onnx-writer.mjs').BagOfWords,
 *   logits: (text: string) => Float32Array,
 * }}
 */
export function train(examples, schedule = {}) {
  const labels = [...new Set(examples.map(({ label }) => label))].sort();
  const texts = examples.map(({ text }) => wordsOf(text));
  const vocabulary = vocabularyOf(texts, 1);
  const idOf = new Map(vocabulary.map((word, id) => [word, id]));
  const idsOf = (words) => words.slice(0, MAX_TOKENS).map((word) => idOf.get(word) ?? UNKNOWN_ID);

  const trained = trainNetwork(
    texts.map(idsOf),
    examples.map(({ label }) => labels.indexOf(label)),
    { vocabulary: vocabulary.length, width: labels.length, unknown: UNKNOWN_ID },
    { ...SCHEDULE, ...schedule },
  );
  const { dimension, embeddings, weights, bias } = trained;
  const layers = [{ inputs: dimension, outputs: labels.length, weights, bias }];
  return {
    network: { labels, vocabulary, dimension, embeddings, layers, maxTokens: MAX_TOKENS },
    logits: (text) => logitsOf(trained, idsOf(wordsOf(text))),
  };
}

/**
 * Trains on the JSON Lines at `path` and writes the bundle's files into `folder`.
 * @param {string} path
 * @param {string} folder
 */
export async function trainAndExport(path, folder) {
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  const { network } = train(lines.map((line) => JSON.parse(line)));
  await writeBagOfWordsModel(folder, network);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [path = join(import.meta.dirname, '../sentiment/train.jsonl'), folder = 'onnx-bow-export'] =
    process.argv.slice(2);
  await trainAndExport(path, folder);
  console.log(`wrote ${folder}: model.onnx, tokenizer.json, tokenizer_config.json, config.json`);
}
