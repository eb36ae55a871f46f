import type { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { writtenText } from '../written-text.js';
import { bandsOf, comparable, jaccard, shingles } from './minhash.js';

/** Jaccard index of the 4-character shingles from which two texts are near-duplicates. */
const NEARLY_THE_SAME = 0.8;
/**
 * The minimum number of words from which a near-duplicate in another context counts. A shorter text
 * ("Who won?") can be right for two contexts.
 */
const FEWEST_WORDS_ELSEWHERE = 6;
const MOST_CANDIDATES = 20;

interface Candidate {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly context_id: string | null;
}

/**
 * Returns an earlier example of the task whose written text is nearly the same, or null. Ignores
 * retracted examples.
 */
export async function findDuplicate(
  em: EntityManager,
  asked: { readonly task: Task; readonly text: string; readonly contextId: string; readonly except: string | null },
): Promise<{ readonly id: string; readonly sameContext: boolean } | null> {
  const { task, text, contextId, except } = asked;
  const bands = bandsOf(text, task.id);
  const candidates = await em.execute<Candidate[]>(
    `select a.id, a.input, a.context_id from (
       select f.annotation_id, (select count(*) from unnest(f.bands) as band where band = any(?::text[])) as shared
       from example_fingerprint f where f.bands && ?::text[] order by shared desc limit ${MOST_CANDIDATES}
     ) near join annotation a on a.id = near.annotation_id
     where a.retracted_at is null and a.id is distinct from ?::uuid order by near.shared desc, a.id`,
    [asArray(bands), asArray(bands), except],
  );
  const pieces = shingles(text);
  const isSentence = comparable(text).split(' ').length >= FEWEST_WORDS_ELSEWHERE;
  for (const { id, input, context_id: theirs } of candidates) {
    const sameContext = theirs === contextId;
    if (!sameContext && !isSentence) continue;
    const earlier = writtenText(task.definition, input);
    if (jaccard(pieces, shingles(earlier)) >= NEARLY_THE_SAME) return { id, sameContext };
  }
  return null;
}

/** Stores the fingerprint of a written text, by which near-duplicates are found. Idempotent. */
export async function fingerprintExample(
  em: EntityManager,
  task: Task,
  annotationId: string,
  text: string,
): Promise<void> {
  await em.execute(
    `insert into example_fingerprint (annotation_id, task_id, bands) values (?, ?, ?::text[]) on conflict do nothing`,
    [annotationId, task.id, asArray(bandsOf(text, task.id))],
  );
}

/** Returns a PostgreSQL array literal. The words must need no quoting. */
const asArray = (words: readonly string[]): string => `{${words.join(',')}}`;
