import type { CrowdOffer, CrowdSession, NextContext } from '@assay/api-client/angular';
import type { AnnotatedTask } from '../annotate/answers-in-words.js';
import type { FormTask } from '../annotate/example-form.js';

/**
 * A step of the page:
 * - `opening`: the offer is being requested
 * - `unavailable`: the link cannot be used
 * - `offer`: task and pay, before the worker begins
 * - `terms`, `test`: what precedes the first example
 * - `writing`, `answered`: an example before and after the models answered
 * - `leaving`: the worker is asked for confirmation
 * - `written`: all examples are written
 * - `failed`, `ended`, `finished`: the states of a session in which nobody writes any more
 */
export type CrowdStep =
  | 'opening'
  | 'unavailable'
  | 'offer'
  | 'terms'
  | 'test'
  | 'writing'
  | 'answered'
  | 'leaving'
  | 'written'
  | 'failed'
  | 'ended'
  | 'finished';

/** Returns whether the worker of a session may still write. */
export const isUnderWay = ({ state }: CrowdSession): boolean => state === 'onboarding' || state === 'working';

/** Returns the step that a session is at. */
export function stepOf(session: CrowdSession, hasAgreed: boolean): CrowdStep {
  switch (session.state) {
    case 'failed':
    case 'ended':
    case 'finished':
      return session.state;
    case 'onboarding':
      return hasAgreed ? 'test' : 'terms';
    case 'working':
      if (!hasAgreed) return 'terms';
      return session.examples.done >= session.examples.of ? 'written' : 'writing';
  }
}

/** Returns the task of an offer as the form and the answers of models need it. */
export function taskOf({ task }: CrowdOffer, rules?: NextContext['rules']): FormTask & AnnotatedTask {
  // an offer does not name the output
  const name = $localize`the answer`;
  const { language, answer, labels, contentWarning } = task;
  return {
    language,
    inputs: task.inputs.map((input) => ({ name: input })),
    output:
      answer === 'label' || answer === 'labels'
        ? { name, type: answer, labels: labels ?? [] }
        : answer === 'span'
          ? { name, type: answer, of: rules?.span ?? '' }
          : { name, type: answer },
    collection: {
      ...(rules && { fooled: rules.fooled }),
      ...(contentWarning !== null && { contentWarning }),
      explanations: (['example', 'model'] as const).filter((kind) => rules?.explanations.includes(kind)),
      // asked before the models answer
      fields: [],
    },
  };
}
