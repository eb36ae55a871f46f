import { RegisterEvaluator as RegisterEvaluatorUseCase, RemoveEvaluator } from '@assay/application/evaluators';
import { EvaluatorRegistered, RegisteredEvaluators, RegisterEvaluator } from '@assay/contracts/evaluators';
import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentUser, Id, type Principal } from '../routes.js';
import { EvaluatorGateway } from './evaluator-gateway.service.js';

@ApiTags('evaluators')
@Controller('evaluators')
export class EvaluatorsController {
  constructor(
    private readonly registerEvaluator: RegisterEvaluatorUseCase,
    private readonly removeEvaluator: RemoveEvaluator,
    private readonly gateway: EvaluatorGateway,
  ) {}

  /**
   * Registers an evaluator. The response contains its token, which is shown only once. Administrators
   * register evaluators for the tasks of everyone, and owners of tasks register at most 20 for their own.
   */
  @Post()
  @ApiCreatedResponse({ standardSchema: EvaluatorRegistered })
  async register(
    @CurrentUser() principal: Principal,
    @Body({ schema: RegisterEvaluator }) body: RegisterEvaluator,
  ): Promise<EvaluatorRegistered> {
    return this.registerEvaluator.execute(principal, body);
  }

  /**
   * Returns the registered evaluators, and those that were removed lately or whose token is still used: all of
   * them to administrators, your own to others.
   */
  @Get()
  @ApiOkResponse({ standardSchema: RegisteredEvaluators })
  async list(@CurrentUser() principal: Principal): Promise<RegisteredEvaluators> {
    return this.gateway.list(principal);
  }

  /** Removes an evaluator. Its token stops working immediately. */
  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiNoContentResponse()
  async remove(@CurrentUser() principal: Principal, @Param('id', { schema: Id }) id: string): Promise<void> {
    await this.removeEvaluator.execute(principal, id);
  }
}
