import { SignedResult, SigningKeyView } from '@assay/contracts/results';
import { ModelsService } from '@assay/submissions';
import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Access, Id, MaybeUser, type Principal } from '../routes.js';
import { ModelExports } from './model-exports.service.js';
import { SignedResults } from './signed-results.service.js';

@ApiTags('exports')
@Controller()
export class ExportsController {
  constructor(
    private readonly models: ModelsService,
    private readonly exports: ModelExports,
    private readonly results: SignedResults,
  ) {}

  /**
   * Returns the results of a model as the `model-index` of a Hugging Face model card. It is YAML
   * for the head of the model's README.
   */
  @Get('models/:id/model-index')
  @Access({ cost: 'costly' })
  @Header('content-type', 'application/yaml; charset=utf-8')
  @ApiProduces('application/yaml')
  @ApiOkResponse({ schema: { type: 'string' } })
  async modelIndex(@MaybeUser() principal: Principal | null, @Param('id', { schema: Id }) id: string): Promise<string> {
    return this.exports.modelIndex(await this.models.getVisible(principal, id));
  }

  /**
   * Returns the signed results of a model. They state what was run, on which data and with which
   * definitions, and the results, signed with the service's Ed25519 key. `assay verify FILE`
   * verifies them offline.
   */
  @Get('models/:id/result')
  @Access({ cost: 'costly' })
  @ApiOkResponse({ standardSchema: SignedResult })
  async result(
    @MaybeUser() principal: Principal | null,
    @Param('id', { schema: Id }) id: string,
  ): Promise<SignedResult> {
    const model = await this.models.getVisible(principal, id);
    return this.results.get(model.id);
  }

  /** Returns the public key that results are signed with, and the keys of earlier results. */
  @Get('signing-key')
  @ApiOkResponse({ standardSchema: SigningKeyView })
  async signingKey(): Promise<SigningKeyView> {
    return this.results.signingKey();
  }
}
