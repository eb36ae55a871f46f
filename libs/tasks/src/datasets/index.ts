// For: datasets and their versions: receiving, storing, room, commitments, Croissant.
export { commitmentTo, publishedDigest, publishedHash, saltedDigest } from './commitment.js';
export { croissant } from './croissant.js';
export { type Intake, storeDataset } from './dataset-intake.js';
export { Dataset, type DatasetRoom, DatasetVersion, tasksBlobs } from './dataset.js';
export { DatasetArtefactsService } from './dataset-artefacts.service.js';
export { EarlierGoldCounts } from './gold-counts.js';
export { DatasetShiftService } from './dataset-shift.service.js';
export { DatasetsService } from './datasets.service.js';
