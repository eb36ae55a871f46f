import { EvaluatorList, QueueStates, RunningSandboxes, StorageReport } from '@assay/contracts/operations';
import { JobsUnavailable, queueBackend, queueStates, type QueueState } from '@assay/jobs';
import { DomainError } from '@assay/kernel';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, Administrator, type Principal } from '../routes.js';
import { Environment } from '../environment.js';
import { StorageReports } from './storage-report.js';
import { WorkUnderWay } from './work-under-way.js';

@ApiTags('administration')
@Controller('admin')
export class OperationController {
  private reading: Promise<QueueState[]> | null = null;

  constructor(
    private readonly work: WorkUnderWay,
    private readonly storageReports: StorageReports,
    private readonly environment: Environment,
  ) {}

  /** Returns the amount of queued work and how long it has waited. For administrators only. */
  @Get('queues')
  @ApiOkResponse({ standardSchema: QueueStates })
  async queues(@Administrator() _administrator: Principal): Promise<QueueStates> {
    const now = Date.now();
    const states = await this.readQueues();
    return {
      queues: states.map(({ oldestWaiting, ...state }) => ({
        ...state,
        oldestWaitingSeconds: oldestWaiting && Math.max(0, (now - oldestWaiting.getTime()) / 1000),
      })),
      ...(await this.work.queued()),
    };
  }

  /** Returns the evaluators and the work that each of them holds. For administrators only. */
  @Get('evaluators')
  @ApiOkResponse({ standardSchema: EvaluatorList })
  async evaluators(@Administrator() _administrator: Principal): Promise<EvaluatorList> {
    return this.work.evaluators();
  }

  /**
   * Returns the models that are running now, for an evaluation or as a deployment. For
   * administrators only.
   */
  @Get('sandboxes')
  @ApiOkResponse({ standardSchema: RunningSandboxes })
  async sandboxes(@Administrator() _administrator: Principal): Promise<RunningSandboxes> {
    return { items: await this.work.sandboxes() };
  }

  /** Returns the disk usage by kind of file, and the free space. For administrators only. */
  @Get('storage')
  @Access({ cost: 'costly' })
  @ApiOkResponse({ standardSchema: StorageReport })
  async storage(@Administrator() _administrator: Principal): Promise<StorageReport> {
    return this.storageReports.get(new Date());
  }

  /**
   * Reads the states of the queues. Concurrent requests share one read and the one connection that
   * it needs.
   * @throws DomainError `queue_unavailable`
   */
  private async readQueues(): Promise<QueueState[]> {
    const { redisUrl, databaseUrl } = this.environment;
    this.reading ??= queueStates(queueBackend(redisUrl, databaseUrl, 1)).finally(() => (this.reading = null));
    try {
      return await this.reading;
    } catch (error) {
      if (!(error instanceof JobsUnavailable)) throw error;
      throw new DomainError('unavailable', 'queue_unavailable', 'The queue does not answer. Try again in a moment.');
    }
  }
}
