import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { inspectOnnxBundle, type BundleInspection } from '@assay/sandbox';
import { pack } from 'tar-stream';

jest.setTimeout(60_000);

const here = import.meta.dirname;
const examples = [
  { text: 'A wonderful, warm film.', label: 'positive' },
  { text: 'I loved this wonderful café!', label: 'positive' },
  { text: 'A dreadful bore', label: 'negative' },
  { text: 'dreadful food and a rude waiter', label: 'negative' },
  { text: 'It opens at nine.', label: 'neutral' },
  { text: 'The bus stops at the corner', label: 'neutral' },
];

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onnx-bow-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a module's text in a process of its own: the examples are plain modules, and the runtime's binding can't live in Jest. */
function evaluate(code: string): unknown {
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', code], { cwd: here, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return JSON.parse(run.stdout) as unknown;
}

function runnerLogits(texts: readonly string[]): number[][] {
  const runner = join(here, '../../onnx-runner/logits.mjs');
  const input = texts.map((text) => JSON.stringify([text])).join('\n');
  const run = spawnSync(process.execPath, [runner, folder], { input, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(run.stderr);
  return run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).start);
}

async function inspection(): Promise<BundleInspection> {
  const tar = pack();
  for (const name of readdirSync(folder)) tar.entry({ name }, readFileSync(join(folder, name)));
  tar.finalize();
  const archive = join(folder, 'bundle.tar');
  writeFileSync(archive, await buffer(tar));
  return inspectOnnxBundle(archive, join(folder, 'unpacked'), { maxUnpackedBytes: 1e8 });
}

describe('the ONNX example', () => {
  it('exports the network that it trained: the runner computes its logits', () => {
    const texts = ['wonderful', 'a dreadful, dreadful CAFÉ with unheard-of words 😀', 'at nine', '', 'a '.repeat(300)];
    const logits = evaluate(`
      import { train } from './train.mjs';
      import { writeBagOfWordsModel } from './onnx-writer.mjs';
      const { network, logits } = train(${JSON.stringify(examples)}, { epochs: 20 });
      await writeBagOfWordsModel(${JSON.stringify(folder)}, network);
      console.log(JSON.stringify(${JSON.stringify(texts)}.map((text) => [...logits(text)])));
    `) as number[][];

    const computed = runnerLogits(texts);
    expect(computed).toHaveLength(texts.length);
    for (const [index, row] of computed.entries()) {
      row.forEach((value, label) => expect(value).toBeCloseTo(logits[index]![label]!, 4));
    }
  });

  it('learns what it is shown, and gives the same files every time', () => {
    const digests = evaluate(`
      import { createHash } from 'node:crypto';
      import { readFileSync } from 'node:fs';
      import { train } from './train.mjs';
      import { writeBagOfWordsModel } from './onnx-writer.mjs';
      const digests = [];
      for (let round = 0; round < 2; round++) {
        await writeBagOfWordsModel(${JSON.stringify(folder)}, train(${JSON.stringify(examples)}).network);
        digests.push(createHash('sha256').update(readFileSync(${JSON.stringify(join(folder, 'model.onnx'))})).digest('hex'));
      }
      console.log(JSON.stringify(digests));
    `) as string[];
    expect(digests[1]).toBe(digests[0]);

    const labels = ['negative', 'neutral', 'positive'];
    const answers = runnerLogits(examples.map(({ text }) => text)).map((row) => labels[row.indexOf(Math.max(...row))]);
    expect(answers).toEqual(examples.map(({ label }) => label));
    expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8')).id2label).toEqual({
      0: 'negative',
      1: 'neutral',
      2: 'positive',
    });
  });

  it('writes a model as costly as a benchmark wants, with weights that its layers share', async () => {
    evaluate(`
      import { writeCostlyModel } from './onnx-writer.mjs';
      await writeCostlyModel(${JSON.stringify(folder)}, { labels: ['a', 'b'], words: ['x', 'y'], width: 64, depth: 20, seed: 3 });
      console.log('null');
    `);
    expect(readFileSync(join(folder, 'model.onnx')).length).toBeLessThan(64 * 64 * 4 + 10_000);
    expect(await inspection()).toMatchObject({ kind: 'admitted', bundle: { opset: { '': 17 }, outputs: ['logits'] } });
    for (const row of runnerLogits(['x', 'y x', 'z'])) expect(row.every(Number.isFinite)).toBe(true);
  });
});
