// For: perturbed versions of datasets, and their validation.
export { PerturbationsService } from './perturbations.service.js';
export { transformRanks } from '../datasets/dataset.js';
export { PerturbationValidations } from './validations.service.js';
