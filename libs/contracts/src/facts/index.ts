// For: what is known about a dataset besides its examples: human performance, what gives labels away.
export { DatasetArtefacts, MOST_LABEL_WORDS } from './artefacts.js';
export { GivenHumanFigures, HumanPerformance } from './human.js';
