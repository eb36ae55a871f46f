import { canonicalJson } from '@assay/kernel';
import { z } from 'zod';
import { OwnEvaluators } from '../evaluators/evaluator.js';
import { Estimate, Measures, SliceResult } from '../metrics/metric.js';
import { ModelKind } from '../models/model.js';
import { namedObject } from '../named-object.js';
import { RetiredKeyMark } from './retired-key.js';

/** A self-contained result: what was run, on what data, with which definitions, and the outcome. */
export const ResultBundle = namedObject('ResultBundle', {
  format: z.literal('assay-result/1').describe('of this bundle'),
  service: z.string().describe('address of the service that evaluated'),
  task: z
    .object({
      slug: z.string().describe('in addresses'),
      name: z.string().describe('for people'),
    })
    .describe('what was to be done'),
  model: z
    .object({
      id: z.string().describe('in addresses'),
      name: z.string().describe('as its owner calls it'),
      owner: z.string().describe('name of the user who submitted it'),
      kind: ModelKind.describe('predictions: nothing ran, answers were uploaded'),
    })
    .describe('what was evaluated'),
  runSpecification: z
    .object({
      key: z.string().describe('sha256 of the RFC 8785 form of `content`'),
      content: z.record(z.string(), z.unknown()).describe('artifact, command, protocol, limits, runtime'),
    })
    .describe('what was run, and how'),
  metricVersions: z
    .record(z.string(), z.int())
    .describe('version of each definition: by metric, and `intervals` for intervals, draws and slices'),
  evaluations: z
    .array(
      z.object({
        dataset: z.string().describe('its name'),
        version: z.int().describe('number of the version'),
        round: z.int().optional().describe('number of the round that it is of'),
        perturbation: z.string().optional().describe('the examples are perturbed versions of those of the dataset'),
        datasetDigest: z
          .string()
          .describe(
            'sha256 of the dataset as it was put. While it is not public, this and the other digests are salted: `sha256-salted:` and sha256(salt ‖ bytes), or of the others sha256(salt ‖ digest)',
          ),
        commitment: z
          .string()
          .optional()
          .describe('of a public dataset: what stood for its digest before, `sha256-salted:…`'),
        salt: z.string().optional().describe('of a public dataset: the salt of its commitments'),
        inputsDigest: z.string().describe('sha256 over ids and inputs'),
        examples: z.int().describe('how many the model was asked about'),
        invalid: z.int().describe('bad answers that the task tolerated; they count as wrong'),
        predictionsDigest: z
          .string()
          .nullable()
          .describe('sha256 of the stored answers; null unless everybody may read them'),
        scoringKey: z.string().nullable().describe('names what the scores were computed with'),
        seed: z.string().describe('of the resampled intervals'),
        metrics: z.record(z.string(), Estimate).describe('by metric'),
        signatures: z.record(z.string(), z.string()).optional().describe('by metric of texts: how it compared them'),
        marks: z
          .array(z.enum(['own', 'contaminated', 'rounded']))
          .optional()
          .describe(
            'own: the dataset was collected against this model; contaminated: its data was public before the submission; rounded: the data is not public and the task rounds scores on it for everybody but its owner, so the scores here are rounded',
          ),
        slices: z.record(z.string(), z.record(z.string(), SliceResult)).describe('by field and value'),
        measures: Measures.partial().nullable().describe('what it cost; null where nothing ran'),
        hardware: z.string().nullable().describe('hardware class: CPU model, cpus, runtime'),
        finishedAt: z.iso.datetime().nullable().describe('when it was scored'),
        evaluators: OwnEvaluators.optional(),
        retiredKey: RetiredKeyMark.optional(),
      }),
    )
    .describe('one for each dataset version'),
});
export type ResultBundle = z.infer<typeof ResultBundle>;

export const Signature = namedObject('Signature', {
  algorithm: z.literal('Ed25519').describe('RFC 8032'),
  keyId: z.string().describe('first 16 digits of the sha256 of the public key (SPKI, DER)'),
  publicKey: z.string().describe('SPKI, PEM'),
  value: z.string().describe("base64, over the UTF-8 bytes of the result's RFC 8785 form"),
});
export type Signature = z.infer<typeof Signature>;

export const SignedResult = namedObject('SignedResult', {
  result: ResultBundle.describe('what is signed'),
  signature: Signature.describe('by the service'),
});
export type SignedResult = z.infer<typeof SignedResult>;

export const SigningKeyView = Signature.omit({ value: true })
  .extend({
    retired: z
      .array(
        z.object({
          keyId: z.string().describe('as that of the key'),
          publicKey: z.string().describe('SPKI, PEM'),
          retiredAt: z.iso.datetime().describe('since when it signs no more'),
        }),
      )
      .describe('keys that signed earlier results'),
  })
  .meta({ id: 'SigningKey' });
export type SigningKeyView = z.infer<typeof SigningKeyView>;

/** Returns the bytes to sign: the canonical JSON form of RFC 8785 (JCS), in UTF-8. */
export const signedBytes = (value: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(value));
