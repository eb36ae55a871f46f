import type { Failure } from '@assay/api-client/angular';

/** The headline of each failure code. */
export const FAILURE_HEADLINES: Readonly<Record<Failure['code'], string>> = {
  upload_altered: $localize`The upload was altered on its way`,
  artifact_too_large: $localize`The artifact is too large`,
  artifact_archived: $localize`The bytes of the artifact are gone`,
  not_an_image: $localize`The artifact is not a container image`,
  archive_truncated: $localize`The archive ends too early`,
  wrong_architecture: $localize`The image is for another processor`,
  image_refused: $localize`The image was rejected`,
  unpacked_too_large: $localize`The image is too large once it is unpacked`,
  storage_quota: $localize`Not enough storage for the unpacked artifact`,
  reading_timeout: $localize`The artifact took too long to read`,
  unknown_protocol: $localize`The protocol is not known`,
  not_a_bundle: $localize`The artifact is not an ONNX bundle`,
  bundle_incomplete: $localize`A file is missing in the bundle`,
  bundle_refused: $localize`The bundle was rejected`,
  predictions_incomplete: $localize`Predictions are missing`,
  predictions_unknown: $localize`There are predictions for unknown examples`,
  predictions_malformed: $localize`A line of the predictions can't be read`,
  predictions_awaited: $localize`Predictions for this dataset are missing`,
  predictions_repeated: $localize`Some predictions were given before`,
  predictions_late: $localize`The predictions came too late`,
  never_ready: $localize`The model was never ready`,
  model_exited: $localize`The model exited`,
  out_of_memory: $localize`The model used up its memory`,
  request_timeout: $localize`The model took too long for an answer`,
  too_slow: $localize`The model is too slow`,
  evaluation_timeout: $localize`The model took too long`,
  http_status: $localize`The model answered with an error`,
  redirected: $localize`The model sent requests elsewhere`,
  response_too_large: $localize`The model's answer is too large`,
  response_encoded: $localize`The model's answer is encoded`,
  invalid_json: $localize`The model's answer is not JSON`,
  invalid_response: $localize`The model's answer does not follow the contract`,
  wrong_length: $localize`The model gave too many or too few predictions`,
  unknown_label: $localize`The model gave a label that the task does not have`,
  invalid_prediction: $localize`The model gave an invalid prediction`,
  invalid_probabilities: $localize`The model gave invalid probabilities`,
  label_not_top: $localize`The model gave a label that is not its most probable one`,
  inconsistent: $localize`The model answered the same input in two ways`,
  connection_lost: $localize`The model closed the connection`,
  original_not_scored: $localize`The examples themselves were not scored`,
  not_run_again: $localize`The model was not run on this dataset`,
  task_misconfigured: $localize`The task is not set up right`,
  dataset_unavailable: $localize`A dataset can't be read`,
  sandbox_unavailable: $localize`No sandbox was available`,
  platform_failed: $localize`The platform failed`,
  deadline_passed: $localize`The platform ran out of time`,
};

/** The label of the party at fault. */
export const FAULTS: Readonly<Record<Failure['fault'], string>> = {
  model: $localize`model error`,
  task: $localize`task error`,
  platform: $localize`platform error`,
};

/** Failures at admission: the artifact was rejected before anything ran. */
const ADMISSION: ReadonlySet<Failure['code']> = new Set([
  'not_an_image',
  'archive_truncated',
  'wrong_architecture',
  'image_refused',
  'unpacked_too_large',
  'storage_quota',
  'reading_timeout',
  'unknown_protocol',
  'not_a_bundle',
  'bundle_incomplete',
  'bundle_refused',
  'predictions_incomplete',
  'predictions_unknown',
  'predictions_malformed',
  'predictions_repeated',
  'predictions_late',
] as const);

/** Returns a sentence that says whether the failure counts against the quota. */
export const quotaSentence = ({ code, fault }: Pick<Failure, 'code' | 'fault'>): string =>
  fault !== 'model' || ADMISSION.has(code)
    ? $localize`Nothing was counted against the quota.`
    : $localize`It counts as one submission of the quota.`;
