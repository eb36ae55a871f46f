import { Evaluation } from './evaluations/evaluation.js';
import { EvaluatorPresence } from './evaluator-presence.js';
import { Measurement } from './evaluations/measurement.js';
import { Run } from './runs/run.js';

/** The entities of this lib. */
export const evaluationEntities = [Evaluation, Run, Measurement, EvaluatorPresence];
