import { z } from 'zod';
import { namedObject } from '../named-object.js';

export type Fault = 'model' | 'task' | 'platform';

/**
 * Every reason why something ends as `failed`: the party at fault, the reason in a few words that
 * anyone may read, and the next step for the owner.
 */
export const FAILURES = {
  // the upload
  upload_altered: {
    fault: 'model',
    reason: 'the upload was altered on its way',
    next: 'Its bytes differ from the declared digest. Upload the file again.',
  },
  artifact_too_large: {
    fault: 'model',
    reason: 'the artifact is too large',
    next: 'Make the artifact smaller, or ask the owner of the task for a higher limit.',
  },
  artifact_archived: {
    fault: 'model',
    reason: 'the artifact was archived',
    next: 'Upload the same bytes again, to this model or to a new one. Only datasets without a result are run.',
  },
  // admission of an image
  not_an_image: {
    fault: 'model',
    reason: 'the upload is not a container image',
    next: 'Upload the output of `docker save`, or an OCI image layout as a tar.',
  },
  archive_truncated: {
    fault: 'model',
    reason: 'the archive is incomplete',
    next: 'The file ends too early. Upload it again.',
  },
  wrong_architecture: {
    fault: 'model',
    reason: 'the image is for another processor architecture',
    next: 'Build it with `docker buildx build --platform linux/amd64`.',
  },
  image_refused: {
    fault: 'model',
    reason: 'the image was rejected',
    next: 'Rebuild the image without the parts that the message names.',
  },
  unpacked_too_large: {
    fault: 'model',
    reason: 'the image is too large when unpacked',
    next: 'Make the image smaller, or ask the owner of the task for a higher limit.',
  },
  storage_quota: {
    fault: 'model',
    reason: 'the storage of the owner is full',
    next: 'Archive models that need not run again, or ask an administrator for more storage. Then run it again.',
  },
  reading_timeout: {
    fault: 'model',
    reason: 'reading the artifact took too long',
    next: 'Make the artifact smaller, with fewer files and layers. If the host was at fault, submit it again.',
  },
  unknown_protocol: {
    fault: 'model',
    reason: 'the protocol is unknown',
    next: 'Serve the `invocations` protocol, the only one that is supported.',
  },
  // admission of an ONNX bundle
  not_a_bundle: {
    fault: 'model',
    reason: 'the upload is not an ONNX bundle',
    next: 'Upload a zip or tar of the folder that a Hugging Face export to ONNX writes.',
  },
  bundle_incomplete: { fault: 'model', reason: 'the bundle lacks a file', next: 'Add the missing file to the bundle.' },
  bundle_refused: {
    fault: 'model',
    reason: 'the bundle was rejected',
    next: 'Export the model again without the parts that the message names.',
  },
  // predictions
  predictions_incomplete: {
    fault: 'model',
    reason: 'predictions are missing',
    next: 'Add a prediction for every example of every scoring dataset.',
  },
  predictions_unknown: {
    fault: 'model',
    reason: 'there are predictions for unknown examples',
    next: 'Remove the predictions whose ids are in no dataset of the task.',
  },
  predictions_malformed: {
    fault: 'model',
    reason: 'the predictions are malformed',
    next: 'Fix the line that the message names.',
  },
  predictions_awaited: {
    fault: 'task',
    reason: 'predictions are still missing',
    next: 'Add predictions for it with `assay submit --for MODEL FILE` or on the page of the model.',
  },
  predictions_repeated: {
    fault: 'model',
    reason: 'there are second predictions for some examples',
    next: 'Remove the predictions for examples that an earlier file of this model has: earlier predictions stay.',
  },
  predictions_late: {
    fault: 'model',
    reason: 'the predictions came too late',
    next: 'Ask the owner of the task for more time, or leave out this dataset.',
  },
  // the run
  never_ready: {
    fault: 'model',
    reason: 'the model did not become ready in time',
    next: 'Answer GET /ping with 200 within `limits.startSeconds`; see the log.',
  },
  model_exited: { fault: 'model', reason: 'the container exited', next: 'The process exited. See the log.' },
  out_of_memory: {
    fault: 'model',
    reason: 'out of memory',
    next: 'Use less memory, or ask the owner of the task for more in `limits.memory`.',
  },
  request_timeout: {
    fault: 'model',
    reason: 'a request took too long',
    next: 'Answer a batch within `limits.requestSeconds`.',
  },
  too_slow: {
    fault: 'model',
    reason: 'too slow for the time limit',
    next: 'Make the model faster, or ask the owner for more in `limits.evaluationSeconds`.',
  },
  evaluation_timeout: {
    fault: 'model',
    reason: 'the evaluation exceeded the time limit',
    next: 'Make the model faster, or ask the owner for more in `limits.evaluationSeconds`.',
  },
  http_status: {
    fault: 'model',
    reason: 'the model answered with an error status',
    next: 'Answer POST /invocations with 200.',
  },
  redirected: {
    fault: 'model',
    reason: 'the model answered with a redirect',
    next: 'Redirects are not followed. Answer the requests directly.',
  },
  response_too_large: { fault: 'model', reason: 'a response was too large', next: 'Send only the predictions.' },
  response_encoded: {
    fault: 'model',
    reason: 'a response had a content encoding',
    next: 'Send the body without a content-encoding.',
  },
  invalid_json: {
    fault: 'model',
    reason: 'a response was not valid JSON',
    next: 'Answer with JSON, as the container contract requires.',
  },
  invalid_response: {
    fault: 'model',
    reason: 'a response did not follow the contract',
    next: 'Answer {"predictions": [...]}, as the container contract requires.',
  },
  wrong_length: {
    fault: 'model',
    reason: 'a response had the wrong number of predictions',
    next: 'Give one prediction for each instance, in their order.',
  },
  unknown_label: {
    fault: 'model',
    reason: 'a prediction was not one of the labels',
    next: "Answer with one of the task's labels, spelled as the task spells it.",
  },
  invalid_prediction: {
    fault: 'model',
    reason: 'a prediction was invalid',
    next: 'Give the prediction in one of the forms that the contract defines.',
  },
  invalid_probabilities: {
    fault: 'model',
    reason: 'the probabilities were invalid',
    next: 'Give finite probabilities that sum to 1.',
  },
  label_not_top: {
    fault: 'model',
    reason: 'a label was not the most probable one of its probabilities',
    next: 'Return the label with the highest probability, or leave the probabilities out.',
  },
  inconsistent: {
    fault: 'model',
    reason: 'the same input got different answers',
    next: 'Give the same answer to the same input.',
  },
  connection_lost: {
    fault: 'model',
    reason: 'the model closed the connection',
    next: 'Keep the connection open until the answer is complete; see the log.',
  },
  original_not_scored: {
    fault: 'model',
    reason: 'the unperturbed examples were not scored',
    next: 'Perturbed examples are compared with the unperturbed ones. See why those were not scored.',
  },
  not_run_again: {
    fault: 'model',
    reason: 'the last run failed on another dataset',
    next: 'Fix what failed and submit a new model. If the failure was temporary, rerun this one.',
  },
  // the task
  task_misconfigured: {
    fault: 'task',
    reason: 'the task is misconfigured',
    next: 'The owner of the task has to fix what the message names.',
  },
  dataset_unavailable: {
    fault: 'task',
    reason: 'the dataset is unavailable',
    next: 'The owner of the task has to fix the dataset.',
  },
  // the platform
  sandbox_unavailable: {
    fault: 'platform',
    reason: 'no sandbox was available',
    next: 'The run is repeated automatically. It does not count against the quota.',
  },
  platform_failed: {
    fault: 'platform',
    reason: 'a platform error',
    next: 'Rerun the model. If it fails again, tell the operator. It does not count against the quota.',
  },
  deadline_passed: {
    fault: 'platform',
    reason: 'the platform exceeded its deadline',
    next: 'Rerun the model. If it fails again, tell the operator. It does not count against the quota.',
  },
} as const satisfies Record<string, { fault: Fault; reason: string; next: string }>;

