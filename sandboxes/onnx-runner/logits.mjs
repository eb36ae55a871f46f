// What the runner computes before it answers: `node logits.mjs FOLDER < texts.jsonl`, one JSON list of one or two texts a line; gives one
// JSON object a line, in the same order: {"start": [...], "end"?: [...]}. A classifier's logits are its "start".
import { readFileSync } from 'node:fs';
import { loadModel } from './model.mjs';

const model = await loadModel(process.argv[2], { threads: 1, fields: null });
const texts = readFileSync(0, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const lines = new Array(texts.length);
for await (const { index, logits, encoding } of model.run(texts)) {
  const last = logits.offset + (model.isReader ? encoding.getLength() : logits.width);
  const part = (values) => values && Array.from(values.slice(logits.offset, last));
  lines[index] = JSON.stringify({ start: part(logits.start), end: part(logits.end) });
}
console.log(lines.join('\n'));
