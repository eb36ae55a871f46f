import type { ResultBundle } from '@assay/contracts/results';
import { Evaluation, EvaluationRepository } from '@assay/evaluation/evaluations';
import { DomainError } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { roundsScores } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { type DatasetVersion, publishedDigest, publishedHash } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { withoutSmallSlices } from '../answers/shown-figures.js';
import { scoreMarks } from '../boards/score-marks.js';
import { roundedFigures } from '../disclosure/rounded-figures.js';
import { retiredKeys } from './signing-key.js';

/** Computes the results of models in the form that is signed. */
@Injectable()
export class ResultBundles {
  constructor(private readonly benchmarks: BenchmarksService) {}

  /**
   * Returns the results of a model from the current content of the database. The same scores give
   * everybody the same bundle. Because the results are passed on, they have only what everybody may
   * see, even for the owner of the task: scores on data that is not public are rounded if the task
   * asks for that, and slices of fewer than 10 examples are left out if the dataset is not public or
   * the answers are withdrawn.
   * @param em has not loaded anything before
   * @param service the URL at which users reach the service
   * @throws DomainError `not_found`, `not_scored_yet`
   */
  async bundle(em: EntityManager, modelId: string, service: string): Promise<ResultBundle> {
    const model = await em.findOne(Model, modelId, { populate: ['task', 'owner', 'specification.artifact'] });
    if (!model) throw DomainError.notFound('model');
    const { task, specification } = model;
    const versions = await this.benchmarks.activeVersions(em, task);
    const evaluations = await em.find(Evaluation, {
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
    const benchmark = await this.benchmarks.current(em, task);
    const readable = await new EvaluationRepository(em).readable(evaluations);
    const ids = versions.map(({ id }) => id);
    const evaluators = await new EvaluationRepository(em).ownEvaluators(task.id, {
      specification: specification.id,
      versions: ids,
    });
    const marks = await scoreMarks(em, task, specification.artifact, versions);
    const retiredKeyAt = await retiredKeys(em);
    const scored = new Map(evaluations.map((evaluation) => [evaluation.datasetVersion.id, evaluation]));
    return {
      format: 'assay-result/1',
      service,
      task: { slug: task.slug, name: task.definition.name },
      model: { id: model.id, name: model.name, owner: model.owner.username, kind: model.kind },
      runSpecification: { key: specification.key, content: { ...specification.content } },
      metricVersions: { ...benchmark?.metricVersions },
      evaluations: versions.flatMap((version) => {
        const evaluation = scored.get(version.id);
        if (!evaluation) return [];
        const retiredKey = retiredKeyAt(evaluation.finishedAt ?? null);
        const isReadable = readable.has(evaluation.id);
        const bundled = bundledEvaluation(evaluation, version, { isReadable, marks });
        const examples = versions.find(({ id }) => id === version.original?.id)?.examples ?? version.examples;
        const shown = roundsScores(task, version.dataset) ? roundedFigures(bundled, examples) : bundled;
        const own = evaluators.get(evaluation.id);
        return [{ ...shown, ...(own && { evaluators: own }), ...(retiredKey && { retiredKey }) }];
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
    ...(evaluation.signatures &&
      Object.keys(evaluation.signatures).length > 0 && { signatures: { ...evaluation.signatures } }),
    ...(marks.length > 0 && { marks: [...marks] }),
    slices: visibility === 'public' && of.isReadable ? slices : withoutSmallSlices(slices),
    measures: evaluation.measures ?? null,
    hardware: evaluation.measures?.hardware ?? null,
    finishedAt: evaluation.finishedAt?.toISOString() ?? null,
  };
}
