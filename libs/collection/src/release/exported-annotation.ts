import type { LiveAnswer } from '@assay/contracts/collection';
import type { ExportedAnnotation } from '@assay/contracts/datasets';
import type { TaskOutput } from '@assay/contracts/tasks';
import type { Annotation } from '../annotating/annotation.js';
import type { Context } from '../rounds/context.js';
import type { Validation } from '../validating/validation.js';

/** The reader of an export: the owner of the task, or anybody. */
export type ExportReader = 'owner' | 'public';

export interface ExportedParts {
  readonly annotation: Annotation;
  readonly validations: readonly Validation[];
  readonly output: TaskOutput;
  /** By ID. */
  readonly modelNames: ReadonlyMap<string, string>;
  readonly reader: ExportReader;
}

/**
 * Returns an annotation in the form of the export. Names people by pseudonym only, and contains
 * nothing of a text that its author had removed.
 */
export function exportedAnnotation({
  annotation,
  validations,
  output,
  modelNames,
  reader,
}: ExportedParts): ExportedAnnotation {
  const removed = isRemoved(annotation);
  // for a span or text output, the answer is words of the example
  const isSilent = removed && (output.type === 'span' || output.type === 'text');
  const value = (gold: readonly string[] | null | undefined) => (isSilent ? null : outputValue(output, gold));
  return {
    id: annotation.id,
    round: annotation.round.number,
    source: annotation.source,
    check: annotation.isCheck,
    annotator: annotation.pseudonym,
    condition: annotation.condition ?? null,
    context: annotation.context ? exportedContext(annotation.context) : null,
    input: removed ? null : annotation.input,
    removed,
    label: value(annotation.label),
    authorLabel: value(annotation.authorLabel),
    goal: annotation.goal ?? null,
    fooled: annotation.fooled ?? null,
    target: annotation.target ? { id: annotation.target.id, name: annotation.target.name } : null,
    answers: annotation.answers.map((answer) => exportedAnswer(answer, { output, modelNames, isSilent })),
    explanations: removed ? {} : { ...annotation.explanations },
    extra: removed ? {} : annotation.extra,
    // the message of a finding may quote another example, which may be hidden
    findings: annotation.findings.map(({ check, blocking, message }) => ({
      check,
      blocking,
      ...(reader === 'owner' && !removed && { message }),
    })),
    contrastTo: annotation.contrastTo?.id ?? null,
    editDistance: annotation.editDistance ?? null,
    seconds: annotation.seconds ?? null,
    outcome: annotation.outcome,
    decidedByOwner: annotation.decidedByOwner,
    split: annotation.split ?? null,
    createdAt: annotation.createdAt.toISOString(),
    retractedAt: annotation.retractedAt?.toISOString() ?? null,
    validations: validations.map((validation) => ({
      validator: validation.pseudonym,
      label: value(validation.label),
      verdict: validation.verdict ?? null,
      rightLabel: value(validation.rightLabel),
      reason: removed ? null : (validation.reason ?? null),
      extra: removed ? {} : validation.extra,
      byOwner: validation.byOwner,
      seconds: validation.seconds ?? null,
      answeredAt: validation.answeredAt?.toISOString() ?? null,
    })),
  };
}

/** Returns whether the author had the text removed. Every other example has inputs. */
const isRemoved = ({ input }: Pick<Annotation, 'input'>): boolean => Object.keys(input).length === 0;

/**
 * Returns acceptable answers in the form of a dataset line: a single one as a value, several as a
 * list.
 */
export function outputValue(
  output: TaskOutput,
  gold: readonly string[] | null | undefined,
): string | number | string[] | null {
  const [first] = gold ?? [];
  if (!gold || first === undefined) return null;
  if (output.type === 'number') return Number(first);
  if (output.type === 'labels') return JSON.parse(first) as string[];
  return gold.length === 1 ? first : [...gold];
}

const exportedContext = ({ externalId, tags, content, metadata }: Context): ExportedAnnotation['context'] => ({
  id: externalId,
  tags: [...tags],
  ...(content['prompt'] !== undefined && { prompt: content['prompt'] }),
  metadata,
});

function exportedAnswer(
  { model, specification, answer, probabilities, milliseconds, at }: LiveAnswer,
  { output, modelNames, isSilent }: Pick<ExportedParts, 'output' | 'modelNames'> & { readonly isSilent: boolean },
): ExportedAnnotation['answers'][number] {
  const labels = output.type === 'label' ? output.labels : undefined;
  return {
    model,
    name: modelNames.get(model) ?? null,
    specification,
    answer: isSilent ? null : answer,
    ...(probabilities &&
      labels && { probabilities: Object.fromEntries(labels.map((label, index) => [label, probabilities[index]!])) }),
    milliseconds,
    at,
  };
}
