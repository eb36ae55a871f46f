// The baseline of the evaluation bench: the model in this process, without sandbox, HTTP or scores.
//   node in-process.mjs FOLDER INSTANCES.jsonl BATCH [ROWS]
// Prints {"examples", "seconds", "cpuSeconds"} of the pass over the instances, which are in memory
// before the clock starts. Two ways of batching: a number as BATCH uses the platform's runner,
// which pads by length; "plain:64" pads each batch to its longest text.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { loadModel } from '../../sandboxes/onnx-runner/model.mjs';

const require = createRequire(import.meta.url);
const { InferenceSession, Tensor } = require('onnxruntime-node');
const { Tokenizer } = require('tokenizers');

const [folder, path, how, rows] = process.argv.slice(2);
const instances = readFileSync(path, 'utf8')
  .trim()
  .split('\n')
  .slice(0, rows === undefined ? undefined : Number(rows))
  .map((line) => ({ text: JSON.parse(line).text }));
const size = Number(how.replace('plain:', ''));
const predict = how.startsWith('plain:') ? await plain() : await runner();

for (let start = 0; start < Math.min(instances.length, 4 * size); start += size) await predict(start);
const started = performance.now();
const before = process.cpuUsage();
let examples = 0;
for (let start = 0; start < instances.length; start += size) examples += (await predict(start)).length;
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify({ examples, seconds, cpuSeconds: (user + system) / 1e6 }));

async function runner() {
  const model = await loadModel(folder, { threads: 1, fields: null });
  return (start) => model.predict(instances.slice(start, start + size));
}

async function plain() {
  const labels = Object.values(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).id2label);
  const session = await InferenceSession.create(join(folder, 'model.onnx'), {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
  });
  const tokenizer = Tokenizer.fromFile(join(folder, 'tokenizer.json'));
  return async (start) => {
    const encodings = await tokenizer.encodeBatch(instances.slice(start, start + size).map(({ text }) => text));
    const length = encodings[0].getLength();
    const ids = new BigInt64Array(encodings.length * length);
    const mask = new BigInt64Array(encodings.length * length);
    encodings.forEach((encoding, row) => {
      const tokens = encoding.getIds();
      const known = encoding.getAttentionMask();
      for (let at = 0; at < length; at++) {
        ids[row * length + at] = BigInt(tokens[at]);
        mask[row * length + at] = BigInt(known[at]);
      }
    });
    const shape = [encodings.length, length];
    const { logits } = await session.run({
      input_ids: new Tensor('int64', ids, shape),
      attention_mask: new Tensor('int64', mask, shape),
    });
    return encodings.map((_, row) => {
      const some = logits.data.subarray(row * labels.length, (row + 1) * labels.length);
      return { label: labels[some.indexOf(Math.max(...some))] };
    });
  };
}
