// For: evaluations without exact scores, for tasks that round the scores on hidden data.
export { roundedFigures } from './rounded-figures.js';
