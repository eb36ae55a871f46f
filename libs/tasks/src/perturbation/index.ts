// For: perturbed versions of datasets, and their validation.
export { inputVariants } from './input-variants.js';
export { PerturbationsService } from './perturbations.service.js';
export { transformRanks } from '../datasets/dataset.js';
export { PerturbationValidations } from './validations.service.js';
