import type { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AnnotationRepository } from '../annotation.repository.js';
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

/**
 * Returns an earlier example of the task whose written text is nearly the same, or null. Ignores
 * retracted examples.
 */
export async function findDuplicate(
  em: EntityManager,
  asked: { readonly task: Task; readonly text: string; readonly contextId: string; readonly except: string | null },
): Promise<{ readonly id: string; readonly sameContext: boolean } | null> {
  const { task, text, contextId, except } = asked;
  const candidates = await new AnnotationRepository(em).similar(bandsOf(text, task.id), except, MOST_CANDIDATES);
  const pieces = shingles(text);
  const isSentence = comparable(text).split(' ').length >= FEWEST_WORDS_ELSEWHERE;
  for (const { id, input, contextId: theirs } of candidates) {
    const sameContext = theirs === contextId;
    if (!sameContext && !isSentence) continue;
    const earlier = writtenText(task.definition, input);
    if (jaccard(pieces, shingles(earlier)) >= NEARLY_THE_SAME) return { id, sameContext };
  }
  return null;
}
