// For: tests of the difference between models.
export { compareAnswers, type ComparedAnswers, type ComparedScores } from './compare-answers.js';
export { comparePaired, type Comparison } from './compare-paired.js';
export { compareResamples } from './compare-resamples.js';
export { compareRounded } from './compare-rounded.js';
export { familyVerdicts, greaterOf, type TestedDifference } from './family.js';
export { JointAnswers } from './joint-answers.js';
export { MINIMUM_SLICE } from '../slices/compared-slices.js';
export { type JudgedAnswers, possibleCopiesInTurn } from './possible-copies.js';
export { pairwiseDifferences } from './pairwise-differences.js';
