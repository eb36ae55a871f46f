import { personalRows } from '@assay/persistence';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { PERSONAL_DATA } from './personal-data.js';

/**
 * Exports everything that is stored about a person as one JSON object, in chunks of text. Memory
 * use does not depend on the amount of data.
 */
@Injectable()
export class ExportAccount {
  constructor(private readonly em: EntityManager) {}

  async *execute(userId: string, at: Date): AsyncGenerator<string> {
    const em = this.em.fork();
    yield `{"exportedAt":${JSON.stringify(at.toISOString())}`;
    for (const { objects = {}, lists = {} } of PERSONAL_DATA) {
      for (const [name, select] of Object.entries(objects)) {
        const { value } = await personalRows(em, select, userId).next();
        yield `,"${name}":${JSON.stringify(value ?? null)}`;
      }
      for (const [name, select] of Object.entries(lists)) {
        yield `,"${name}":[`;
        let separator = '';
        for await (const row of personalRows(em, select, userId)) {
          yield separator + JSON.stringify(row);
          separator = ',';
        }
        yield ']';
      }
    }
    yield '}\n';
  }
}
