// For: answers of models with their examples.
export { AnsweredExamplesService, FEWEST_EXAMPLES } from './answered-examples.service.js';
