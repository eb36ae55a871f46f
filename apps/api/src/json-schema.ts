import { z } from 'zod';

/** The JSON Schema of what may be sent, as an object of its own even where the schema has a name. */
export function jsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const document = z.toJSONSchema(schema, { io: 'input' });
  const name = /^#\/\$defs\/(.+)$/.exec(document.$ref ?? '')?.[1];
  return (name === undefined ? undefined : document.$defs?.[name]) ?? document;
}

/** The same with all that it refers to, for who has nothing else. */
export function wholeJsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema, $defs } = z.toJSONSchema(schema, { io: 'input' });
  return { ...($schema !== undefined && { $schema }), ...jsonSchema(schema), ...($defs && { $defs }) };
}
