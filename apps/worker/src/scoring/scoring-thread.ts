// The program of a worker thread: see scorer.ts.
import { scoreAnswers, type ScoringResult } from '@assay/evaluation/scoring';
import { failpoint } from '@assay/observability';
import { LocalBlobStore } from '@assay/storage';
import type { ScoringWork } from './scorer.js';

export const scoreInThread = ({ answers, blobs }: ScoringWork): Promise<ScoringResult> => {
  failpoint('mid-score');
  return scoreAnswers(answers, new LocalBlobStore(blobs));
};
