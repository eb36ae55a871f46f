import { z } from 'zod';

/**
 * Returns the JSON Schema of the input of a schema: the object itself, not a reference, even if the
 * schema has a name.
 */
export function jsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const document = z.toJSONSchema(schema, { io: 'input' });
  const name = /^#\/\$defs\/(.+)$/.exec(document.$ref ?? '')?.[1];
  return (name === undefined ? undefined : document.$defs?.[name]) ?? document;
}

/**
 * Like `jsonSchema`, with all definitions that the schema refers to, for readers that have no other
 * document.
 */
export function wholeJsonSchema(schema: z.ZodType): z.core.JSONSchema.BaseSchema {
  const { $schema, $defs } = z.toJSONSchema(schema, { io: 'input' });
  return { ...($schema !== undefined && { $schema }), ...jsonSchema(schema), ...($defs && { $defs }) };
}
