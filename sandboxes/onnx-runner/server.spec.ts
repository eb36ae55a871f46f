import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

// the runtime's native binding can't live in Jest's context (its typed arrays are another realm's), so the runner runs as what it is: a process
// whole datasets, on a machine that may be busy
jest.setTimeout(120_000);

const here = import.meta.dirname;
const shared = join(here, '../../../shared');
const hasShared = existsSync(join(shared, 'models'));
if (!hasShared) console.warn(`SKIPPED: the ONNX runner's trials on real models; there is no ${shared}`);

type Row = Record<string, string>;

interface Answer {
  readonly label: string;
  readonly probabilities: Record<string, number>;
  readonly answer: string;
  readonly start: number;
  readonly end: number;
}

interface Body {
  readonly predictions: readonly Answer[];
  readonly error: string;
}

/** A question of the reference, or one of XQuAD. */
interface Question {
  readonly context: string;
  readonly question: string;
  readonly answer: string;
  readonly answers: readonly string[];
}

interface Runner {
  readonly process: ChildProcess;
  readonly url: string;
}

/** `model`: the name of one of the shared models, or an absolute path. */
async function startRunner(model: string, environment: Record<string, string> = {}): Promise<Runner> {
  const child = spawn(process.execPath, [join(here, 'server.mjs')], {
    env: {
      ...process.env,
      ASSAY_MODEL: resolve(shared, 'models', model),
      AIP_HTTP_PORT: '0',
      OMP_NUM_THREADS: '1',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((found, reject) => {
    child.stdout.on('data', (chunk: Buffer) => found(/listening on (\d+)/.exec(chunk.toString())?.[1] ?? ''));
    child.once('exit', (code) => reject(new Error(`the runner exited with ${String(code)}`)));
  });
  return { process: child, url: `http://127.0.0.1:${port}` };
}

async function post(runner: Runner, body: string): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${runner.url}/invocations`, { method: 'POST', body });
  return { status: response.status, body: (await response.json()) as Body };
}

async function predictAll(runner: Runner, instances: readonly object[], batch = 64): Promise<Answer[]> {
  const predictions: Answer[] = [];
  for (let start = 0; start < instances.length; start += batch) {
    const { body } = await post(runner, JSON.stringify({ instances: instances.slice(start, start + batch) }));
    predictions.push(...body.predictions);
  }
  return predictions;
}

function rowsOf(file: string): Row[] {
  return readFileSync(join(shared, 'data', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function pick(row: Row, fields: readonly string[]): Row {
  return Object.fromEntries(fields.map((field) => [field, row[field] ?? '']));
}

const classifiers = [
  { model: 'sentiment-bow', data: 'sentiment/sst3.test.jsonl', fields: ['text'], accuracy: 64.03, macroF1: null },
  { model: 'sentiment-cnn', data: 'sentiment/sst3.test.jsonl', fields: ['text'], accuracy: 60.18, macroF1: null },
  { model: 'hate-bow', data: 'hate/hatecheck.jsonl', fields: ['text'], accuracy: 58.5, macroF1: 52.23 },
  {
    model: 'nli-pair',
    data: 'nli/anli-r3.dev.jsonl',
    fields: ['context', 'hypothesis'],
    accuracy: 37.31,
    macroF1: null,
  },
] as const;

(hasShared ? describe : describe.skip)('the ONNX runner on real models', () => {
  it.each(classifiers)('computes the reference logits of $model', ({ model, fields }) => {
    const reference: (Row & { logits: number[] })[] = JSON.parse(
      readFileSync(join(shared, 'models', model, 'reference.json'), 'utf8'),
    );
    const input = reference.map((row) => JSON.stringify(fields.map((field) => row[field]))).join('\n');

    const run = spawnSync(process.execPath, [join(here, 'logits.mjs'), join(shared, 'models', model)], {
      input,
      encoding: 'utf8',
    });

    const logits: number[][] = run.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).start);
    expect(logits).toHaveLength(reference.length);
    const worst = Math.max(
      ...reference.flatMap((row, at) =>
        row.logits.map((value: number, k: number) => Math.abs(value - logits[at]![k]!)),
      ),
    );
    expect(worst).toBeLessThan(1e-3);
  });

  it.each(classifiers)('scores $accuracy on $data with $model', async ({ model, data, fields, accuracy, macroF1 }) => {
    const runner = await startRunner(model);
    try {
      const rows = rowsOf(data);
      const predictions = await predictAll(
        runner,
        rows.map((row) => pick(row, fields)),
      );
      const gold = rows.map((row) => row['label']!);
      const predicted = predictions.map((prediction) => prediction.label);

      expect(100 * share(gold, predicted)).toBeCloseTo(accuracy, 2);
      if (macroF1 !== null) expect(100 * meanF1(gold, predicted)).toBeCloseTo(macroF1, 2);
      for (const { probabilities } of predictions) {
        expect(Object.values(probabilities).reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
      }
    } finally {
      runner.process.kill();
    }
  });

  it('answers the reference questions, and scores F1 37.40 and exact match 24.79 on xquad.en with qa-span', async () => {
    const runner = await startRunner('qa-span');
    try {
      const reference: Question[] = JSON.parse(readFileSync(join(shared, 'models/qa-span/reference.json'), 'utf8'));
      // the fields are known by their names, whatever their order
      const answers = await predictAll(
        runner,
        reference.map(({ context, question }) => ({ context, question })),
      );
      expect(answers.map(({ answer }) => answer)).toEqual(reference.map(({ answer }) => answer));
      for (const [index, { answer, start, end }] of answers.entries()) {
        expect(Array.from(reference[index]!.context).slice(start, end).join('')).toBe(answer);
      }

      const rows = rowsOf('qa/xquad.en.jsonl') as unknown as Question[];
      const predictions = await predictAll(
        runner,
        rows.map(({ question, context }) => ({ question, context })),
      );
      const best = (score: (gold: string, predicted: string) => number) =>
        rows.reduce(
          (sum, row, at) => sum + Math.max(...row.answers.map((gold) => score(gold, predictions[at]!.answer))),
          0,
        ) / rows.length;
      expect(100 * best((gold, predicted) => Number(normalised(gold) === normalised(predicted)))).toBeCloseTo(24.79, 2);
      expect(100 * best(wordF1)).toBeCloseTo(37.4, 2);
    } finally {
      runner.process.kill();
    }
  });
});

(hasShared ? describe : describe.skip)('the ONNX runner under the contract', () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startRunner('sentiment-bow');
  });
  afterAll(() => {
    runner.process.kill();
  });

  it('answers GET /ping', async () => {
    expect((await fetch(`${runner.url}/ping`)).status).toBe(200);
  });

  it('answers in the order of the instances, alone or together', async () => {
    const instances = rowsOf('sentiment/sst3.test.jsonl')
      .slice(0, 40)
      .map(({ text }) => ({ text }));
    const together = await predictAll(runner, instances);
    const alone = await predictAll(runner, instances, 1);

    expect(together.map(({ label }) => label)).toEqual(alone.map(({ label }) => label));
    for (const [index, { probabilities }] of together.entries()) {
      expect(probabilities['positive']).toBeCloseTo(alone[index]!.probabilities['positive']!, 5);
    }
  });

  it('answers an empty list and an empty text', async () => {
    expect((await post(runner, '{"instances": []}')).body).toEqual({ predictions: [] });
    expect((await post(runner, '{"instances": [{"text": ""}]}')).body.predictions).toHaveLength(1);
  });

  it.each([
    ['not json', /not valid JSON/],
    ['{"inputs": []}', /"instances"/],
    ['{"instances": [{"text": "a"}, 3]}', /Instance 1 is not an object/],
    ['{"instances": [{"text": "a"}, {"other": "b"}]}', /Instance 1 has no text in "text"/],
    ['{"instances": [{"a": "1", "b": "2", "c": "3"}]}', /one text or a pair/],
  ])('refuses %s with a sentence', async (body, sentence) => {
    const answer = await post(runner, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error).toMatch(sentence);
  });

  it('explains both texts of a pair', async () => {
    const pair = await startRunner('nli-pair');
    const [{ context, hypothesis }] = rowsOf('nli/anli-r1.dev.jsonl') as [Row];
    const body = JSON.stringify({ instances: [{ context, hypothesis }] });
    const response = await fetch(`${pair.url}/explain`, { method: 'POST', body });
    const without = hypothesis!.replace(/^\S+ /, '');
    const [whole, less] = await predictAll(pair, [
      { context, hypothesis },
      { context, hypothesis: without },
    ]);
    pair.process.kill();

    const { explanations } = (await response.json()) as {
      explanations: Record<string, { token: string; start: number; end: number; weight: number }[]>[];
    };
    expect(Object.keys(explanations[0]!)).toEqual(['context', 'hypothesis']);
    for (const [field, weights] of Object.entries(explanations[0]!)) {
      const text = { context, hypothesis }[field]!;
      expect(weights.length).toBeGreaterThan(3);
      for (const { token, start, end } of weights) expect(text.slice(start, end)).toBe(token);
    }
    const fall = whole!.probabilities[whole!.label]! - less!.probabilities[whole!.label]!;
    expect(explanations[0]!['hypothesis']![0]!.weight).toBeCloseTo(fall, 5);
  });

  it('reads the fields that ASSAY_FIELDS names', async () => {
    const other = await startRunner('sentiment-bow', { ASSAY_FIELDS: 'review' });
    const answer = await post(other, '{"instances": [{"title": "x", "rating": 3, "review": "a wonderful film"}]}');
    other.process.kill();
    expect(answer.body.predictions[0]?.label).toBe('positive');
  });
});

describe('the ONNX runner on a model of two words', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'onnx-runner-'));
    // good is (1, -1), bad (-1, 1); what is unknown, nothing
    const code = `
      import { writeBagOfWordsModel } from '../examples/onnx-bow/onnx-writer.mjs';
      await writeBagOfWordsModel(process.argv[1], {
        labels: ['praise', 'blame'], vocabulary: ['[PAD]', '[UNK]', 'good', 'bad'], dimension: 2, maxTokens: 8,
        embeddings: Float32Array.of(9, 9, 0, 0, 1, -1, -1, 1),
        layers: [{ inputs: 2, outputs: 2, weights: Float32Array.of(1, 0, 0, 1), bias: new Float32Array(2) }],
      });`;
    const run = spawnSync(process.execPath, ['--input-type=module', '--eval', code, folder], { cwd: here });
    if (run.status !== 0) throw new Error(run.stderr.toString());
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Changes keys of one of the bundle's JSON files, and undoes it after `use`. */
  async function changed(name: string, keys: object, use: () => Promise<void>): Promise<void> {
    const before = readFileSync(join(folder, name), 'utf8');
    writeFileSync(join(folder, name), JSON.stringify({ ...JSON.parse(before), ...keys }));
    try {
      await use();
    } finally {
      writeFileSync(join(folder, name), before);
    }
  }

  async function predictions(instances: readonly object[]): Promise<readonly Answer[]> {
    const runner = await startRunner(folder);
    try {
      return (await post(runner, JSON.stringify({ instances }))).body.predictions;
    } finally {
      runner.process.kill();
    }
  }

  it('gives the softmax of the logits, whatever the padding', async () => {
    const [praise, blame, unknown] = await predictions([
      { text: 'good' },
      { text: 'Bad bad BAD bad bad bad bad bad' },
      { text: 'what' },
    ]);
    const likely = 1 / (1 + Math.exp(-2));
    expect(praise).toEqual({
      label: 'praise',
      probabilities: { praise: likely, blame: expect.closeTo(1 - likely, 12) },
    });
    expect(blame).toEqual({ label: 'blame', probabilities: { praise: expect.closeTo(1 - likely, 12), blame: likely } });
    expect(unknown).toEqual({ label: 'praise', probabilities: { praise: 0.5, blame: 0.5 } });
  });

  it('gives a list of labels where the model has several at once', async () => {
    await changed('config.json', { problem_type: 'multi_label_classification' }, async () => {
      expect(await predictions([{ text: 'good' }, { text: 'bad' }, { text: 'what' }])).toEqual([
        ['praise'],
        ['blame'],
        ['praise', 'blame'],
      ]);
    });
  });

  it('answers a pair whose uncut text is too long by itself', async () => {
    const truncation = { direction: 'Right', max_length: 8, strategy: 'OnlySecond', stride: 0 };
    await changed('tokenizer.json', { truncation }, async () => {
      const answers = await predictions([
        { context: 'good '.repeat(20), hypothesis: 'good' },
        { context: 'bad', hypothesis: 'bad' },
      ]);
      expect(answers.map(({ label }) => label)).toEqual(['praise', 'blame']);
    });
  });

  it('says in a sentence why it cannot serve a model', async () => {
    await changed('config.json', { id2label: { 0: 'only' } }, () => {
      const environment = { ...process.env, ASSAY_MODEL: folder, AIP_HTTP_PORT: '0' };
      const run = spawnSync(process.execPath, [join(here, 'server.mjs')], { env: environment, encoding: 'utf8' });
      expect(run.status).toBe(1);
      expect(run.stderr).toBe(
        'The model cannot be served: model.onnx gives 2 logits, id2label of config.json names 1 labels\n',
      );
      return Promise.resolve();
    });
  });
});

function share(gold: readonly string[], predicted: readonly string[]): number {
  return gold.filter((label, at) => label === predicted[at]).length / gold.length;
}

function meanF1(gold: readonly string[], predicted: readonly string[]): number {
  const labels = [...new Set(gold)];
  const f1 = labels.map((label) => {
    const right = gold.filter((value, at) => value === label && predicted[at] === label).length;
    return (
      (2 * right) /
      (gold.filter((value) => value === label).length + predicted.filter((value) => value === label).length)
    );
  });
  return f1.reduce((sum, value) => sum + value, 0) / labels.length;
}

function normalised(text: string): string {
  const letters = text.toLowerCase().replace(/[!-/:-@[-`{-~]/g, '');
  return letters
    .replace(/\b(a|an|the)\b/g, ' ')
    .split(/\s+/)
    .filter(Boolean)
    .join(' ');
}

function wordF1(gold: string, predicted: string): number {
  const left = normalised(predicted).split(' ');
  const right = normalised(gold).split(' ');
  const common = left.filter((word) => {
    const at = right.indexOf(word);
    if (at !== -1) right.splice(at, 1);
    return at !== -1;
  }).length;
  return (2 * common) / (left.length + normalised(gold).split(' ').length);
}
