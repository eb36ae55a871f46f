// For: the models that a model descends from, and the datasets that were collected against them.
export { artifactsAgainst, relatedArtifacts, targetsOfArtifact } from './own-artifacts.js';
