import { it } from '@jest/globals';

/** Whether the full form was asked for (`npm run release-check faults`, `npm run test:faults`). CI runs the short one. */
export const isFullForm = process.env['ASSAY_FAULTS_FORM'] === 'full';

/** Registers a test that takes too long for CI, or whose behaviour CI tests elsewhere (docs/contributing/tests.md). */
export const inFullForm = isFullForm ? it : it.skip;
