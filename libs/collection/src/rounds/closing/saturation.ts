import { Evaluation } from '@assay/evaluation/evaluations';
import { roundedEstimate } from '@assay/scoring/disclosure';
import { BoardRevisionRepository, OFFICIAL, type PublishedBoard, weigh } from '@assay/leaderboard/boards';
import { Model } from '@assay/submissions';
import { relatedArtifacts } from '@assay/submissions/lineage';
import { lockTask, type Round, roundsScores } from '@assay/tasks';
import { type Dataset, DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundModel } from '../round-model.js';
import { type FreezeServices, modelsOf, soFarName, takeExamples, validatedExamples } from './freeze.js';
import { RoundRepository } from '../round.repository.js';

const DAY = 86_400_000;

/**
 * Returns why an open round is saturated, as a sentence; null if it is not. A round is saturated
 * once a newcomer's performance on the validated examples that fooled the loop is high enough: the
 * lower bound of its interval reaches the share of the rule. Newcomers are models that entered the
 * board since the round opened, with an owner, a run specification and a lineage that no model of the
 * round has.
 *
 * They are evaluated on a hidden reporting dataset of the examples so far: see `keepSoFar`.
 */
export async function saturationOf(em: EntityManager, round: Round): Promise<string | null> {
  const share = round.settings?.turn.saturation;
  if (share === undefined) return null;
  const version = await soFarVersion(em, round);
  if (!version || version.status !== 'active') return null;
  const { performance } = round.task.definition;
  for (const model of await newcomers(em, round)) {
    const cell = await em.findOne(Evaluation, {
      specification: model.specification!.id,
      datasetVersion: version,
      state: 'scored',
    });
    const exact = cell?.metrics?.[performance];
    // the sentence is public
    const isRounded = roundsScores(round.task, version.dataset);
    const low = (exact && isRounded ? roundedEstimate(exact, version.examples) : exact)?.low ?? null;
    if (low === null || low < share) continue;
    return `saturation: "${model.name}" has at least ${low.toFixed(3)} ${performance} on ${version.examples} examples that fooled the loop`;
  }
  return null;
}

/**
 * Freezes the validated examples that fooled the loop so far as a hidden reporting dataset, which
 * does not rank models. Requires a newcomer to evaluate, and at least `aggregate.minimumExamples`
 * examples. Runs at most once a day, because every ranked model is evaluated on it. In a
 * transaction that has locked the round.
 * @returns whether it froze a dataset
 */
export async function keepSoFar(
  em: EntityManager,
  round: Round,
  services: FreezeServices,
  now: Date,
): Promise<boolean> {
  if (round.settings?.turn.saturation === undefined) return false;
  const { minimumExamples } = round.task.definition.aggregate;
  const { validatedFooling } = await new RoundRepository(em).counts(round.id);
  const earlier = await soFarVersion(em, round);
  if (validatedFooling < minimumExamples || validatedFooling === earlier?.examples) return false;
  if (earlier && now.getTime() - earlier.createdAt.getTime() < DAY) return false;
  // last, because it loads two boards
  if ((await newcomers(em, round)).length === 0) return false;

  const fooling = (await validatedExamples(em, round)).filter(({ fooled }) => fooled === true);
  if (fooling.length === 0) return false;
  const task = await lockTask(em, round.task);
  const ids = fooling.map(({ id }) => id);
  const intake = await takeExamples(em, round, ids, () => null, services.blobs);
  const kind = {
    role: 'round' as const,
    round: round.number,
    use: 'reporting' as const,
    visibility: 'hidden' as const,
    against: await modelsOf(em, round),
  };
  const { version } = await services.datasets.keep(em, task, soFarName(round), kind, intake);
  await services.benchmarks.replace(em, task, [version], earlier ? [earlier] : []);
  return true;
}

/** Returns the newest version of the dataset of examples so far, or null. */
async function soFarVersion(
  em: EntityManager,
  round: Round,
): Promise<(DatasetVersion & { readonly dataset: Dataset }) | null> {
  return em.findOne(
    DatasetVersion,
    { dataset: { task: round.task, name: soFarName(round), round: round.number }, status: ['active', 'proposed'] },
    { populate: ['dataset'], orderBy: { number: 'desc' } },
  );
}

/**
 * Returns the models that are ranked now, were not ranked when the round opened, share neither owner
 * nor run specification with a model that is or was in the loop of the round, and do not descend from
 * one. Sorted by ID.
 */
async function newcomers(em: EntityManager, round: Round): Promise<Model[]> {
  const revisions = new BoardRevisionRepository(em);
  const latest = await revisions.newestWhole(round.task);
  if (!latest) return [];
  const before = await revisions.newestWhole(round.task, round.openedAt!);
  const known = new Set(before ? rankedOf(before) : []);
  const faced = await em.find(RoundModel, { round }, { populate: ['model'] });
  const models = await em.find(
    Model,
    {
      id: { $in: rankedOf(latest).filter((id) => !known.has(id)) },
      withdrawn: false,
      specification: { $ne: null, $nin: faced.flatMap(({ model }) => model.specification?.id ?? []) },
      owner: { $nin: faced.map(({ model }) => model.owner.id) },
    },
    { populate: ['specification'] },
  );
  const related = await relatedArtifacts(
    em,
    round.task.id,
    faced.map(({ model }) => model.id),
  );
  return models
    .filter(({ specification }) => !related.has(specification!.content.artifact))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function rankedOf(revision: Pick<PublishedBoard, 'content'>): string[] {
  const { ranking } = weigh(revision.content, OFFICIAL);
  return Array.from(ranking.order, (index) => revision.content.models[index]!.id);
}
