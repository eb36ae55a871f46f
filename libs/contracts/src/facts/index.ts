// For: what is known about a dataset besides its examples: human performance, what gives labels away,
// what changed since another dataset.
export { DatasetArtefacts, MOST_LABEL_WORDS } from './artefacts.js';
export { GivenHumanFigures, HumanPerformance } from './human.js';
export { DatasetShift, MOST_SHIFTED_WORDS, ShiftQuery } from './shift.js';
