// For: validating examples: assignments, verdicts, decisions, agreement.
export { sameLabel } from './judged-labels.js';
export { OwnerDecisionsService } from './owner-decisions.service.js';
export { roundAgreement } from './round-agreement.js';
export { ASSIGNED_MILLISECONDS } from './validation-assignment.js';
export { Validation } from './validation.js';
export { type Judged, ValidationsService } from './validations.service.js';
export { ValidatorCount } from './validator-count.js';
export { ValidatorFigures } from './validator-figures.js';
