// For: collecting examples from people against the target models, round after round.
// Knows: rounds, contexts, annotations, validations, participants, deployments of target models.
// Must not know: HTTP, Docker, how a metric is computed.
export { CollectionModule } from './collection.module.js';
export { collectionPersonalData, unlinkWork } from './personal-data.js';
