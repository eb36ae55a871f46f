import type { Perturbation } from '@assay/contracts/metrics';
import type { TaskDefinition, TransformName } from '@assay/contracts/tasks';
import { primaryLanguage, type Transform } from './transform.js';
import { punctuation, upperCase, whitespace } from './transforms/character-transforms.js';
import { contractions } from './transforms/contractions.js';
import { gender, names } from './transforms/people-transforms.js';
import { homoglyphs, misspellings, splitWords, swaps, typos, zeroWidth } from './transforms/word-transforms.js';

/**
 * All transforms. To add one: write it in `transforms/`, add a line here, and add its name to
 * `@assay/contracts`.
 */
export const TRANSFORMS: Readonly<Record<TransformName, Transform>> = {
  case: upperCase,
  contractions,
  punctuation,
  whitespace,
  zero_width: zeroWidth,
  homoglyphs,
  typos,
  swaps,
  misspellings,
  split_words: splitWords,
  gender,
  names,
};

/**
 * Returns the transforms that the task configures for `kind` and that support its language and
 * output. Empty if the task has no text input.
 */
export function transformsFor(task: TaskDefinition, kind: Perturbation): readonly Transform[] {
  if (!task.inputs.some(({ type }) => type === 'text')) return [];
  return [...new Set<TransformName>(task.perturbations?.[kind] ?? [])]
    .map((name) => TRANSFORMS[name])
    .filter((transform) => speaks(transform, task) && transform.outputs.includes(task.output.type));
}

/** Returns whether a transform supports the language of the task. */
export const speaks = ({ languages }: Transform, { language }: TaskDefinition): boolean =>
  languages === 'any' || languages.includes(primaryLanguage(language));
