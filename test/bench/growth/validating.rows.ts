import type { GrowthRows } from './growth-rows.js';
import { burstsRow, type MeasuredRequest, repetitions, requestRow, succeeded } from './requests.js';

const VALIDATORS = 20;

/**
 * The assignment of an example to a validator. The same validator gets the same example again, so
 * each request is that of another validator. Each has opened the page before.
 */
export const validatingRows: GrowthRows = async (context, grown) => {
  const rounds = repetitions(context);
  let users = 0;
  const requestsOf = async (count: number): Promise<MeasuredRequest[]> => {
    const requests: MeasuredRequest[] = [];
    for (let number = 0; number < count; number++) {
      const token = await grown.service.world.user(`growth-validator-${users++}`);
      await succeeded(grown, { path: '/me', token });
      requests.push({ method: 'POST', path: `/tasks/${grown.task}/validate/next`, token });
    }
    return requests;
  };
  const bursts: MeasuredRequest[][] = [];
  for (let burst = 0; burst <= rounds; burst++) bursts.push(await requestsOf(VALIDATORS));
  return [await requestRow(context, grown, await requestsOf(rounds), 50), await burstsRow(context, grown, bursts, 300)];
};
