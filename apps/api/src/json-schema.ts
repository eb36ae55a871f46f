import { z } from 'zod';

/** The JSON Schema of what may be sent, as an object of its own even where the schema has a name. */
export function jsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const document = z.toJSONSchema(schema, { io: 'input' });
  const name = /^#\/\$defs\/(.+)$/.exec(document.$ref ?? '')?.[1];
  return (name === undefined ? undefined : document.$defs?.[name]) ?? document;
}
