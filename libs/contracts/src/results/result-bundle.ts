import { canonicalJson } from '@assay/kernel';
import { z } from 'zod';
import { Estimate, Measures, SliceResult } from '../metrics/metric.js';
import { ModelKind } from '../models/model.js';
import { RetiredKeyMark } from './retired-key.js';

/** A self-contained result: what was run, on what data, with which definitions, and the outcome. */
export const ResultBundle = z
  .object({
    format: z.literal('assay-result/1').meta({ description: 'of this bundle' }),
    service: z.string().meta({ description: 'address of the service that evaluated' }),
    task: z
      .object({
        slug: z.string().meta({ description: 'in addresses' }),
        name: z.string().meta({ description: 'for people' }),
      })
      .meta({ description: 'what was to be done' }),
    model: z
      .object({
        id: z.string().meta({ description: 'in addresses' }),
        name: z.string().meta({ description: 'as its owner calls it' }),
        owner: z.string().meta({ description: 'name of the user who submitted it' }),
        kind: ModelKind.meta({ description: 'predictions: nothing ran, answers were uploaded' }),
      })
      .meta({ description: 'what was evaluated' }),
    runSpecification: z
      .object({
        key: z.string().meta({ description: 'sha256 of the RFC 8785 form of `content`' }),
        content: z
          .record(z.string(), z.unknown())
          .meta({ description: 'artifact, command, protocol, limits, runtime' }),
      })
      .meta({ description: 'what was run, and how' }),
    metricVersions: z.record(z.string(), z.int()).meta({ description: 'by metric, the version of its definition' }),
    evaluations: z
      .array(
        z.object({
          dataset: z.string().meta({ description: 'its name' }),
          version: z.int().meta({ description: 'number of the version' }),
          round: z.int().optional().meta({ description: 'number of the round that it is of' }),
          perturbation: z
            .string()
            .optional()
            .meta({ description: 'the examples are perturbed versions of those of the dataset' }),
          datasetDigest: z.string().meta({
            description:
              'sha256 of the dataset as it was put. While it is not public, this and the other digests are salted: `sha256-salted:` and sha256(salt ‖ bytes), or of the others sha256(salt ‖ digest)',
          }),
          commitment: z
            .string()
            .optional()
            .meta({ description: 'of a public dataset: what stood for its digest before, `sha256-salted:…`' }),
          salt: z.string().optional().meta({ description: 'of a public dataset: the salt of its commitments' }),
          inputsDigest: z.string().meta({ description: 'sha256 over ids and inputs' }),
          examples: z.int().meta({ description: 'how many the model was asked about' }),
          invalid: z.int().meta({ description: 'bad answers that the task tolerated; they count as wrong' }),
          predictionsDigest: z
            .string()
            .nullable()
            .meta({ description: 'sha256 of the stored answers; null unless everybody may read them' }),
          scoringKey: z.string().nullable().meta({ description: 'names what the scores were computed with' }),
          seed: z.string().meta({ description: 'of the resampled intervals' }),
          metrics: z.record(z.string(), Estimate).meta({ description: 'by metric' }),
          marks: z
            .array(z.enum(['own', 'contaminated']))
            .optional()
            .meta({
              description:
                'own: the dataset was collected against this model; contaminated: its data was public before the submission',
            }),
          slices: z.record(z.string(), z.record(z.string(), SliceResult)).meta({ description: 'by field and value' }),
          measures: Measures.partial().nullable().meta({ description: 'what it cost; null where nothing ran' }),
          hardware: z.string().nullable().meta({ description: 'hardware class: CPU model, cpus, runtime' }),
          finishedAt: z.iso.datetime().nullable().meta({ description: 'when it was scored' }),
          retiredKey: RetiredKeyMark.optional(),
        }),
      )
      .meta({ description: 'one for each dataset version' }),
  })
  .meta({ id: 'ResultBundle' });
export type ResultBundle = z.infer<typeof ResultBundle>;

export const Signature = z
  .object({
    algorithm: z.literal('Ed25519').meta({ description: 'RFC 8032' }),
    keyId: z.string().meta({ description: 'first 16 digits of the sha256 of the public key (SPKI, DER)' }),
    publicKey: z.string().meta({ description: 'SPKI, PEM' }),
    value: z.string().meta({ description: "base64, over the UTF-8 bytes of the result's RFC 8785 form" }),
  })
  .meta({ id: 'Signature' });
export type Signature = z.infer<typeof Signature>;

export const SignedResult = z
  .object({
    result: ResultBundle.meta({ description: 'what is signed' }),
    signature: Signature.meta({ description: 'by the service' }),
  })
  .meta({ id: 'SignedResult' });
export type SignedResult = z.infer<typeof SignedResult>;

export const SigningKeyView = Signature.omit({ value: true })
  .extend({
    retired: z
      .array(
        z.object({
          keyId: z.string().meta({ description: 'as that of the key' }),
          publicKey: z.string().meta({ description: 'SPKI, PEM' }),
          retiredAt: z.iso.datetime().meta({ description: 'since when it signs no more' }),
        }),
      )
      .meta({ description: 'keys that signed earlier results' }),
  })
  .meta({ id: 'SigningKey' });
export type SigningKeyView = z.infer<typeof SigningKeyView>;

/** Returns the bytes to sign: the canonical JSON form of RFC 8785 (JCS), in UTF-8. */
export const signedBytes = (value: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(value));
