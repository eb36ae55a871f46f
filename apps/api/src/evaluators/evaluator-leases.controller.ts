import { LeaseOffer, LeasesExpired, QueueView, RequestLease } from '@assay/contracts/gateway';
import type { TokenHolder } from '@assay/evaluation/evaluators';
import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, CurrentEvaluator } from '../routes.js';
import { EvaluatorLeases } from './evaluator-leases.service.js';
import { abortedWhenClosed } from './streams.js';

/** The routes on which evaluators ask for work. */
@ApiTags('evaluator gateway')
@Controller('evaluator')
export class EvaluatorLeasesController {
  constructor(private readonly leases: EvaluatorLeases) {}

  /**
   * Leases the next run that the evaluator can run. If none is queued, waits up to `waitSeconds` for
   * one. An evaluator for the tasks of everyone gets all runs. An owner's evaluator gets the runs of
   * models on the owner's own tasks: of the owner's own models, and of those submitted with
   * `allowForeignEvaluators`. The next run is not leased while it needs more than the evaluator has `free`,
   * and no other run is leased instead. Renew the lease before `leaseSeconds` are over.
   */
  @Post('leases')
  @HttpCode(HttpStatus.OK)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiOkResponse({ standardSchema: LeaseOffer })
  async lease(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Body({ schema: RequestLease }) body: RequestLease,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LeaseOffer> {
    return this.leases.lease(evaluator, body, abortedWhenClosed(reply));
  }

  /**
   * Expires all leases of the evaluator, so that its runs and target models return to the queue. An evaluator that starts
   * sends this first, because it may have crashed before.
   */
  @Delete('leases')
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiOkResponse({ standardSchema: LeasesExpired })
  async expire(@CurrentEvaluator() evaluator: TokenHolder): Promise<LeasesExpired> {
    return { expired: await this.leases.expire(evaluator) };
  }

  /** Returns what waits for evaluators. */
  @Get('queue')
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiOkResponse({ standardSchema: QueueView })
  async queue(): Promise<QueueView> {
    return { evaluationsWait: await this.leases.evaluationsWait() };
  }
}
