import { EvaluatorRegistration, PresenceReported, ReportPresence } from '@assay/contracts/evaluators';
import type { TokenHolder } from '@assay/evaluation/evaluators';
import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentEvaluator } from '../routes.js';
import { EvaluatorGateway } from './evaluator-gateway.service.js';

/** The routes that evaluators use, with their own tokens. */
@ApiTags('evaluator gateway')
@Controller('evaluator')
export class EvaluatorGatewayController {
  constructor(private readonly gateway: EvaluatorGateway) {}

  /** Returns the registration of the evaluator that asks, and the supported versions of the protocol. */
  @Get()
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiOkResponse({ standardSchema: EvaluatorRegistration })
  show(@CurrentEvaluator() evaluator: TokenHolder): EvaluatorRegistration {
    return this.gateway.registration(evaluator);
  }

  /**
   * Reports that the evaluator is running, on which machine and in which version. An evaluator counts as
   * online for 60 seconds after a report. A report with a version of the protocol that the service does
   * not support is recorded, and refused with the code `protocol_unsupported`.
   */
  @Put('presence')
  @Access({ evaluator: true, cost: 'evaluator' })
  @ApiOkResponse({ standardSchema: PresenceReported })
  async reportPresence(
    @CurrentEvaluator() evaluator: TokenHolder,
    @Body({ schema: ReportPresence }) report: ReportPresence,
  ): Promise<PresenceReported> {
    return this.gateway.reportPresence(evaluator, report);
  }
}
