import { EVALUATOR_PROTOCOLS } from '@assay/contracts/evaluators';

/** The version of the gateway's protocol that this evaluator uses. */
export const PROTOCOL = EVALUATOR_PROTOCOLS.at(-1)!;
