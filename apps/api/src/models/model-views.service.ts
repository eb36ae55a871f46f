import type { EvaluationView, ModelSummary, ModelView } from '@assay/contracts';
import { Evaluation, Run } from '@assay/evaluation';
import { type Model, ModelsService } from '@assay/submissions';
import { BenchmarksService, type DatasetVersion } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

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

  async model(model: Model): Promise<ModelView> {
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
      ...(model.failure && { failure: model.failure }),
      ...(artifact && { artifact }),
      evaluations: await this.evaluations(model),
    };
  }

  /** The log of the model's last run. */
  async log(model: Model): Promise<string> {
    if (!model.specification) return '';
    const run = await this.em.findOne(
      Run,
      { specification: model.specification, task: model.task, log: { $ne: null } },
      { orderBy: { id: 'desc' } },
    );
    return run?.log ?? '';
  }

  private async evaluations(model: Model): Promise<EvaluationView[]> {
    if (!model.specification) return [];
    const versions = await this.benchmarks.activeVersions(this.em, model.task);
    const evaluations = await this.em.find(Evaluation, {
      specification: model.specification,
      datasetVersion: { $in: versions },
    });
    return versions.flatMap((version) => {
      const evaluation = evaluations.find((each) => each.datasetVersion.id === version.id);
      return evaluation ? [evaluationView(evaluation, version)] : [];
    });
  }
}

const evaluationView = (evaluation: Evaluation, version: DatasetVersion): EvaluationView => ({
  dataset: version.dataset.name,
  version: version.number,
  ...(typeof version.dataset.round === 'number' && { round: version.dataset.round }),
  state: evaluation.state,
  ...(evaluation.failure && { failure: evaluation.failure }),
  examples: version.examples,
  ...(evaluation.invalid > 0 && { invalid: evaluation.invalid }),
  metrics: { ...evaluation.metrics },
  measures: { ...evaluation.measures },
  slices: Object.fromEntries(Object.entries(evaluation.slices ?? {}).map(([field, values]) => [field, { ...values }])),
});
