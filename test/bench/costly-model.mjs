// Writes an ONNX export of random weights: node costly-model.mjs FOLDER LAYERS SEED. Each layer is a product of 512 × 512.
import { writeCostlyModel } from '../../sandboxes/examples/onnx-bow/onnx-writer.mjs';
import { WORDS } from './words.mjs';

const [folder, layers, seed] = process.argv.slice(2);
await writeCostlyModel(folder, {
  labels: ['negative', 'neutral', 'positive'],
  words: WORDS,
  width: 512,
  depth: Number(layers),
  seed: Number(seed),
});
