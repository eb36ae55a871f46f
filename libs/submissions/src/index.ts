// For: submissions: models, their artifacts, and the specifications that determine their behaviour.
// Knows: who submitted which model to which task, quotas, publication.
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
