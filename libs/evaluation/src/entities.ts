import { Evaluation } from './evaluation.js';
import { EvaluatorPresence } from './evaluator-presence.js';
import { Measurement } from './measurement.js';
import { Run } from './run.js';

/** The tables of this context. */
export const evaluationEntities = [Evaluation, Run, Measurement, EvaluatorPresence];
