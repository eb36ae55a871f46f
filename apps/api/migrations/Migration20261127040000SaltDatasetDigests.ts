import { Migration } from '@mikro-orm/migrations';

export class Migration20261127040000SaltDatasetDigests extends Migration {
  override name = 'Migration20261127040000SaltDatasetDigests';

  override up(): void | Promise<void> {
    this.addSql(`alter table "dataset_version" add "salt" varchar(64) null, add "commitment" varchar(64) null;`);
    // PostgreSQL draws these from the same source as its passwords: 244 random bits
    this.addSql(
      `update "dataset_version" set "salt" = replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '');`,
    );
    // the bytes as they were put are not stored: it commits to their digest
    this.addSql(
      `update "dataset_version" set "commitment" = encode(sha256(decode("salt", 'hex') || decode("digest", 'hex')), 'hex');`,
    );
    this.addSql(
      `alter table "dataset_version" alter column "salt" set not null, alter column "commitment" set not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "dataset_version" drop column "salt", drop column "commitment";`);
  }
}
