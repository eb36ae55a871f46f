import type { CheckFinding, Collection } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';
import type { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from '../../rounds/context.js';
import { writtenText } from '../../rounds/inputs.js';
import { AnnotationRepository } from '../annotation.repository.js';
import type { WrittenExample } from '../written-example.js';
import { isOtherLanguage } from './language-check.js';
import { bandsOf, comparable, jaccard, shingles } from './minhash.js';

type Check = CheckFinding['check'];

/** Jaccard index of the 4-character shingles from which two texts are near-duplicates. */
const NEARLY_THE_SAME = 0.8;
/**
 * The minimum number of words from which a near-duplicate in another context counts. A shorter text
 * ("Who won?") can be right for two contexts.
 */
const FEWEST_WORDS_ELSEWHERE = 6;
const MOST_CANDIDATES = 20;

/** The error code for an example that a blocking check refuses. */
const CODE_OF_CHECK: Readonly<Record<Check, string>> = {
  duplicate: 'duplicate_example',
  copy: 'copied_context',
  language: 'other_language',
  length: 'input_length',
};

interface CheckedExample {
  readonly task: Task;
  readonly collection: Collection;
  readonly context: Pick<Context, 'id' | 'content'>;
  readonly written: WrittenExample;
  /** The ID of the earlier example that the author changed on purpose. */
  readonly contrastTo: string | null;
}

/** Runs the automatic checks that the task has not turned off, and returns their findings. */
export async function checkExample(em: EntityManager, example: CheckedExample): Promise<CheckFinding[]> {
  const { checks } = example.collection;
  const found: Partial<Record<Check, string>> = {
    length: checks.length === 'off' ? undefined : lengthFinding(example),
    language: checks.language === 'off' ? undefined : await languageFinding(example),
    copy: checks.copy === 'off' ? undefined : copyFinding(example),
    duplicate: checks.duplicate === 'off' ? undefined : await duplicateFinding(em, example),
  } as Partial<Record<Check, string>>;
  return (Object.entries(found) as [Check, string | undefined][]).flatMap(([check, message]) =>
    message === undefined ? [] : [{ check, blocking: checks[check] === 'block', message }],
  );
}

/**
 * @throws DomainError `duplicate_example`, `copied_context`, `other_language` or `input_length` if
 *   the task blocks examples with such a finding
 */
export function refuseBlocked(findings: readonly CheckFinding[]): void {
  const blocking = findings.find((finding) => finding.blocking);
  if (!blocking) return;
  throw new DomainError(
    'invalid',
    CODE_OF_CHECK[blocking.check],
    `${blocking.message} This task does not accept such examples.`,
    findings.map(({ check, message }) => ({ path: check, message })),
  );
}

function lengthFinding({ collection, written }: CheckedExample): string | undefined {
  const characters = Array.from(written.text.trim()).length;
  const { shortest } = collection.length;
  if (characters >= shortest) return undefined;
  return `The text has ${characters} characters. The minimum is ${shortest}.`;
}

async function languageFinding({ task, written }: CheckedExample): Promise<string | undefined> {
  const { language } = task.definition;
  return (await isOtherLanguage(written.text, language))
    ? `The text does not seem to be in the language of this task (${language}).`
    : undefined;
}

function copyFinding({ context, written }: CheckedExample): string | undefined {
  const sources = Object.values(context.content).filter((value) => typeof value === 'string');
  return isCopied(written.text, sources) ? 'The context already contains this text.' : undefined;
}

/**
 * Finds an earlier example of the task whose written text is nearly the same. Ignores retracted
 * examples.
 */
async function duplicateFinding(em: EntityManager, example: CheckedExample): Promise<string | undefined> {
  const { text } = example.written;
  const bands = bandsOf(text, example.task.id);
  const candidates = await new AnnotationRepository(em).similar(bands, example.contrastTo, MOST_CANDIDATES);
  const pieces = shingles(text);
  const isSentence = comparable(text).split(' ').length >= FEWEST_WORDS_ELSEWHERE;
  const duplicate = candidates.find(({ input, contextId }) => {
    if (contextId !== example.context.id && !isSentence) return false;
    const earlier = writtenText(example.task.definition, input);
    return jaccard(pieces, shingles(earlier)) >= NEARLY_THE_SAME;
  });
  if (!duplicate) return undefined;
  const where = duplicate.contextId === example.context.id ? 'for this context' : 'in this task';
  return `An earlier example ${where} is nearly identical.`;
}

/**
 * The minimum length, in characters of comparable text, for the overlap test. Shorter texts must
 * equal the source to count as a copy.
 */
const FEWEST_CHARACTERS = 25;
/** The share of the written text's shingles found in the source from which it counts as a copy. */
const COPIED_SHARE = 0.95;

/**
 * Returns whether the written text is a copy, or a nearly unchanged copy, of one of the sources.
 */
export function isCopied(written: string, sources: readonly string[]): boolean {
  const text = comparable(written);
  if (text.length < FEWEST_CHARACTERS) return sources.some((source) => comparable(source) === text);
  const pieces = shingles(written);
  return sources.some((source) => {
    if (comparable(source).includes(text)) return true;
    const theirs = shingles(source);
    const shared = pieces.intersection(theirs).size;
    // a long source contains the shingles of almost any text: only a source of about the same
    // length can have been copied with a change
    return shared / pieces.size >= COPIED_SHARE && theirs.size < 4 * pieces.size;
  });
}
