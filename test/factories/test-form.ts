import { it } from '@jest/globals';

/**
 * True if the full form was requested (`npm run release-check faults`, `npm run test:faults`). CI
 * runs the short form.
 */
export const isFullForm = process.env['ASSAY_FAULTS_FORM'] === 'full';

/**
 * Registers a test that takes too long for CI, or whose subject CI covers elsewhere
 * (docs/contributing/tests.md).
 */
export const inFullForm = isFullForm ? it : it.skip;
