import { OverviewService } from '@assay/collection';
import { OverviewView } from '@assay/contracts';
import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access } from '../access.js';

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
