import { Readable } from 'node:stream';
import { RunFence } from '@assay/contracts/gateway';
import { DeploymentOffer, DeploymentOutcome, ReportDeployment, RequestDeployment } from '@assay/contracts/serving';
import type { TokenHolder } from '@assay/evaluation/evaluators';
import {
  Body,
  Controller,
  Get,
  HttpCode,
  HttpStatus,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Access, ApiQueries, CurrentEvaluator, Id } from '../routes.js';
import { DeploymentLeases } from './deployment-leases.service.js';
import { HeldDeployments } from './held-deployments.service.js';
import { abortedWhenClosed, JSON_LINES, sendArtifact } from './streams.js';

/**
 * The routes about the target models that evaluators serve. Each request about a deployment names the
 * fence of the lease. After the lease is lost, all of them are refused with the code `lease_lost` and
 * change nothing. The questions of people come on the WebSocket `/api/v1/evaluator/live`.
 */
@ApiTags('evaluator gateway')
@Controller('evaluator/deployments')
export class HeldDeploymentsController {
  constructor(
    private readonly leases: DeploymentLeases,
    private readonly deployments: HeldDeployments,
  ) {}

  /**
   * Leases the next target model that the evaluator can serve. If none is wanted, waits up to
   * `waitSeconds` for one. Report its state before `leaseSeconds` are over.
   */
  @Post('leases')
  @HttpCode(HttpStatus.OK)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiOkResponse({ standardSchema: DeploymentOffer })
  async lease(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Body({ schema: RequestDeployment }) body: RequestDeployment,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<DeploymentOffer> {
    return this.leases.lease(evaluator, body, abortedWhenClosed(reply));
  }

  /** Reports the state of a target model, and extends its lease. */
  @Put(':deployment/state')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiNoContentResponse()
  async report(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('deployment', { schema: Id }) deployment: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Body({ schema: ReportDeployment }) report: ReportDeployment,
  ): Promise<void> {
    await this.deployments.report({ evaluator, deployment, fence }, report);
  }

  /** Returns the artifact as it was uploaded. A range of bytes from a position to the end can be requested. */
  @Get(':deployment/artifact')
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiProduces('application/octet-stream')
  @ApiOkResponse({ schema: { type: 'string', format: 'binary' } })
  async artifact(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('deployment', { schema: Id }) deployment: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<StreamableFile> {
    const { path, size } = await this.deployments.artifact({ evaluator, deployment, fence });
    return sendArtifact(path, size, request, reply);
  }

  /** Returns the instances that warm the model up before people ask it, as JSON Lines. */
  @Get(':deployment/warm-up')
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiProduces(JSON_LINES)
  @ApiOkResponse({ schema: { type: 'string' } })
  async warmUp(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('deployment', { schema: Id }) deployment: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
  ): Promise<StreamableFile> {
    const instances = await this.deployments.warmUp({ evaluator, deployment, fence });
    const lines = instances.map((instance) => `${instance}\n`);
    return new StreamableFile(Readable.from(lines, { objectMode: false }), { type: JSON_LINES });
  }

  /** Reports how the lease of a target model ended on this evaluator. */
  @Post(':deployment/outcome')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiQueries(RunFence)
  @ApiNoContentResponse()
  async end(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Param('deployment', { schema: Id }) deployment: string,
    @Query({ schema: RunFence }) { fence }: RunFence,
    @Body({ schema: DeploymentOutcome }) outcome: DeploymentOutcome,
  ): Promise<void> {
    await this.deployments.end({ evaluator, deployment, fence }, outcome);
  }
}
