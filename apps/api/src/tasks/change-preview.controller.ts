import { ChangeTask } from '@assay/application';
import { TaskChangePreview } from '@assay/contracts/datasets';
import type { Principal } from '@assay/identity';
import { Body, Controller, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.js';
import { CurrentUser } from '../auth/principal.guard.js';
import { TaskChange } from './task-change.js';

@ApiTags('tasks')
@Controller('tasks/:slug/preview')
export class ChangePreviewController {
  constructor(private readonly changeTask: ChangeTask) {}

  /**
   * Returns what `PATCH /tasks/{slug}` with the same body would change. The preview shows the
   * effects on the loop and on the board, with its first models and their ranks, and what would be
   * scored again. Only the owner of the task can request it, and nothing is saved.
   */
  @Post()
  @Access({ cost: 'costly', scope: 'read' })
  @HttpCode(HttpStatus.OK)
  @ApiOkResponse({ standardSchema: TaskChangePreview })
  async preview(
    @CurrentUser() principal: Principal,
    @Param('slug') slug: string,
    @Body({ schema: TaskChange }) body: Record<string, unknown>,
  ): Promise<TaskChangePreview> {
    return this.changeTask.preview(principal, slug, body);
  }
}
