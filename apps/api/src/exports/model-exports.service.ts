import { scoreMarks } from '@assay/leaderboard/boards';
import { type Model, RunSpecification } from '@assay/submissions';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Environment } from '../environment.js';
import { ModelViews } from '../models/model-views.service.js';
import { modelIndexYaml } from './model-index.js';

/** Presents the results of a model as metadata of a model card. */
@Injectable()
export class ModelExports {
  constructor(
    private readonly em: EntityManager,
    private readonly views: ModelViews,
    private readonly benchmarks: BenchmarksService,
    private readonly environment: Environment,
  ) {}

  async modelIndex(model: Model): Promise<string> {
    const address = `${this.environment.publicUrl}/api/v1/models/${model.id}`;
    const specification = await this.specificationOf(model);
    const versions = await this.benchmarks.activeVersions(this.em, model.task);
    const marks = specification
      ? await scoreMarks(this.em, model.task, specification.artifact, versions)
      : new Map<string, []>();
    return modelIndexYaml(await this.views.model(null, model), marks, { task: model.task.definition, address });
  }

  private async specificationOf({ specification }: Model): Promise<RunSpecification | null> {
    if (!specification) return null;
    return this.em.findOne(RunSpecification, specification.id, { populate: ['artifact'] });
  }
}
