// Writes an ONNX export with random weights: node costly-model.mjs FOLDER LAYERS SEED. Each layer
// is a 512 × 512 matrix product.
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
