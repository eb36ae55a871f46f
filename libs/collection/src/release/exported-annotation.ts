import type { ExportedAnnotation, LiveAnswer, TaskOutput } from '@assay/contracts';
import type { Annotation } from '../annotating/annotation.js';
import type { Context } from '../rounds/context.js';
import type { Validation } from '../validating/validation.js';

/** Who reads an export: the task's owner, or anybody. */
export type ExportReader = 'owner' | 'public';

export interface ExportedParts {
  readonly annotation: Annotation;
  readonly validations: readonly Validation[];
  readonly output: TaskOutput;
  /** By id. */
  readonly modelNames: ReadonlyMap<string, string>;
  readonly reader: ExportReader;
}

/** An annotation as it leaves the service: people by pseudonym alone, and nothing of a text that its author had removed. */
export function exportedAnnotation({
  annotation,
  validations,
  output,
  modelNames,
  reader,
}: ExportedParts): ExportedAnnotation {
  const removed = isRemoved(annotation);
  // of a span or a text the answer is words of the example
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
    // the sentence of a finding can quote another example, which is perhaps hidden
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

/** Whether its author had the text removed: an example has inputs. */
export const isRemoved = ({ input }: Pick<Annotation, 'input'>): boolean => Object.keys(input).length === 0;

/** Acceptable answers in the form of a dataset's line: one as it is, several as a list. */
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
