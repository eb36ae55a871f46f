import { isDeepStrictEqual } from 'node:util';
import type { WriteAnnotation } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { isUniqueViolation } from '@assay/persistence';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectionOf } from '../people/eligibility.js';
import { Annotation } from './annotation.js';
import { AssignmentRepository } from './assignment.repository.js';
import { fingerprintExample } from './checks/duplicates.js';
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

interface HandedContext {
  readonly id: string;
  readonly state: string;
  readonly goal: string | null;
  readonly contrast_to_id: string | null;
  readonly created_at: string | Date;
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
    `"${body.key}" is the key of another example of yours: choose a new one.`,
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
    return await em.fork().transactional((tx) => store(tx, storing));
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
  await requireOpen(em, round);
  const handed = await lockHanded(em, body.context, userId);
  // a double click waits for the lock held by the first request, and finds its example here
  const sent = await findSent(em, storing);
  if (sent) return sent.id;
  requireHanded(handed, body);
  await countOn(em, task, body.context);
  await new AssignmentRepository(em).send(handed.id);
  const shownFor = (now.getTime() - new Date(handed.created_at).getTime()) / 1000;
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
    explanations: given(body.explanations),
    extra: body.extra ?? {},
    findings: example.findings,
    contrastTo: example.contrastTo?.id ?? null,
    editDistance: example.editDistance,
    seconds: Math.max(0, Math.min(shownFor, body.seconds ?? shownFor)),
    createdAt: now,
  });
  await em.flush();
  await fingerprintExample(em, task, annotation.id, example.written.text);
  return annotation.id;
}

/**
 * Takes a shared lock on the round, which other writers share and closing the round waits for.
 * @throws DomainError `round_closed`
 */
async function requireOpen(em: EntityManager, round: Round): Promise<void> {
  if ((await new RoundRepository(em).lockState(round.id)) !== 'open') throw roundClosed(round);
}

export const roundClosed = ({ number }: Pick<Round, 'number'>): DomainError =>
  new DomainError(
    'conflict',
    'round_closed',
    `Round ${number} is closed: it takes nothing more. What you sent before counts.`,
  );

async function lockHanded(em: EntityManager, contextId: string, userId: string): Promise<HandedContext> {
  const [handed] = await em.execute<HandedContext[]>(
    `select id, state, goal, contrast_to_id, created_at from assignment where context_id = ? and user_id = ?
     order by (state = 'sent'), created_at desc, id desc limit 1 for update`,
    [contextId, userId],
  );
  if (handed) return handed;
  throw new DomainError(
    'conflict',
    'no_assignment',
    'You were not given this context: ask for the next one first. To try something out, add ?trial.',
  );
}

function requireHanded({ state, goal }: HandedContext, { label, goal: seen }: WriteAnnotation): void {
  if (state === 'sent') {
    throw new DomainError(
      'conflict',
      'already_sent',
      'An example of yours for this context is here already, perhaps from another window. Ask for the next context, or for this one again.',
    );
  }
  if (goal === null ? seen !== undefined && seen !== label : label !== goal || (seen ?? goal) !== goal) {
    throw new DomainError(
      'invalid',
      'not_the_goal',
      `The label to write for here is "${goal ?? seen ?? ''}": write an example for which it is right.`,
    );
  }
}

/**
 * Counts one more example of the context.
 * @throws DomainError `context_full`
 */
async function countOn(em: EntityManager, task: Task, contextId: string): Promise<void> {
  if (await new ContextRepository(em).addExample(contextId, collectionOf(task).examplesPerContext)) return;
  throw new DomainError(
    'conflict',
    'context_full',
    'This context has as many examples as are wanted by now: ask for the next one.',
  );
}

/** Returns the label in the form of `Example.gold`, as `readExample` would. */
function givenGold(task: Task, { label }: WriteAnnotation): readonly string[] {
  const labels = (Array.isArray(label) ? label : [label]).map(String);
  return task.definition.output.type === 'labels' ? [JSON.stringify([...new Set(labels)].sort())] : labels;
}

const given = (explanations: WriteAnnotation['explanations']): Partial<Record<'example' | 'model', string>> => ({
  ...(explanations?.example !== undefined && { example: explanations.example }),
  ...(explanations?.model !== undefined && { model: explanations.model }),
});
