import type { ResultBundle, SignedResult } from '@assay/contracts/results';
import { Evaluation, EvaluationRepository } from '@assay/evaluation/evaluations';
import { DomainError } from '@assay/kernel';
import { withoutSmallSlices } from '@assay/leaderboard/answers';
import { scoreMarks } from '@assay/leaderboard/boards';
import { type Model, RunSpecification } from '@assay/submissions';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { type DatasetVersion, publishedDigest, publishedHash } from '@assay/tasks/datasets';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { Environment } from '../environment.js';
import { ModelViews } from '../models/model-views.service.js';
import { modelIndexYaml } from './model-index.js';
import { SigningKey } from './signing-key.js';

/** Presents the results of a model in the formats in which they leave the service. */
@Injectable()
export class ModelExports {
  constructor(
    private readonly em: EntityManager,
    private readonly views: ModelViews,
    private readonly benchmarks: BenchmarksService,
    private readonly key: SigningKey,
    private readonly environment: Environment,
  ) {}

  async modelIndex(model: Model): Promise<string> {
    const address = `${this.environment.publicUrl}/api/v1/models/${model.id}`;
    const specification = await this.specificationOf(model);
    const versions = await this.benchmarks.activeVersions(this.em, model.task);
    const marks = specification ? await scoreMarks(this.em, specification.artifact, versions) : new Map<string, []>();
    return modelIndexYaml(await this.views.model(null, model), marks, { task: model.task.definition, address });
  }

  /**
   * Returns the signed results of a model. The same scores give everybody the same bytes, including
   * the signature. Because the results are passed on, slices of fewer than 10 examples are left out
   * even for the owner of the task if the dataset is not public or the answers are withdrawn.
   * @throws DomainError `not_scored_yet`
   */
  async signedResult(model: Model): Promise<SignedResult> {
    const result = await this.bundle(model);
    return { result, signature: await this.key.sign(result) };
  }

  private async specificationOf({ specification }: Model): Promise<RunSpecification | null> {
    if (!specification) return null;
    return this.em.findOne(RunSpecification, specification.id, { populate: ['artifact'] });
  }

  private async bundle(model: Model): Promise<ResultBundle> {
    const versions = await this.benchmarks.activeVersions(this.em, model.task);
    const specification = await this.specificationOf(model);
    const evaluations = await this.em.find(Evaluation, {
      specification: specification?.id ?? null,
      datasetVersion: { $in: versions },
      state: 'scored',
    });
    if (!specification || evaluations.length === 0) {
      throw new DomainError(
        'conflict',
        'not_scored_yet',
        'This model has no scores yet. Results can be exported when the model is scored.',
      );
    }
    const benchmark = await this.benchmarks.current(this.em, model.task);
    const readable = await new EvaluationRepository(this.em).readable(evaluations);
    const marks = await scoreMarks(this.em, specification.artifact, versions);
    const retiredKeyAt = await this.key.retiredKeys();
    const scored = new Map(evaluations.map((evaluation) => [evaluation.datasetVersion.id, evaluation]));
    return {
      format: 'assay-result/1',
      service: this.environment.publicUrl,
      task: { slug: model.task.slug, name: model.task.definition.name },
      model: { id: model.id, name: model.name, owner: model.owner.username, kind: model.kind },
      runSpecification: { key: specification.key, content: { ...specification.content } },
      metricVersions: { ...benchmark?.metricVersions },
      evaluations: versions.flatMap((version) => {
        const evaluation = scored.get(version.id);
        if (!evaluation) return [];
        const retiredKey = retiredKeyAt(evaluation.finishedAt ?? null);
        const isReadable = readable.has(evaluation.id);
        const bundled = bundledEvaluation(evaluation, version, { isReadable, marks });
        return [{ ...bundled, ...(retiredKey && { retiredKey }) }];
      }),
    };
  }
}

type BundledEvaluation = ResultBundle['evaluations'][number];

function bundledEvaluation(
  evaluation: Evaluation,
  version: DatasetVersion,
  of: { readonly isReadable: boolean; readonly marks: Awaited<ReturnType<typeof scoreMarks>> },
): BundledEvaluation {
  const { dataset } = version;
  const { perturbation, visibility } = dataset;
  const name = perturbation ? dataset.name.slice(0, -`~${perturbation}`.length) : dataset.name;
  const marks = of.marks.get(name) ?? [];
  const { digest, commitment, salt } = publishedDigest(version, visibility);
  // a hash that is computed from the data would reveal as much of it as the data's own digest
  const published = (hash: string): string => publishedHash(version, visibility, hash);
  const slices = Object.fromEntries(
    Object.entries(evaluation.slices ?? {}).map(([field, values]) => [field, { ...values }]),
  );
  return {
    dataset: name,
    version: version.number,
    ...(typeof dataset.round === 'number' && { round: dataset.round }),
    ...(perturbation && { perturbation }),
    datasetDigest: digest,
    ...(commitment !== undefined && { commitment, salt }),
    inputsDigest: published(version.inputsDigest),
    examples: version.examples,
    invalid: evaluation.invalid,
    // never salted: the salt is published once this data is public, and the model may have seen
    // other data that is not public
    predictionsDigest: (visibility === 'public' && of.isReadable && evaluation.predictions) || null,
    scoringKey: evaluation.scoringKey ? published(evaluation.scoringKey) : null,
    seed: digest,
    metrics: { ...evaluation.metrics },
    ...(marks.length > 0 && { marks: [...marks] }),
    slices: visibility === 'public' && of.isReadable ? slices : withoutSmallSlices(slices),
    measures: evaluation.measures ?? null,
    hardware: evaluation.measures?.hardware ?? null,
    finishedAt: evaluation.finishedAt?.toISOString() ?? null,
  };
}
