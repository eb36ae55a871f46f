// For: submissions: models, their artifacts, and the specifications that determine their behaviour.
// Knows: who submitted which model to which task, quotas, publication.
// Must not know: how a model is run or scored.
export { isFailedUpload, mayManage, maySee, PUBLIC_MODEL, publicModelSql, visibleOf } from './model-visibility.js';
export { Model, MODEL_TRANSITIONS, ownersOf } from './model.js';
export { type Descent, FAILED_BY_ITSELF, ModelRepository, type OwnModel } from './model.repository.js';
export { artifactGone, auditedModel, ModelsService, type Summarised } from './models.service.js';
export { submissionsPersonalData } from './personal-data.js';
export { RunSpecification, specificationKey, specify } from './run-specification.js';
export { RunSpecificationRepository } from './run-specification.repository.js';
export { SubmissionRights, VERIFIED_SUBMITTERS } from './submission-rights.service.js';
export { SubmissionsModule } from './submissions.module.js';
