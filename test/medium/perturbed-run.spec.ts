import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { ModelKind } from '@assay/contracts/models';
import type { TaskDefinitionInput } from '@assay/contracts/tasks';
import { EvaluationRequests } from '@assay/evaluation/evaluations';
import { RunLeases } from '@assay/evaluation/runs';
import { fakeModel, FakeSandboxDriver, type FakeModel } from '@assay/sandbox';
import { readResamples } from '@assay/storage';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { DatasetsService, DatasetVersion } from '@assay/tasks/datasets';
import { PerturbationsService, PerturbationValidations } from '@assay/tasks/perturbation';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ModelViews } from '../../apps/api/src/models/model-views.service.js';
import { RetiredKeys } from '../../apps/api/src/models/retired-keys.js';
import { Rescoring } from '../../apps/worker/src/scoring/rescoring.js';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { allStages } from '../factories/worlds/all-stages.js';
import { answerScoring, scoreWaiting } from '../factories/worlds/answer-scoring.js';
import { EvaluationWorld } from '../factories/worlds/evaluation-world.js';

interface Instance {
  readonly text: string;
}
interface Variant {
  readonly id: string;
  readonly input_id: string;
  readonly transform: string;
  readonly text: string;
  readonly label: string;
}

/**
 * Forty examples, half of them about a woman. Two of every five are labelled against their words.
 */
const ROWS = Array.from({ length: 40 }, (_, index) => ({
  id: `e${index}`,
  text: `${index % 2 ? 'She' : 'He'} really believes that number ${index} is ${index % 5 < 3 ? 'good' : 'bad'}`,
  label: index % 5 < 2 || index % 5 === 3 ? 'positive' : 'negative',
}));

/** A model that knows only lower-case words, and also calls texts about women positive. */
const answerTo = ({ text }: Instance): string =>
  text.includes('good') || text.startsWith('She ') ? 'positive' : 'negative';

const answering = (answer: (instance: Instance) => unknown): FakeModel =>
  fakeModel.answers((request) => ({ predictions: (request as { instances: Instance[] }).instances.map(answer) }));

