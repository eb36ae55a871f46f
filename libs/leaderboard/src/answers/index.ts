// For: answers of models with their examples.
export { AnsweredExamplesService } from './answered-examples.service.js';
export { withoutSingleAnswers, withoutSmallSlices } from './shown-figures.js';
