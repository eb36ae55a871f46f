import { ConsentsService } from '@assay/collection/people';
import { ConsentView, GiveConsent } from '@assay/contracts/people';
import { TasksService } from '@assay/tasks';
import { Body, Controller, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, CurrentUser, MaybeUser, type Principal } from '../routes.js';

@ApiTags('people')
@Controller('tasks/:slug/consent')
export class ConsentController {
  constructor(
    private readonly tasks: TasksService,
    private readonly consents: ConsentsService,
  ) {}

  /**
   * Returns the terms of a task, and whether you have agreed to them. The terms are the consent,
   * the licence, the age and the content warning.
   */
  @Get()
  @Access({ crowd: { own: 'task', state: 'any' } })
  @ApiOkResponse({ standardSchema: ConsentView })
  async asked(@MaybeUser() principal: Principal | null, @Param('slug') slug: string): Promise<ConsentView> {
    return this.consents.view(await this.tasks.get(slug), principal?.userId ?? null);
  }

  /**
   * Agrees to the current terms of a task, in the versions that you have read. You have to agree
   * again to a new version.
   */
  @Post()
  @Access({ crowd: { own: 'task', state: 'any' } })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: ConsentView })
  async agree(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: GiveConsent }) body: GiveConsent,
  ): Promise<ConsentView> {
    return this.consents.give(await this.tasks.get(slug), principal.userId, body);
  }
}
