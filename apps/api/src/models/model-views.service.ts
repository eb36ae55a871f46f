import { boardMetrics, type EvaluationView, type ModelSummary, type ModelView } from '@assay/contracts';
import { Evaluation, liveRun, Run, runProgress } from '@assay/evaluation';
import type { Principal } from '@assay/identity';
import { type Model, ModelsService, RunSpecification } from '@assay/submissions';
import { BenchmarksService, type DatasetVersion, mayReadExamples, namedExamples, type Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { withoutSingleAnswers } from './shown-figures.js';

/** Models as they are shown. */
@Injectable()
export class ModelViews {
  constructor(
    private readonly em: EntityManager,
    private readonly models: ModelsService,
    private readonly benchmarks: BenchmarksService,
  ) {}

  summary(model: Model): ModelSummary {
    return {
      id: model.id,
      name: model.name,
      owner: model.owner.username,
      kind: model.kind,
      state: model.state,
      createdAt: model.createdAt.toISOString(),
    };
  }

  /** As `principal` may see it: what would tell single answers to a dataset that is not public is for the owner of the task alone. */
  async model(principal: Principal | null, model: Model): Promise<ModelView> {
    const artifact = await this.models.artifactOf(model);
    return {
      ...this.summary(model),
      task: model.task.slug,
      description: model.description,
      card: model.card,
      trainedOn: [...model.trainedOn],
      protocol: model.protocol,
      ...(model.command && { command: [...model.command] }),
      published: model.published,
      withdrawn: model.withdrawn,
      loop: model.inLoop,
      ...(model.failure && { failure: model.failure }),
      ...(artifact && { artifact }),
      evaluations: await this.evaluations(principal, model),
      ...(await this.running(model)),
    };
  }

  /** The log of the run that evaluated it last. */
  async log(model: Model): Promise<string> {
    if (!model.specification) return '';
    const run = await this.em.findOne(
      Run,
      { specification: model.specification, task: model.task, purpose: 'evaluation', log: { $ne: null } },
      { orderBy: { id: 'desc' } },
    );
    return run?.log ?? '';
  }

  private async running(model: Model): Promise<Pick<ModelView, 'measuring' | 'repeatability' | 'run'>> {
    if (!model.specification) return {};
    const { repeatability } = await this.em.findOneOrFail(RunSpecification, model.specification.id, { refresh: true });
    const scope = { specification: model.specification.id, task: model.task.id };
    const run = await runProgress(this.em, scope);
    return {
      ...(run && { run }),
      measuring: (await liveRun(this.em, scope, 'measures')) !== null,
      ...(repeatability && { repeatability }),
    };
  }

  private async evaluations(principal: Principal | null, model: Model): Promise<EvaluationView[]> {
    if (!model.specification) return [];
    const versions = await this.benchmarks.activeVersions(this.em, model.task);
    const evaluations = await this.em.find(Evaluation, {
      specification: model.specification,
      datasetVersion: { $in: versions },
    });
    const numbers = new Map(versions.map(({ id, number }) => [id, number]));
    return versions.flatMap((version) => {
      const evaluation = evaluations.find((each) => each.datasetVersion.id === version.id);
      const number = numbers.get(version.original?.id ?? version.id) ?? version.number;
      if (!evaluation) return [];
      const view = evaluationView(evaluation, version, number, model.task);
      return [mayReadExamples(principal, model.task, version.dataset) ? view : withoutSingleAnswers(view)];
    });
  }
}

/** @param number of the version; of a perturbed one that of its original */
const evaluationView = (
  evaluation: Evaluation,
  version: DatasetVersion,
  number: number,
  task: Task,
): EvaluationView => ({
  ...namedExamples(version.dataset),
  version: number,
  ...(typeof version.dataset.round === 'number' && { round: version.dataset.round }),
  state: evaluation.state,
  ...(evaluation.failure && { failure: evaluation.failure }),
  examples: version.examples,
  ...(evaluation.invalid > 0 && { invalid: evaluation.invalid }),
  metrics: inOrder(evaluation.metrics ?? {}, boardMetrics(task.definition)),
  measures: { ...evaluation.measures },
  slices: Object.fromEntries(Object.entries(evaluation.slices ?? {}).map(([field, values]) => [field, { ...values }])),
  ...(evaluation.sliceSpreads &&
    Object.keys(evaluation.sliceSpreads).length > 0 && {
      sliceSpreads: Object.fromEntries(
        Object.entries(evaluation.sliceSpreads).map(([field, spreads]) => [field, { ...spreads }]),
      ),
    }),
  ...(evaluation.calibration && { calibration: evaluation.calibration }),
  ...(evaluation.perturbed && { perturbed: evaluation.perturbed }),
});

/** The entries of `record` in the order of `names`: the database keeps none. What the task has no more comes last. */
function inOrder<T>(record: Readonly<Record<string, T>>, names: readonly string[]): Record<string, T> {
  const known = names.filter((name) => name in record);
  return Object.fromEntries([...new Set([...known, ...Object.keys(record)])].map((name) => [name, record[name]!]));
}
