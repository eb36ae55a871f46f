// For: what builders submit: models, their artifacts, and the specification that decides their behaviour.
// Knows: who submitted what to which task, quota, publication.
// Must not know: how a model is run or scored.
export * from './artifact.js';
export * from './model.js';
export * from './model-lock.js';
export * from './model-visibility.js';
export * from './models.service.js';
export * from './quota.js';
export * from './run-specification.js';
export * from './specify.js';
export * from './user-storage.service.js';
export * from './entities.js';
