import type { GrowthRows } from './growth-rows.js';
import { concurrentRow, requestRow } from './requests.js';

/** The start page: all tasks with their leading models. */
export const overviewRows: GrowthRows = async (context, grown) => {
  const request = { path: '/overview' };
  return [
    await requestRow(context, grown, request, 50),
    await concurrentRow(
      context,
      grown,
      Array.from({ length: 8 }, () => request),
      200,
    ),
  ];
};
