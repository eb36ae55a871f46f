import { SearchQuery, SearchResults } from '@assay/contracts';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Access, ApiQueries, MaybeUser, type Principal } from '../routes.js';
import { SearchRepository } from './search.repository.js';

@ApiTags('search')
@Controller('search')
export class SearchController {
  constructor(private readonly search: SearchRepository) {}

  /**
   * Finds tasks, models and people by a part of their names, best match first. Names that start
   * with the text come before names that only contain it.
   */
  @Get()
  @Access({ cost: 'costly' })
  @ApiQueries(SearchQuery)
  @ApiOkResponse({ standardSchema: SearchResults })
  async find(
    @MaybeUser() principal: Principal | null,
    @Query({ schema: SearchQuery }) { q, limit }: SearchQuery,
  ): Promise<SearchResults> {
    return this.search.find(principal, q, limit);
  }
}
