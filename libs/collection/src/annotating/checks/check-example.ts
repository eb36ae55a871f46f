import type { CheckFinding, Collection } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';
import type { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Context } from '../../rounds/context.js';
import type { WrittenExample } from '../written-example.js';
import { isCopied } from './copy-check.js';
import { findDuplicate } from './duplicates.js';
import { isOtherLanguage } from './language-check.js';

type Check = CheckFinding['check'];

/** The error code for an example that a blocking check refuses. */
const CODE_OF_CHECK: Readonly<Record<Check, string>> = {
  duplicate: 'duplicate_example',
  copy: 'copied_context',
  language: 'other_language',
  length: 'input_length',
};

export interface CheckedExample {
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
    language: checks.language === 'off' ? undefined : languageFinding(example),
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

function languageFinding({ task, written }: CheckedExample): string | undefined {
  const { language } = task.definition;
  return isOtherLanguage(written.text, language)
    ? `The text does not seem to be in the language of this task (${language}).`
    : undefined;
}

function copyFinding({ context, written }: CheckedExample): string | undefined {
  const sources = Object.values(context.content).filter((value) => typeof value === 'string');
  return isCopied(written.text, sources) ? 'The context already contains this text.' : undefined;
}

async function duplicateFinding(em: EntityManager, example: CheckedExample): Promise<string | undefined> {
  const duplicate = await findDuplicate(em, {
    task: example.task,
    text: example.written.text,
    contextId: example.context.id,
    except: example.contrastTo,
  });
  if (!duplicate) return undefined;
  const where = duplicate.sameContext ? 'for this context' : 'in this task';
  return `An earlier example ${where} is nearly identical.`;
}