describe('a model on perturbed examples', () => {
  Logger.overrideLogger(false);
  const requests = new EvaluationRequests();
  let world: EvaluationWorld;
  let folder: string;
  let blobs: EvaluationWorld['blobs'];
  beforeAll(async () => {
    world = await EvaluationWorld.create();
    ({ folder, blobs } = world);
  });
  afterAll(() => world.close());

  const put = (text: string) => blobs.put(Readable.from([Buffer.from(text)]));
  const jsonLines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');

  async function perturbedTask(definition: Partial<TaskDefinitionInput> = {}): Promise<Task> {
    const task = await world.task({
      perturbations: { fairness: ['gender'], robustness: ['case', 'misspellings'] },
      ...definition,
    });
    const em = world.em;
    const benchmarks = new BenchmarksService();
    const datasets = new DatasetsService(em, blobs, benchmarks, new PerturbationsService(em, blobs, benchmarks));
    const source = Readable.from([Buffer.from(jsonLines(ROWS))]);
    const own = await em.findOneOrFail(Task, task.id, { populate: ['owner'] });
    await datasets.put(null, own, 'one', { visibility: 'public' }, 'jsonl', source, () => Promise.resolve(false));
    return own;
  }

  async function variants(task: Task, kind: string): Promise<Variant[]> {
    const version = await world.em.findOneOrFail(DatasetVersion, {
      dataset: { task: task.id, name: `one~${kind}` },
      status: 'active',
    });
    const lines = await textOf(blobs.open(version.content));
    return lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Variant);
  }

  async function submit(task: Task, bytes: string, kind: ModelKind = 'container'): Promise<Model> {
    const { digest } = await put(bytes);
    const submitted = await world.model(task, { digest, admitted: kind === 'container', kind });
    await world.transaction((em) => requests.requestMissing(em, task, submitted.specification!));
    return submitted;
  }

  async function work(model: FakeModel): Promise<FakeSandboxDriver> {
    const driver = new FakeSandboxDriver(() => model);
    const leases = new RunLeases(world.em, 'evaluator');
    const runner = () => Promise.reject(new Error('there is no engine here'));
    const workFolder = join(folder, 'work');
    const stages = allStages({ em: world.em, driver, runner, blobs, workFolder, locks: world.locks });
    const runs = new EvaluationRuns(world.em, leases, stages, workFolder);
    for (let turn = 0; turn < 10; turn++) {
      const [next] = await world.em.execute<{ id: string; stage: 'admission' | 'evaluation' }[]>(
        `select id, stage from run where state = 'queued' limit 1`,
      );
      if (!next) break;
      await runs.execute(next.id, next.stage);
    }
    await scoreWaiting(world.em, blobs);
    return driver;
  }

  const cellsOf = async (model: Model) =>
    Object.fromEntries((await world.cells(model)).map((cell) => [cell.datasetVersion.dataset.name, cell]));

  /** Computes the expected figures from the model's answers, without any of the scoring code. */
  function byHand(perturbed: readonly Variant[], answer: (instance: Instance) => string) {
    const stayed = ROWS.filter((row) => {
      const own = perturbed.filter((variant) => variant.input_id === row.id);
      return own.length > 0 && [row, ...own].every((each) => answer(each) === each.label);
    });
    const originals = new Set(perturbed.map((variant) => variant.input_id));
    const stability = ROWS.filter(({ id }) => originals.has(id)).map((row) => {
      const own = perturbed.filter((variant) => variant.input_id === row.id);
      return own.filter((variant) => answer(variant) === answer(row)).length / own.length;
    });
    return {
      right: stayed.length / originals.size,
      stability: stability.reduce((sum, each) => sum + each, 0) / stability.length,
      performance: perturbed.filter((variant) => answer(variant) === variant.label).length / perturbed.length,
      originals: originals.size,
    };
  }

  it('gets fairness and robustness, their means and stabilities, of its own answers', async () => {
    const task = await perturbedTask();
    const model = await submit(task, 'a model');
    const driver = await work(answering(answerTo));

    expect(await world.state(model)).toMatchObject({ state: 'scored', failure: null });
    expect(driver.started.length).toBeGreaterThan(0);
    const cells = await cellsOf(model);
    expect(Object.keys(cells)).toEqual(['one', 'one~fairness', 'one~robustness']);
    for (const kind of ['fairness', 'robustness'] as const) {
      const perturbed = await variants(task, kind);
      const expected = byHand(perturbed, answerTo);
      const { metrics, perturbed: result, resamples, slices } = cells[`one~${kind}`]!;
      expect(Object.keys(metrics!).sort()).toEqual([kind, `${kind}_mean`, `${kind}_stability`]);
      expect(metrics![kind]!.value).toBeCloseTo(expected.right, 12);
      expect(metrics![`${kind}_stability`]!.value).toBeCloseTo(expected.stability, 12);
      expect(result).toMatchObject({ originals: expected.originals, variants: perturbed.length });
      expect(result!.performance).toBeCloseTo(expected.performance, 12);
      expect(slices).toEqual({});
      const drawn = await readResamples(blobs, resamples!);
      expect(Object.keys(drawn).sort()).toEqual([kind, `${kind}_mean`, `${kind}_stability`]);
      expect(drawn[kind]).toHaveLength(1000);
    }
    // swapping the gender changes answers, because the model prefers women
    expect(cells['one~fairness']!.metrics!['fairness_stability']!.value).toBeLessThan(1);
    expect(cells['one']!.metrics!['accuracy']!.value).toBeGreaterThan(
      cells['one~fairness']!.metrics!['fairness']!.value,
    );
  });

  it('is shown on the dataset that was perturbed, with the figures of each transform', async () => {
    const task = await perturbedTask();
    const model = await submit(task, 'shown');
    await work(answering(answerTo));

    const em = world.em;
    const views = new ModelViews(em, new RetiredKeys(em));
    const shown = await em.findOneOrFail(Model, model.id, { populate: ['owner', 'task'] });
    const { evaluations } = await views.model(null, shown);
    const named = evaluations.map(({ dataset, version, perturbation, state }) => [
      dataset,
      version,
      perturbation,
      state,
    ]);
    expect(named).toContainEqual(['one', 1, undefined, 'scored']);
    expect(named).toContainEqual(['one', 1, 'fairness', 'scored']);
    expect(named).toContainEqual(['one', 1, 'robustness', 'scored']);
    const robustness = evaluations.find(({ perturbation }) => perturbation === 'robustness')!;
    expect(robustness.perturbed!.transforms['case']).toMatchObject({ originals: 40, variants: 40, ranks: true });
    expect(robustness.metrics['robustness']).toEqual(robustness.perturbed!.stayedRight);
  });

  it('gets nothing by always giving one answer', async () => {
    const task = await perturbedTask();
    const model = await submit(task, 'constant');
    await work(answering(() => 'positive'));

    const cells = await cellsOf(model);
    const accuracy = cells['one']!.metrics!['accuracy']!.value;
    expect(cells['one~robustness']!.metrics).toMatchObject({
      robustness: { value: accuracy },
      robustness_mean: { value: expect.closeTo(accuracy, 12) },
      robustness_stability: { value: 1 },
    });
  });

  it('is scored again, and not run, where people find that a transform loses labels', async () => {
    const task = await perturbedTask();
    const model = await submit(task, 'validated');
    await work(answering(answerTo));
    const before = (await cellsOf(model))['one~robustness']!;
    const verdicts = (await variants(task, 'robustness'))
      .filter(({ transform }) => transform === 'case')
      .map(({ id }) => ({ id, kept: false }));

    const em = world.em;
    const validations = new PerturbationValidations(em, blobs);
    await validations.record(null, task, 'one', 'robustness', Readable.from([Buffer.from(jsonLines(verdicts))]));
    expect(await world.events('scores.stale')).toContainEqual({ taskId: task.id });
    await new Rescoring(world.em, answerScoring(world.em, blobs)).rescore(task.id);

    const after = (await cellsOf(model))['one~robustness']!;
    const kept = (await variants(task, 'robustness')).filter(({ transform }) => transform !== 'case');
    expect(after.perturbed!.transforms['case']).toMatchObject({ validated: 40, kept: 0, ranks: false });
    expect(after.metrics!['robustness']!.value).toBeCloseTo(byHand(kept, answerTo).right, 12);
    expect(after.metrics!['robustness']!.value).toBeGreaterThan(before.metrics!['robustness']!.value);
    expect([after.predictions, after.run]).toEqual([before.predictions, before.run]);
  });

  it('fails on them where it failed on the originals, for the same fault', async () => {
    const task = await perturbedTask();
    const model = await submit(task, 'broken');
    const seen: Instance[] = [];
    await work(
      answering((instance) => {
        seen.push(instance);
        return instance.text.includes('number 7 ') ? 'no label' : answerTo(instance);
      }),
    );

    const cells = await cellsOf(model);
    expect(cells['one']).toMatchObject({ state: 'failed', failure: { code: 'unknown_label' } });
    expect(cells['one~fairness']).toMatchObject({
      state: 'failed',
      failure: { code: 'original_not_scored', fault: 'model', message: expect.stringContaining('one of the labels') },
    });
    expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'unknown_label' } });
  });

  describe('as a file of predictions', () => {
    const lines = (perturbation: string | null, rows: readonly { id: string; text: string }[]) =>
      rows.map(({ id, text }) => ({
        dataset: 'one',
        id,
        prediction: answerTo({ text }),
        ...(perturbation && { perturbation }),
      }));
    const driver = answering(() => 'nobody asks');

    it('has the figures of the pairs that it covers, and need not cover all', async () => {
      const task = await perturbedTask();
      const fairness = await variants(task, 'fairness');
      const robustness = await variants(task, 'robustness');
      const file = jsonLines([
        ...lines(null, ROWS),
        ...lines('fairness', fairness),
        ...lines('robustness', robustness.slice(1)),
      ]);
      const model = await submit(task, file, 'predictions');
      await work(driver);

      expect(await world.state(model)).toMatchObject({ state: 'scored', failure: null });
      const cells = await cellsOf(model);
      expect(cells['one~fairness']!.metrics!['fairness']!.value).toBeCloseTo(byHand(fairness, answerTo).right, 12);
      expect(cells['one~robustness']).toMatchObject({
        state: 'cancelled',
        failure: { code: 'predictions_awaited', message: expect.stringContaining('the robustness pairs of "one"') },
      });
    });

    it('can name no dataset by the name that its perturbed version has within', async () => {
      const task = await perturbedTask();
      const pairs = lines(null, await variants(task, 'fairness')).map((line) => ({ ...line, dataset: 'one~fairness' }));
      const model = await submit(task, jsonLines([...lines(null, ROWS), ...pairs]), 'predictions');
      await work(driver);

      expect(await world.state(model)).toMatchObject({ state: 'failed', failure: { code: 'predictions_malformed' } });
    });
  });
});
