import type { GrowthRows } from './growth-rows.js';
import { requestRow } from './requests.js';

/** The pages of a round with many examples. */
export const roundsRows: GrowthRows = async (context, grown) => {
  const rounds = `/tasks/${grown.task}/rounds`;
  const token = grown.service.world.admin;
  return [
    await requestRow(context, grown, { path: rounds }, 50),
    await requestRow(context, grown, { path: `${rounds}/1` }, 50),
    await requestRow(context, grown, { path: `/tasks/${grown.task}/annotators` }, 50),
    await requestRow(context, grown, { path: `${rounds}/1/validators`, token }, 200),
  ];
};
