import type { GrowthRows } from './growth-rows.js';
import { burstsRow, repetitions, requestRow } from './requests.js';

/** The start page: all tasks with their leading models. */
export const overviewRows: GrowthRows = async (context, grown) => {
  const request = { path: '/overview' };
  const burst = Array<typeof request>(8).fill(request);
  return [
    await requestRow(context, grown, request, 50),
    await burstsRow(context, grown, Array<typeof burst>(repetitions(context) + 1).fill(burst), 200),
  ];
};
