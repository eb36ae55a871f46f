import { Annotation } from '@assay/collection/annotating';
import { ParticipantRepository } from '@assay/collection/people';
import { type LoopMove, RoundRepository } from '@assay/collection/rounds';
import type { DomainEvent, EventMap } from '@assay/contracts/webhooks';
import type { Notice } from '@assay/notifications';
import { Evaluation } from '@assay/evaluation/evaluations';
import { supplementsEnd } from '@assay/tasks/benchmarks';
import { Model } from '@assay/submissions';
import { Round, Task, TaskSubmitter } from '@assay/tasks';
import { Dataset } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A notice and its recipients. */
export interface AddressedNotice {
  readonly notice: Notice;
  readonly users: readonly string[];
  /**
   * Key prefix of all notices about the same subject. If set, the notice is news only if it differs
   * from the last one with this prefix.
   */
  readonly about?: string;
}

/**
 * Returns the notices that an event causes, with their recipients. The same event yields the same
 * notices with the same keys, however often it is delivered.
 */
export async function noticesOf(em: EntityManager, event: DomainEvent, eventId: string): Promise<AddressedNotice[]> {
  switch (event.type) {
    case 'model.settled':
      return modelSettled(em, eventId, event.payload);
    case 'predictions.awaited':
      return predictionsAwaited(em, event.payload);
    case 'inputs.shared':
      return inputsShared(em, event.payload);
    case 'board.published':
    case 'loop.changed':
      return loopChanged(em, event.payload.taskId);
    case 'round.opened':
    case 'round.closed':
      return roundTurned(em, event.type, event.payload.roundId);
    case 'annotation.decided':
      return exampleDecided(em, event.payload.annotationId);
    default:
      return [];
  }
}

/**
 * Notifies the owner of a settled model only if the result differs from the last one: scores on a
 * dataset that was added later are not news.
 */
async function modelSettled(
  em: EntityManager,
  event: string,
  settled: EventMap['model.settled'],
): Promise<AddressedNotice[]> {
  const model = await em.findOne(Model, settled.modelId, { populate: ['task'] });
  if (!model) return [];
  const { id, name, task, owner } = model;
  const why = settled.state === 'failed' ? model.failure?.message : undefined;
  const notice: Notice = {
    kind: settled.state === 'scored' ? 'model_finished' : 'model_failed',
    key: `model:${id}:${event}`,
    data: { task: task.slug, model: { id, name }, ...(why !== undefined && { why }) },
  };
  return [{ notice, users: [owner.id], about: `model:${id}:` }];
}

/** Notifies the owners of models without predictions for a dataset that ranks. */
async function predictionsAwaited(
  em: EntityManager,
  { taskId, evaluationId }: EventMap['predictions.awaited'],
): Promise<AddressedNotice[]> {
  const populate = ['datasetVersion.dataset'] as const;
  const cell = await em.findOne(Evaluation, { id: evaluationId, state: 'cancelled' }, { populate });
  if (cell?.failure?.code !== 'predictions_awaited') return [];
  const { dataset } = cell.datasetVersion;
  if (dataset.use !== 'scoring' || dataset.perturbation) return [];
  const task = await em.findOneOrFail(Task, taskId);
  const until = (await supplementsEnd(em, task)).get(dataset.id);
  const isUnreadable = dataset.visibility === 'hidden' && !dataset.inputsUntil;
  const models = await em.find(Model, { task: taskId, specification: cell.specification.id, withdrawn: false });
  return models.map(({ id, name, owner }) => ({
    notice: {
      kind: 'model_incomplete',
      key: `model_incomplete:${id}:${dataset.id}`,
      data: {
        task: task.slug,
        model: { id, name },
        dataset: dataset.name,
        ...(isUnreadable && { hidden: true }),
        ...(until && !isUnreadable && { until: until.toISOString() }),
      },
    },
    users: [owner.id],
  }));
}

/** Notifies listed submitters whose models have no predictions for a hidden dataset that they may read its inputs. */
async function inputsShared(
  em: EntityManager,
  { taskId, datasetId }: EventMap['inputs.shared'],
): Promise<AddressedNotice[]> {
  const dataset = await em.findOne(Dataset, datasetId, { populate: ['task'] });
  if (!dataset?.inputsUntil) return [];
  const cells = await em.find(Evaluation, { datasetVersion: { dataset, status: 'active' }, state: 'cancelled' });
  const lacking = cells.filter(({ failure }) => failure?.code === 'predictions_awaited');
  const submitters = await em.find(TaskSubmitter, { task: taskId });
  const models = await em.find(Model, {
    task: taskId,
    withdrawn: false,
    specification: { $in: lacking.map(({ specification }) => specification.id) },
    owner: { $in: submitters.map(({ user }) => user.id) },
  });
  const until = dataset.inputsUntil.toISOString();
  return models.map(({ id, name, owner }) => ({
    notice: {
      kind: 'model_incomplete',
      key: `inputs_shared:${id}:${dataset.id}:${until}`,
      data: { task: dataset.task.slug, model: { id, name }, dataset: dataset.name, shared: true, until },
    },
    users: [owner.id],
  }));
}

async function loopChanged(em: EntityManager, taskId: string): Promise<AddressedNotice[]> {
  const task = await em.findOne(Task, taskId);
  if (!task) return [];
  const { entered, left } = await new RoundRepository(em).loopMoves(taskId);
  return [
    ...entered.map((move) => ({ notice: moveNotice('loop_entered', task, move), users: [move.owner] })),
    ...left.map((move) => ({ notice: moveNotice('loop_left', task, move), users: [move.owner] })),
  ];
}

async function roundTurned(
  em: EntityManager,
  event: 'round.opened' | 'round.closed',
  id: string,
): Promise<AddressedNotice[]> {
  const round = await em.findOne(Round, id, { populate: ['task'] });
  if (!round) return [];
  const { task, number } = round;
  const kind = event === 'round.opened' ? 'round_opened' : 'round_closed';
  const notice = { kind, key: `${kind}:${id}`, data: { task: task.slug, round: number } } as const;
  return [{ notice, users: await new ParticipantRepository(em).audience(task.id) }];
}

async function exampleDecided(em: EntityManager, annotationId: string): Promise<AddressedNotice[]> {
  const annotation = await em.findOne(Annotation, annotationId, { populate: ['round.task'] });
  if (!annotation) return [];
  const { annotator, round, outcome, decidedAt, isCheck } = annotation;
  if (!annotator || isCheck || outcome === 'pending') return [];
  const data = { task: round.task.slug, round: round.number, annotation: annotationId, outcome };
  const key = `example:${annotationId}:${decidedAt?.toISOString() ?? ''}`;
  return [{ notice: { kind: 'example_decided', key, data }, users: [annotator.id] }];
}

function moveNotice(kind: 'loop_entered' | 'loop_left', task: Task, { id, model, name, round, why }: LoopMove): Notice {
  return {
    kind,
    key: `${kind}:${id}`,
    data: {
      task: task.slug,
      model: { id: model, name },
      ...(round !== null && { round }),
      ...(why !== null && { why }),
    },
  };
}
