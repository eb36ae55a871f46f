import type { TaskOutput } from '@assay/contracts';
import { metricNamed } from '@assay/scoring';

type Answered = { readonly answer: string; readonly probabilities?: readonly number[] };

/**
 * How much an answer speaks for `target`: the probability of that label, where the model gives one; of a span or text its overlap in words
 * (SQuAD F1); of a number minus the distance; else whether it is the same.
 */
export function answerScore(output: TaskOutput, target: string): (answered: Answered) => number {
  switch (output.type) {
    case 'label': {
      const place = output.labels.indexOf(target);
      return ({ answer, probabilities }) => probabilities?.[place] ?? Number(answer === target);
    }
    case 'span':
    case 'text': {
      const overlap = metricNamed('squad_f1', output.type);
      if (overlap.kind !== 'mean') throw new TypeError('squad_f1 is a score of each example');
      return ({ answer }) => overlap.perExample([target], answer);
    }
    case 'number':
      return ({ answer }) => -Math.abs(Number(answer) - Number(target));
    case 'labels':
      return ({ answer }) => Number(answer === target);
  }
}
