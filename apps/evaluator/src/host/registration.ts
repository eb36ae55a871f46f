import { EvaluatorRegistration } from '@assay/contracts/evaluators';
import { LeasesExpired } from '@assay/contracts/gateway';
import { Logger } from '@nestjs/common';
import { ChangedWarnings } from '../gateway/changed-warnings.js';
import type { ServiceClient } from '../gateway/service-client.js';
import { untilAccepted } from '../gateway/until-accepted.js';
import type { HostStart } from './model-host.js';
import type { PresenceReports } from './presence-reports.js';

/** The requests of an evaluator at its start. They wait until the service accepts them. */
export class Registration implements HostStart {
  private readonly warnings = new ChangedWarnings(new Logger(Registration.name));
  private readonly signal = new AbortController().signal;

  constructor(
    private readonly client: ServiceClient,
    private readonly reports: PresenceReports,
  ) {}

  /** Returns the name of this evaluator on its host. */
  async instance(): Promise<string> {
    const read = () => this.client.request({ method: 'GET', path: '' }, EvaluatorRegistration, this.signal);
    return (await untilAccepted(read, this.warnings, this.signal)).name;
  }

  /** Expires the leases of a crashed predecessor. Returns the number of runs and deployments that return to the queue. */
  async expirePredecessors(): Promise<number> {
    const expire = () => this.client.request({ method: 'DELETE', path: '/leases' }, LeasesExpired, this.signal);
    return (await untilAccepted(expire, this.warnings, this.signal)).expired;
  }

  /** Reports why this host cannot run models yet. */
  async reportProblem(problem: string): Promise<void> {
    try {
      await this.reports.send({ problem, runtimes: [], neighbours: [] }, this.signal);
    } catch (error) {
      this.warnings.warn((error as Error).message);
    }
  }
}
