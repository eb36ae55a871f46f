// For: perturbed versions of datasets, and their validation.
export { PerturbationsService } from './perturbations.service.js';
export { transformRanks } from './standing.js';
export { PerturbationValidations } from './validations.service.js';
