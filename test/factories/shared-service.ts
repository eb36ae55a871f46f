import { randomBytes } from 'node:crypto';
import { type ServiceAddress, ServiceClient } from './service-client.js';

/**
 * Returns the service that all e2e specs of this Jest run share: API, evaluator and database as processes from the build. The first
 * spec that asks starts it (about 6 s), the others get its address; it ends with the Jest run. `scripts/test` runs one Jest per lane,
 * so each lane has one service; a spec that is run alone has its own.
 *
 * Rules for a spec that uses it:
 * - it has its own tasks and users: slugs and names that no other spec has (a name that is taken is refused), `service.builder` for
 *   models unless it names an owner, and it reads only rows of its own tasks;
 * - it never stops, kills or reconfigures a process, and never changes what belongs to the whole service (settings, the administrator);
 *   a spec that does starts its own `ServiceWorld`;
 * - it leaves nothing that works on: no open round with models in the loop, no endless upload.
 */
export async function sharedService(): Promise<ServiceClient> {
  const supervisor = process.env['ASSAY_TEST_SUPERVISOR'];
  if (!supervisor) throw new Error('There is no shared service: only the tier e2e has one (jest.config.mjs).');
  const answer = await fetch(supervisor);
  if (!answer.ok) throw new Error(`The shared service did not start: ${await answer.text()}`);
  return new ServiceClient((await answer.json()) as ServiceAddress, `ada-${randomBytes(4).toString('hex')}`);
}
