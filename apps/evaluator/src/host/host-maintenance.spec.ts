import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { until } from '../../../../test/factories/until.js';
import type { LeasedRuns } from '../gateway/leased-runs.js';
import type { DeploymentHost } from '../serving/deployment-host.js';
import { HostMaintenance } from './host-maintenance.js';
import type { ModelHost } from './model-host.js';
import type { PresenceReports } from './presence-reports.js';

describe('the maintenance of a host', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn');
  beforeEach(() => void warn.mockReset().mockImplementation(() => undefined));
  afterEach(() => void warn.mockReset());

  /** Returns what it logs during two reports. */
  async function warnings(runtimes: readonly string[]): Promise<readonly unknown[]> {
    let reports = 0;
    const nothing = { live: new Set<string>(), start: () => undefined, leave: () => Promise.resolve() };
    const driver = { neighbours: () => Promise.resolve([]), sweep: () => Promise.resolve(0) };
    const maintenance = new HostMaintenance(
      { send: () => Promise.resolve({ gone: [], reportSeconds: 0.01, at: ++reports }) } as unknown as PresenceReports,
      nothing as unknown as LeasedRuns,
      nothing as unknown as DeploymentHost,
      {
        driver,
        probe: () => Promise.resolve(runtimes),
        close: () => Promise.resolve(),
      } as unknown as ModelHost,
    );
    await maintenance.onApplicationBootstrap();
    await until(() => reports >= 2);
    await maintenance.onModuleDestroy();
    await maintenance.beforeApplicationShutdown();
    return warn.mock.calls.map(([message]) => message as unknown);
  }

  it('warns once if the engine has no gVisor', async () => {
    expect(await warnings(['runc'])).toEqual([expect.stringContaining('no runtime runsc (gVisor)')]);
  });

  it('warns of nothing if it has', async () => {
    expect(await warnings(['runc', 'runsc'])).toEqual([]);
  });
});
