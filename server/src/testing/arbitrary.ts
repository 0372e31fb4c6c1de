import * as fc from 'fast-check'
import * as z from 'zod'

/*
 * Generates bodies, queries and headers from the contract's schemas: mostly valid, often slightly wrong, sometimes
 * hostile. They depend only on the schema, so new calls are fuzzed without extra work.
 */

/** The supported part of JSON Schema. */
export interface JsonSchema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  format?: string
}

/** Strings that have broken servers before. */
export const hostileTexts = [
  '',
  ' ',
  '\u0000',
  '\uD800',
  '../../../etc/passwd',
  "' or 1=1 --",
  '%',
  '_%',
  '\\',
  '"',
  '{}',
  '[]',
  'null',
  'NaN',
  '-1',
  '1e309',
  'in:',
  'any:None',
  'exact:',
  'x'.repeat(300),
  '<script>alert(1)</script>',
  '\u202Eevil',
  '${7*7}',
  'a,b',
  '2026-13-45T99:99:99Z',
] as const
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...hostileTexts),
  fc.string({ unit: 'binary', maxLength: 40 }),
)

/** Usually yields `nothing`, sometimes `odd`. */
export const seldom = <Odd, Nothing>(odd: fc.Arbitrary<Odd>, nothing: Nothing): fc.Arbitrary<Odd | Nothing> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(nothing) }, { weight: 1, arbitrary: odd })

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom(null, true, [], {}, -1, 0, 1.5, 2 ** 53, -(2 ** 63), 1e308, [[[[]]]], {
    __proto__: null,
    constructor: 1,
  }),
  fc.jsonValue({ maxDepth: 3 }),
)

function textOf(schema: JsonSchema, words: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const least = schema.minLength ?? 0
  const most = Math.min(schema.maxLength ?? 40, 300)
  return fc.oneof(
    { weight: 5, arbitrary: words },
    { weight: 2, arbitrary: fc.string({ minLength: Math.min(least, most), maxLength: most }) },
    { weight: 2, arbitrary: hostileText },
  )
}

function fromJsonSchema(schema: JsonSchema, words: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const choices = schema.anyOf ?? schema.oneOf
  if (choices && choices.length > 0) return fc.oneof(...choices.map((choice) => fromJsonSchema(choice, words)))
  if (schema.allOf?.[0]) return fromJsonSchema(schema.allOf[0], words)
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const edges = [schema.minimum, schema.maximum, 0, 1].filter((edge) => edge !== undefined)
      return fc.oneof(fc.constantFrom(...edges, ...edges.map((edge) => edge - 1), 1024 ** 3), fc.integer(), fc.double())
    }
    case 'array':
      return fc.array(fromJsonSchema(schema.items ?? {}, words), { minLength: schema.minItems ?? 0, maxLength: 4 })
    case 'object': {
      const required = schema.required ?? []
      const named = Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [
          name,
          fc.option(fromJsonSchema(inner, words), { nil: undefined, freq: required.includes(name) ? 12 : 2 }),
        ]),
      )
      const record = fc
        .record(named)
        .map((made) => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)))
      const open =
        typeof schema.additionalProperties === 'object'
          ? fromJsonSchema(schema.additionalProperties, words)
          : hostileValue
      return fc
        .tuple(record, seldom(fc.dictionary(hostileText, open, { maxKeys: 2 }), {}))
        .map(([known, others]) => ({ ...known, ...others }))
    }
    case 'string':
      return textOf(schema, words)
    default:
      return hostileValue
  }
}

/** JSON Schema for the input of a Zod schema. */
export const jsonSchemaOf = (schema: z.ZodType): JsonSchema =>
  z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema

/** Generates values for a schema. `words`: strings that are meaningful to the server, such as IDs and names. */
export function arbitraryOf(schema: z.ZodType, words: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  const json = jsonSchemaOf(schema)
  return fc.oneof({ weight: 9, arbitrary: fromJsonSchema(json, words) }, { weight: 1, arbitrary: hostileValue })
}
