// For: artifacts of models and the room that they take.
export {
  type AdmittedImage,
  type ImageFinding,
  Artifact,
  ARTIFACT_TRANSITIONS,
  type ArtifactState,
  submissionsBlobs,
} from './artifact.js';
export { ArtifactRepository } from './artifact.repository.js';
export { attemptsByOwner } from './quota.js';
export {
  expectRoom,
  type StorageUse,
  unpackedBeyond,
  USER_STORAGE,
  UserStorageService,
} from './user-storage.service.js';
