import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { type ResultBundle, signedBytes, type SignedResult } from '@assay/contracts/results';

/** The content of the run specification of `result`. */
export const content = { artifact: 'a'.repeat(64), kind: 'onnx', command: null };
export const result: ResultBundle = {
  format: 'assay-result/1',
  service: 'https://assay.example.org',
  task: { slug: 'nli', name: 'Natural language inference' },
  model: { id: '1', name: 'Große', owner: 'ada', kind: 'onnx' },
  runSpecification: { key: createHash('sha256').update(signedBytes(content)).digest('hex'), content },
  metricVersions: { accuracy: 1 },
  evaluations: [
    {
      dataset: 'round-1',
      version: 1,
      datasetDigest: 'd'.repeat(64),
      inputsDigest: 'e'.repeat(64),
      examples: 1000,
      invalid: 0,
      predictionsDigest: null,
      scoringKey: null,
      seed: 'd'.repeat(64),
      metrics: { accuracy: { value: 0.735, low: 0.7, high: 0.77 } },
      slices: {},
      measures: null,
      hardware: null,
      finishedAt: '2026-01-02T03:04:05.000Z',
    },
  ],
};

/** The default key pair for signatures. */
export const keys = generateKeyPairSync('ed25519');
export const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString();

/** Signs `value` as a service with these keys does. */
export function signed(value: unknown = result, { publicKey, privateKey } = keys): SignedResult {
  const keyId = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16);
  return {
    result: value as ResultBundle,
    signature: {
      algorithm: 'Ed25519',
      keyId,
      publicKey: pem(publicKey),
      value: sign(null, signedBytes(value), privateKey).toString('base64'),
    },
  };
}
