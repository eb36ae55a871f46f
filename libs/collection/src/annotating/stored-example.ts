import { isDeepStrictEqual } from 'node:util';
import type { WriteAnnotation } from '@assay/contracts/annotating';
import { DomainError } from '@assay/kernel';
import { inTransaction, isUniqueViolation } from '@assay/persistence/queries';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectionOf } from '../people/eligibility.js';
import { Annotation } from './annotation.js';
import { AnnotationRepository } from './annotation.repository.js';
import { AssignmentRepository, type HandedContext } from './assignment.repository.js';
import { bandsOf } from './checks/minhash.js';
import type { PreparedExample } from './prepared-example.js';
import { ContextRepository } from '../rounds/context.repository.js';
import { writtenInputs } from '../rounds/inputs.js';
import { RoundRepository } from '../rounds/round.repository.js';

/** An example to store, with its author. */
export interface Storing {
  readonly task: Task;
  readonly round: Round;
  readonly userId: string;
  readonly pseudonym: string;
  readonly condition: string | null;
  readonly body: WriteAnnotation;
  readonly example: PreparedExample;
  readonly now: Date;
}

/**
 * Returns the annotation that the user already sent with this key.
 * @throws DomainError `key_reused` if it is a different example
 */
export async function findSent(
  em: EntityManager,
  { round, userId, body, task }: Pick<Storing, 'round' | 'userId' | 'body' | 'task'>,
): Promise<Annotation | null> {
  const sent = await em.findOne(Annotation, { round: round.id, annotator: userId, key: body.key });
  if (!sent) return null;
  const isSame =
    sent.context?.id === body.context &&
    isDeepStrictEqual(givenGold(task, body), sent.authorLabel) &&
    writtenInputs(task.definition).every((name) => sent.input[name] === body.input[name]);
  if (isSame) return sent;
  throw new DomainError(
    'conflict',
    'key_reused',
    `"${body.key}" is already the key of another of your examples. Choose a new key.`,
  );
}

/**
 * Stores an example without answers of models, if the round is still open. A stored example counts,
 * whatever happens afterwards. Stores one example per assignment.
 * @returns the ID of the annotation
 * @throws DomainError `round_closed`, `no_assignment`, `already_sent`, `not_the_goal`,
 *   `context_full`, `key_reused`
 */
export async function storeExample(em: EntityManager, storing: Storing): Promise<string> {
  try {
    return await inTransaction(em, (tx) => store(tx, storing));
  } catch (error) {
    // concurrent requests with the same key for two contexts: the first one wins
    if (!isUniqueViolation(error)) throw error;
    const sent = await findSent(em.fork(), storing);
    if (sent) return sent.id;
    throw error;
  }
}

async function store(em: EntityManager, storing: Storing): Promise<string> {
  const { task, round, userId, body, example, now } = storing;
  // other writers share this lock, and closing the round waits for it
  if ((await new RoundRepository(em).lockState(round.id)) !== 'open') throw roundClosed(round);
  const assignments = new AssignmentRepository(em);
  const handed = await assignments.lockNewest(body.context, userId);
  if (!handed) {
    throw new DomainError(
      'conflict',
      'no_assignment',
      'This context is not assigned to you. Request the next one first. To only try an example, add ?trial.',
    );
  }
  // a double click waits for the lock held by the first request, and finds its example here
  const sent = await findSent(em, storing);
  if (sent) return sent.id;
  requireHanded(handed, body);
  const { examplesPerContext } = collectionOf(task);
  if (!(await new ContextRepository(em).addExample(body.context, examplesPerContext))) {
    const message = 'This context already has enough examples. Request the next one.';
    throw new DomainError('conflict', 'context_full', message);
  }
  await assignments.send(handed.id);
  const shownFor = (now.getTime() - handed.createdAt.getTime()) / 1000;
  const annotation = em.create(Annotation, {
    round: round.id,
    context: body.context,
    annotator: userId,
    pseudonym: storing.pseudonym,
    key: body.key,
    source: 'written',
    condition: storing.condition,
    input: example.written.input,
    authorLabel: example.written.gold,
    label: example.written.gold,
    span: example.written.span,
    goal: handed.goal,
    fooled: body.fooled ?? null,
    answers: [],
    explanations: givenExplanations(body.explanations),
    extra: body.extra ?? {},
    findings: example.findings,
    contrastTo: example.contrastTo?.id ?? null,
    editDistance: example.editDistance,
    seconds: Math.max(0, Math.min(shownFor, body.seconds ?? shownFor)),
    createdAt: now,
  });
  await em.flush();
  const bands = bandsOf(example.written.text, task.id);
  await new AnnotationRepository(em).fingerprint(annotation.id, task.id, bands);
  return annotation.id;
}

export const roundClosed = ({ number }: Pick<Round, 'number'>): DomainError =>
  new DomainError(
    'conflict',
    'round_closed',
    `Round ${number} is closed and accepts no more examples. Examples that you sent earlier count.`,
  );

function requireHanded({ state, goal }: HandedContext, { label, goal: seen }: WriteAnnotation): void {
  if (state === 'sent') {
    throw new DomainError(
      'conflict',
      'already_sent',
      'You have already sent an example for this context, perhaps from another window. ' +
        'Request the next context, or this one again.',
    );
  }
  if (goal === null ? seen !== undefined && seen !== label : label !== goal || (seen ?? goal) !== goal) {
    throw new DomainError(
      'invalid',
      'not_the_goal',
      `The label to write for is "${goal ?? seen ?? ''}". Write an example for which it is correct.`,
    );
  }
}

/** Returns the label in the form of `Example.gold`, as `readExample` would. */
function givenGold(task: Task, { label }: WriteAnnotation): readonly string[] {
  const labels = (Array.isArray(label) ? label : [label]).map(String);
  return task.definition.output.type === 'labels' ? [JSON.stringify([...new Set(labels)].sort())] : labels;
}

/** Returns the explanations that were given. */
export const givenExplanations = (
  explanations: WriteAnnotation['explanations'],
): Partial<Record<'example' | 'model', string>> => ({
  ...(explanations?.example !== undefined && { example: explanations.example }),
  ...(explanations?.model !== undefined && { model: explanations.model }),
});
