import { Health, Readiness, ReadinessQuery } from '@assay/contracts/operations';
import { DomainError } from '@assay/kernel';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ApiQueries } from '../routes.js';
import { partsOf, ReadinessChecks } from './readiness.js';

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(private readonly checks: ReadinessChecks) {}

  /** Checks that the process responds. */
  @Get('live')
  @ApiOkResponse({ standardSchema: Health })
  live(): Health {
    return { status: 'ok' };
  }

  /**
   * Checks that the service can do its work. If it cannot, the response is 503, and its `errors`
   * name each part that is not ready in `path`.
   */
  @Get('ready')
  @ApiQueries(ReadinessQuery)
  @ApiOkResponse({ standardSchema: Readiness })
  async ready(@Query({ schema: ReadinessQuery }) { of }: ReadinessQuery): Promise<Readiness> {
    const problems = await this.checks.problems(of);
    if (problems.length === 0) return { status: 'ok', parts: [...partsOf(of)] };
    const names = problems.map(({ path }) => path).join(', ');
    throw new DomainError('unavailable', 'not_ready', `Not ready: ${names}.`, problems);
  }
}
