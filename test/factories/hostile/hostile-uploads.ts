import type { Rng } from '@assay/kernel';
import type { HostileRequest } from './hostile-requests.js';

const METHODS = ['POST', 'POST', 'HEAD', 'PATCH', 'PATCH', 'DELETE', 'OPTIONS', 'GET', 'PUT'];
const LENGTHS = ['3', '0', '-1', '1000000000', 'NaN', '9007199254740992', '1e3', '0x10', '3, 4', '', ' '];
const OFFSETS = ['0', '0', '3', '-1', '9007199254740992', 'NaN', ''];
const METADATA = [
  'digest',
  'digest !!!',
  `digest ${Buffer.from('00').toString('base64')}`,
  `filename ${Buffer.from('a\0b').toString('base64')}`,
  '__proto__ YQ==',
  'constructor YQ==',
  'a b c',
  ',',
  ', ,',
  'a YQ==,a YQ==',
  'x'.repeat(4000),
];

/**
 * Returns a nearly correct request of the tus protocol.
 * @param addresses The paths of uploads below `/api/v1`.
 */
export function hostileUpload(addresses: readonly string[], rng: Rng): HostileRequest {
  const pick = <T>(from: readonly T[]): T => from[rng.below(from.length)]!;
  const maybe = (name: string, probability: number, from: readonly string[]): Record<string, string> =>
    rng.next() < probability ? { [name]: pick(from) } : {};
  const method = pick(METHODS);
  const types = ['application/offset+octet-stream', 'application/offset+octet-stream', 'application/json', 'text/csv'];
  return {
    method,
    path: pick(addresses),
    headers: {
      ...maybe('tus-resumable', 0.95, ['1.0.0', '1.0.0', '1.0.0', '1.0.0', '0.2.2', 'one']),
      ...maybe('upload-length', method === 'POST' ? 0.9 : 0.2, LENGTHS),
      ...maybe('upload-offset', method === 'PATCH' ? 0.9 : 0.1, OFFSETS),
      ...maybe('upload-metadata', 0.3, METADATA),
      ...maybe('upload-defer-length', 0.1, ['1', '2', 'x']),
      ...maybe('upload-concat', 0.1, ['partial', 'final;/a /b', 'none']),
      ...maybe('x-http-method-override', 0.1, ['PATCH', 'DELETE', 'TRACE', 'none']),
      ...maybe('content-type', method === 'PATCH' ? 0.95 : 0.1, types),
    },
    ...(method !== 'GET' &&
      method !== 'HEAD' &&
      rng.next() < 0.6 && { body: pick(['abc', '', 'abcdefgh', '{"a":1}']) }),
  };
}
