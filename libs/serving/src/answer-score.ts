import type { TaskOutput } from '@assay/contracts/tasks';
import { contextOf, metricNamed } from '@assay/scoring/metrics';
import { type TextRules } from '@assay/scoring/language';

type Answered = { readonly answer: string; readonly probabilities?: readonly number[] };

/**
 * Returns a function that scores how strongly an answer supports `target`. Labels: the probability
 * of `target` if the model gives one, otherwise 1 if equal and 0 if not. Spans and texts: SQuAD F1.
 * Numbers: minus the absolute difference. Label sets: 1 if equal, 0 if not.
 */
export function answerScore(output: TaskOutput, target: string, rules: TextRules = {}): (answered: Answered) => number {
  switch (output.type) {
    case 'label': {
      const place = output.labels.indexOf(target);
      return ({ answer, probabilities }) => probabilities?.[place] ?? Number(answer === target);
    }
    case 'span':
    case 'text': {
      const overlap = metricNamed('squad_f1', output.type);
      if (overlap.kind !== 'mean') throw new TypeError('squad_f1 is a score of each example');
      const context = contextOf(rules);
      return ({ answer }) => overlap.perExample([target], answer, null, context);
    }
    case 'number':
      return ({ answer }) => -Math.abs(Number(answer) - Number(target));
    case 'labels':
      return ({ answer }) => Number(answer === target);
  }
}
