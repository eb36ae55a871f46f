import { OverviewService } from '@assay/collection/statistics';
import { OverviewView } from '@assay/contracts/annotating';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../routes.js';

@ApiTags('numbers')
@Controller('overview')
export class OverviewController {
  constructor(private readonly overviews: OverviewService) {}

  /** Returns an overview of all tasks: rounds, examples, vMER, and the leading model. */
  @Get()
  @Access({ cost: 'costly' })
  @ApiOkResponse({ standardSchema: OverviewView })
  async overview(): Promise<OverviewView> {
    return this.overviews.overview();
  }
}
