// For: datasets and their versions: receiving, storing, room, commitments, Croissant.
export { commitmentTo, publishedDigest, publishedHash, saltedDigest } from './commitment.js';
export { croissant } from './croissant.js';
export { takeDataset } from './dataset-intake.js';
export type { DatasetRoom } from './dataset-room.js';
export { DatasetVersionsService } from './dataset-versions.service.js';
export { Dataset, DatasetVersion } from './dataset.js';
export { DatasetsService } from './datasets.service.js';
