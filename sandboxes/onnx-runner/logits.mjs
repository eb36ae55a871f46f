// Prints the logits of a bundle: `node logits.mjs FOLDER < texts.jsonl`. Each input line is a JSON
// list of one or two texts. Each output line, in the same order, is a JSON object {"start": [...],
// "end"?: [...]}. The logits of a classifier are its "start".
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
