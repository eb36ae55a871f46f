import type { History } from '@assay/api-client/fetch';
import { usageFailure } from '../command-failure.js';

/**
 * Returns the history of the models requested by ID or name.
 *
 * @throws CommandFailure that names the requested models that were never ranked
 */
export function historyOfChosen(history: History, asked: readonly string[]): History {
  const isAsked = ({ model }: History['models'][number], each: string): boolean =>
    model.id === each || model.name === each;
  const unknown = asked.filter((each) => !history.models.some((model) => isAsked(model, each)));
  if (unknown.length > 0) {
    throw usageFailure(`No model ${unknown.map((each) => `"${each}"`).join(', ')} was ever ranked on ${history.task}.`);
  }
  return { ...history, models: history.models.filter((model) => asked.some((each) => isAsked(model, each))) };
}