export type FailureCode = keyof typeof FAILURES;

/** The failures of admission: the artifact was rejected before it ran. */
const ADMISSION: ReadonlySet<FailureCode> = new Set([
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

export const isAdmissionFailure = (code: FailureCode): boolean => ADMISSION.has(code);

export const FailureCodeSchema = z.enum(Object.keys(FAILURES) as [FailureCode]);

/** The failure of a model or evaluation, as its owner sees it. */
export const Failure = namedObject('Failure', {
  code: FailureCodeSchema.describe('what happened, in a word that does not change'),
  fault: z.enum(['model', 'task', 'platform']).describe('the party at fault'),
  message: z.string().describe('What happened, with its numbers'),
  next: z.string().describe('What to do'),
});
export type Failure = z.infer<typeof Failure>;

/** Returns the failure `code` with a sentence about this case. */
export function failure(code: FailureCode, message: string): Failure {
  return { code, fault: FAILURES[code].fault, message: printable(message), next: FAILURES[code].next };
}

/**
 * Returns the failure on hidden data with the given code. It contains nothing else: an exit status,
 * an index or a rate could carry a hidden input.
 */
export const withheldFailure = (code: FailureCode): Failure =>
  failure(
    code,
    `It failed on hidden data (${code}). The details and the log are withheld, as they could reveal hidden examples.`,
  );

/**
 * Makes a sentence that may quote a model's output safe to store and show. Replaces what PostgreSQL
 * cannot store (NUL, lone surrogates), control characters for terminals, and characters that change
 * the direction of the surrounding text.
 */
const printable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
