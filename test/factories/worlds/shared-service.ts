import { randomBytes } from 'node:crypto';
import { type ServiceAddress, ServiceClient } from './service-client.js';

/**
 * Returns the service that all e2e specs of this Jest run share: API, evaluator and database, with
 * the processes from the build. The first spec that asks starts it, which takes about 6 s; the
 * others receive its address. It ends with the Jest run. `scripts/test` runs one Jest per lane, so
 * each lane has its own service, and so does a spec that runs alone.
 *
 * Rules for a spec that uses it:
 * - Use your own tasks and users, with slugs and names that no other spec has (a taken name is
 *   rejected). Submit models as `service.builder` unless the test needs another owner. Read only
 *   rows of your own tasks.
 * - Never stop, kill or reconfigure a process, and never change global state (settings, the
 *   administrator). A spec that has to do so starts its own `ServiceWorld`.
 * - Leave nothing running: no open round with target models, no endless upload.
 */
export async function sharedService(): Promise<ServiceClient> {
  const supervisor = process.env['ASSAY_TEST_SUPERVISOR'];
  if (!supervisor) throw new Error('There is no shared service: only the tier e2e has one (jest.config.mjs).');
  const answer = await fetch(supervisor);
  if (!answer.ok) throw new Error(`The shared service did not start: ${await answer.text()}`);
  return new ServiceClient((await answer.json()) as ServiceAddress, `ada-${randomBytes(4).toString('hex')}`);
}
