import { canonicalJson } from '@assay/kernel';
import { z } from 'zod';
import { Estimate, Measures, SliceResult } from './metric.js';
import { ModelKind } from './model.js';

/** A result that stands for itself: what was run, on what, with which definitions, and what came out. */
export const ResultBundle = z
  .object({
    format: z.literal('assay-result/1'),
    service: z.string().meta({ description: 'address of the service that evaluated' }),
    task: z.object({ slug: z.string(), name: z.string() }),
    model: z.object({ id: z.string(), name: z.string(), owner: z.string(), kind: ModelKind }),
    runSpecification: z.object({
      key: z.string().meta({ description: 'sha256 of the RFC 8785 form of `content`' }),
      content: z.record(z.string(), z.unknown()),
    }),
    metricVersions: z.record(z.string(), z.int()),
    evaluations: z.array(
      z.object({
        dataset: z.string(),
        version: z.int(),
        round: z.int().optional(),
        perturbation: z.string().optional(),
        datasetDigest: z.string().meta({ description: 'sha256 of the dataset as it was put' }),
        inputsDigest: z.string().meta({ description: 'sha256 over ids and inputs' }),
        examples: z.int(),
        invalid: z.int(),
        predictionsDigest: z.string().nullable(),
        scoringKey: z.string().nullable().meta({ description: 'names what the scores were computed with' }),
        seed: z.string().meta({ description: 'of the resampled intervals' }),
        metrics: z.record(z.string(), Estimate),
        slices: z.record(z.string(), z.record(z.string(), SliceResult)),
        measures: Measures.partial().nullable(),
        hardware: z.string().nullable().meta({ description: 'hardware class: CPU model, cpus, runtime' }),
        finishedAt: z.iso.datetime().nullable(),
      }),
    ),
  })
  .meta({ id: 'ResultBundle' });
export type ResultBundle = z.infer<typeof ResultBundle>;

export const Signature = z
  .object({
    algorithm: z.literal('Ed25519'),
    keyId: z.string().meta({ description: 'first 16 digits of the sha256 of the public key (SPKI, DER)' }),
    publicKey: z.string().meta({ description: 'SPKI, PEM' }),
    value: z.string().meta({ description: "base64, over the UTF-8 bytes of the result's RFC 8785 form" }),
  })
  .meta({ id: 'Signature' });
export type Signature = z.infer<typeof Signature>;

export const SignedResult = z.object({ result: ResultBundle, signature: Signature }).meta({ id: 'SignedResult' });
export type SignedResult = z.infer<typeof SignedResult>;

export const SigningKeyView = Signature.omit({ value: true }).meta({ id: 'SigningKey' });
export type SigningKeyView = z.infer<typeof SigningKeyView>;

/** The bytes that are signed: the one form of a JSON value that RFC 8785 (JCS) defines, in UTF-8. */
export const signedBytes = (value: unknown): Uint8Array => new TextEncoder().encode(canonicalJson(value));
