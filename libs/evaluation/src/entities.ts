import { Evaluation } from './evaluation.js';
import { EvaluatorPresence } from './evaluator-presence.js';
import { Measurement } from './measurement.js';
import { Run } from './run.js';

/** The entities of this lib. */
export const evaluationEntities = [Evaluation, Run, Measurement, EvaluatorPresence];
