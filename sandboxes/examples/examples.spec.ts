import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAnswer } from '@assay/contracts';
import { TaskDefinition } from '@assay/contracts/tasks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { containerExamples, predictionsExample, sentiment } from './examples.js';
import { copyExample, expectFolder, startExample, type StartedExample } from './started-example.js';

const here = import.meta.dirname;
const task = TaskDefinition.parse(parse(readFileSync(join(here, sentiment.task), 'utf8')));
const labels = 'labels' in task.output ? task.output.labels : [];

interface Example {
  readonly id: string;
  readonly text: string;
  readonly label: string;
  readonly domain?: string;
  readonly phenomena?: readonly string[];
}

function lines<Line>(path: string): Line[] {
  return readFileSync(join(here, path), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const training = lines<Example>(sentiment.training);
const datasets = sentiment.datasets.map((dataset) => ({ ...dataset, examples: lines<Example>(dataset.file) }));

const DOMAINS = 'films food travel electronics services books music sport home health clothes games weather'.split(' ');
const PHENOMENA = 'sarcasm negation comparison understatement idiom mixed world_knowledge hedging question plain'.split(
  ' ',
);

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}']+/gu));

/** Shared words by all words (Jaccard). */
function likeness(left: Set<string>, right: Set<string>): number {
  const shared = left.intersection(right).size;
  return shared / (left.size + right.size - shared);
}

describe('the data of the demonstration', () => {
  it('has 400 training examples and at least 120 in each scoring dataset', () => {
    expect(training).toHaveLength(400);
    for (const { examples } of datasets) expect(examples.length).toBeGreaterThanOrEqual(120);
  });

  it('has the labels of the task alone, each for about a third of every file', () => {
    for (const examples of [training, ...datasets.map((dataset) => dataset.examples)]) {
      expect(new Set(examples.map(({ label }) => label))).toEqual(new Set(labels));
      for (const label of labels) {
        const share = examples.filter((example) => example.label === label).length / examples.length;
        expect(Math.abs(share - 1 / 3)).toBeLessThan(0.05);
      }
    }
  });

  it('has an id and a text of its own for each example, in all files together', () => {
    const all = [...training, ...datasets.flatMap(({ examples }) => examples)];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(all.filter(({ text }) => text.trim() !== text || text === '')).toEqual([]);

    const words = all.map(({ text }) => wordsOf(text));
    const alike = words.flatMap((left, index) =>
      words.slice(0, index).flatMap((right, other) => (likeness(left, right) > 0.6 ? [[all[index], all[other]]] : [])),
    );
    expect(alike).toEqual([]);
  });

  it('names known domains and phenomena in every scoring example', () => {
    for (const { domain, phenomena } of datasets.flatMap(({ examples }) => examples)) {
      expect(DOMAINS).toContain(domain);
      expect(phenomena?.length).toBeGreaterThan(0);
      expect(PHENOMENA).toEqual(expect.arrayContaining([...(phenomena ?? [])]));
    }
  });

  it('fits its task: inputs, output and slices are fields of the lines', () => {
    const first = datasets[0]!.examples[0]!;
    const fields = [...task.inputs.map(({ name }) => name), task.output.name, ...task.slices];
    expect(Object.keys(first)).toEqual(expect.arrayContaining(fields));
  });
});

describe('the predictions file', () => {
  it('answers every example of every scoring dataset once, in a form that the contract takes', () => {
    const answers = lines<{ dataset: string; id: string; prediction: unknown }>(predictionsExample.file);
    const expected = datasets.flatMap(({ name, examples }) => examples.map(({ id }) => `${name}/${id}`));
    expect(answers.map(({ dataset, id }) => `${dataset}/${id}`)).toEqual(expected);

    const refused = answers.filter(({ prediction }) => !parseAnswer(task.output, prediction).ok);
    expect(refused).toEqual([]);
  });

  it('is what its script writes', () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-predictions-'));
    try {
      for (const path of ['lexicon/model.mjs', 'lexicon/words.mjs', 'naive-bayes/features.mjs'])
        copyExample(path, folder);
      for (const path of ['naive-bayes/naive-bayes.mjs', 'predictions/make.mjs', 'predictions/rules.mjs']) {
        copyExample(path, folder);
      }
      for (const path of [sentiment.training, ...datasets.map(({ file }) => file)]) copyExample(path, folder);

      expect(spawnSync(process.execPath, [join(folder, 'predictions/make.mjs')]).status).toBe(0);

      const written = readFileSync(join(folder, predictionsExample.file), 'utf8');
      expect(written).toBe(readFileSync(join(here, predictionsExample.file), 'utf8'));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe.each(containerExamples)('the example $name', (example) => {
  let folder: string;
  let server: StartedExample;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), `assay-${example.name}-`));
    server = await startExample(example, folder);
  }, 60_000);

  afterAll(() => {
    server.process.kill();
    rmSync(folder, { recursive: true });
  });

  const post = async (body: string): Promise<{ status: number; body: { predictions: unknown[]; error: string } }> => {
    const response = await fetch(`${server.url}/invocations`, { method: 'POST', body });
    return { status: response.status, body: (await response.json()) as { predictions: unknown[]; error: string } };
  };
  const instances = (examples: readonly Example[]): string =>
    JSON.stringify({ instances: examples.map(({ text }) => ({ text })) });

  it('answers the ping when it is ready', async () => {
    expect((await fetch(`${server.url}/ping`)).status).toBe(200);
  });

  it('answers every scoring example with a label of the task, better than chance in all', async () => {
    const examples = datasets.flatMap((dataset) => dataset.examples);
    const { status, body } = await post(instances(examples));
    expect(status).toBe(200);
    expect(body.predictions).toHaveLength(examples.length);

    const answers = body.predictions.map((prediction) => parseAnswer(task.output, prediction));
    expect(answers.filter(({ ok }) => !ok)).toEqual([]);
    const right = answers.filter((answer, index) => answer.ok && answer.answer.text === examples[index]!.label);
    expect(right.length / examples.length).toBeGreaterThan(0.45);
  }, 30_000);

  it('answers in the order of the request, and the same alone as among others', async () => {
    const examples = datasets[0]!.examples.slice(0, 6);
    const together = (await post(instances(examples))).body.predictions;
    const reversed = (await post(instances(examples.toReversed()))).body.predictions;
    const alone = (await post(instances(examples.slice(2, 3)))).body.predictions;

    expect(reversed).toEqual(together.toReversed());
    expect(alone).toEqual(together.slice(2, 3));
  });

  it('answers no instances, an empty text and one in no language it knows', async () => {
    expect((await post('{"instances": []}')).body).toEqual({ predictions: [] });
    const { status, body } = await post('{"instances": [{"text": ""}, {"text": "你好 👋"}]}');
    expect(status).toBe(200);
    for (const prediction of body.predictions) expect(parseAnswer(task.output, prediction).ok).toBe(true);
  });

  it.each(['{"instances": [', '[]', 'null', '{"inputs": []}', '{"instances": [{"text": 1}]}', '{"instances": [null]}'])(
    'says what is wrong with %s',
    async (malformed) => {
      const { status, body } = await post(malformed);
      expect(status).toBe(400);
      expect(body.error).toMatch(/\w/);
    },
  );

  it('has a Dockerfile that copies the files of the image, and a README', () => expectFolder(example));
});
