import type { GrowthRows } from './growth-rows.js';
import { concurrentRow, type MeasuredRequest, repetitions, requestRow } from './requests.js';

const VALIDATORS = 20;

/**
 * The assignment of an example to a validator. The same validator gets the same example again, so
 * each request of a median is that of another validator.
 */
export const validatingRows: GrowthRows = async (context, grown) => {
  const rounds = repetitions(context);
  const requests: MeasuredRequest[] = [];
  for (let number = 0; number < rounds + VALIDATORS; number++) {
    const token = await grown.service.world.user(`growth-validator-${number}`);
    requests.push({ method: 'POST', path: `/tasks/${grown.task}/validate/next`, token });
  }
  return [
    await requestRow(context, grown, requests.slice(0, rounds), 50),
    await concurrentRow(context, grown, requests.slice(rounds), 300),
  ];
};
