import type { LiveDifference } from '@assay/contracts/serving';
import type { TaskOutput } from '@assay/contracts/tasks';
import { Evaluation } from '@assay/evaluation/evaluations';
import { answeredRows, AnswersUnreadable } from '@assay/leaderboard/comparison';
import type { BlobStore } from '@assay/storage';
import { Model, type RunSpecification } from '@assay/submissions';
import type { Round } from '@assay/tasks';
import { DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../../annotating/annotation.js';
import { RoundRelease } from '../round-release.js';
import { modelsOf } from './freeze.js';

/** The smallest number of compared answers from which a model is judged. */
const FEWEST = 20;
/** The share of different answers that is tolerated of a model that repeats its answers exactly. */
const TOLERATED = 0.1;
/** Standard errors above the tolerated share: chance exceeds them in one of 300,000 rounds. */
const STANDARD_ERRORS = 4.5;
/** The tolerated relative difference of numbers, whose last digits depend on the batch. */
const NUMBER_TOLERANCE = 1e-3;

/**
 * Records for each target model of a round whether its answers to people agree with the stored answers
 * of its evaluation on the frozen examples. A model that recognises that people ask it, and then
 * answers worse, is easy to fool and still ranks well. Leaves a model as it is if too few answers can
 * be compared.
 */
export async function noteLiveDifferences(
  em: EntityManager,
  round: Round,
  blobs: Pick<BlobStore, 'open' | 'path'>,
): Promise<void> {
  const models = await em.find(
    Model,
    { id: { $in: [...(await modelsOf(em, round))] }, specification: { $ne: null } },
    { populate: ['specification'], orderBy: { id: 'asc' } },
  );
  // `fooling` is a part of `test`
  const releases = await em.find(RoundRelease, { round, dataset: { $ne: null }, part: { $ne: 'fooling' } });
  const versions = await em.find(DatasetVersion, {
    dataset: { task: round.task, round: round.number, name: { $in: releases.map(({ dataset }) => dataset!) } },
  });
  for (const model of models) {
    const specification = model.specification!;
    let compared = 0;
    let different = 0;
    for (const version of versions) {
      const counted = await compare(em, round, specification, version, blobs);
      compared += counted.compared;
      different += counted.different;
    }
    if (compared < FEWEST) continue;
    const difference = { round: round.number, compared, different };
    const { repeatability } = specification;
    const repeated = repeatability && repeatability.compared > 0 ? repeatability.different / repeatability.compared : 0;
    model.liveDifference = differsTooOften(difference, repeated) ? difference : null;
  }
}

/** Compares the live answers of a model with its stored ones to the examples of one dataset version. */
async function compare(
  em: EntityManager,
  round: Round,
  specification: RunSpecification,
  version: DatasetVersion,
  blobs: Pick<BlobStore, 'open' | 'path'>,
): Promise<Omit<LiveDifference, 'round'>> {
  const counts = { compared: 0, different: 0 };
  const evaluation = await em.findOne(Evaluation, {
    specification,
    datasetVersion: version,
    state: 'scored',
    predictions: { $ne: null },
  });
  if (!evaluation) return counts;
  const { definition } = round.task;
  try {
    for await (const { rows, answers } of answeredRows(blobs, definition, version, [evaluation])) {
      const ids = rows.map(({ id }) => id);
      const written = await em.find(Annotation, { round, id: { $in: ids } }, { disableIdentityMap: true });
      const live = new Map(written.map((each) => [each.id, each.answers]));
      for (const [place, { id }] of rows.entries()) {
        const told = live.get(id)?.find((each) => each.specification === specification.id);
        if (!told) continue;
        const stored = answers[0]![place];
        counts.compared++;
        if (!stored || !isSame(definition.output, told.answer, stored.text)) counts.different++;
      }
    }
  } catch (error) {
    if (!(error instanceof AnswersUnreadable)) throw error;
  }
  return counts;
}

function isSame({ type }: TaskOutput, one: string, other: string): boolean {
  if (one === other || type !== 'number') return one === other;
  const [a, b] = [Number(one), Number(other)];
  return Math.abs(a - b) <= NUMBER_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
}

/**
 * Returns whether a model answered people differently more often than chance explains. A share of
 * 0.1 is tolerated, and twice the share that differs when the same example is asked twice, because
 * people keep the examples that a model happened to get wrong. One-sided test of a proportion.
 * @param repeated the share of examples that the model answers differently when it is asked twice
 */
export function differsTooOften(
  { compared, different }: Pick<LiveDifference, 'compared' | 'different'>,
  repeated: number,
): boolean {
  const share = Math.min(1, TOLERATED + 2 * repeated);
  return different > compared * share + STANDARD_ERRORS * Math.sqrt(compared * share * (1 - share));
}
