import { z } from 'zod';
import { namedObject } from '../named-object.js';

export const Health = namedObject('Health', { status: z.literal('ok') });
export type Health = z.infer<typeof Health>;

/** The components that the service needs, those of the API first. */
export const SERVICE_PARTS = [
  'database',
  'migrations',
  'blobs',
  'queue',
  'workers',
  'evaluators',
  'docker',
  'outbox',
] as const;
export type ServicePart = (typeof SERVICE_PARTS)[number];

/** The components that the API needs to answer any request. */
export const API_PARTS: readonly ServicePart[] = ['database', 'migrations', 'blobs'];

export const ReadinessQuery = z.strictObject({
  of: z
    .enum(['service', 'api'])
    .default('service')
    .describe('service: all that evaluating needs; api: only what answering requests needs, for a load balancer'),
});
export type ReadinessQuery = z.infer<typeof ReadinessQuery>;

export const Readiness = namedObject('Readiness', {
  status: z.literal('ok'),
  parts: z.array(z.enum(SERVICE_PARTS)).describe('the parts that were checked and are ready'),
});
export type Readiness = z.infer<typeof Readiness>;
