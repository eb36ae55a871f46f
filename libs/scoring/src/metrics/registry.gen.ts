// npm run generate writes this file from the metrics in libs/scoring/src/metrics
import { accuracy } from './accuracy.js';
import { auroc } from './auroc.js';
import { balancedAccuracy } from './balanced-accuracy.js';
import { bleu } from './bleu.js';
import { brier } from './brier.js';
import { cer } from './cer.js';
import { chrf } from './chrf.js';
import { ece } from './ece.js';
import { exactMatch } from './exact-match.js';
import { jaccard } from './jaccard.js';
import { labelsMacroF1 } from './labels-macro-f1.js';
import { labelsMicroF1 } from './labels-micro-f1.js';
import { logLoss } from './log-loss.js';
import { macroF1 } from './macro-f1.js';
import { mae } from './mae.js';
import { mcc } from './mcc.js';
import { meanAbsoluteRankError } from './mean-absolute-rank-error.js';
import { microF1 } from './micro-f1.js';
import { pearson } from './pearson.js';
import { quadraticKappa } from './quadratic-kappa.js';
import { rmse } from './rmse.js';
import { rougeL } from './rouge-l.js';
import { spanF1 } from './span-f1.js';
import { spearman } from './spearman.js';
import { squadF1 } from './squad-f1.js';
import { subsetAccuracy } from './subset-accuracy.js';
import { tokenF1 } from './token-f1.js';
import { weightedF1 } from './weighted-f1.js';
import { wer } from './wer.js';

export const METRICS = [
  accuracy,
  subsetAccuracy,
  auroc,
  balancedAccuracy,
  brier,
  ece,
  logLoss,
  macroF1,
  labelsMacroF1,
  mcc,
  meanAbsoluteRankError,
  microF1,
  labelsMicroF1,
  quadraticKappa,
  weightedF1,
  jaccard,
  exactMatch,
  spanF1,
  squadF1,
  tokenF1,
  bleu,
  cer,
  chrf,
  rougeL,
  wer,
  mae,
  pearson,
  rmse,
  spearman,
] as const;
