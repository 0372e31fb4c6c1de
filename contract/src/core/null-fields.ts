import type * as z from 'zod'

/** The parts of a schema definition that are inspected. */
interface Definition {
  type: string
  innerType?: z.ZodType
  in?: z.ZodType
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  options?: z.ZodType[]
}

/** Returns the definition of the schema without optional wrappers and transforms. */
function definitionOf(schema: z.ZodType): Definition {
  const definition = schema.def as Definition
  const inner = definition.innerType ?? definition.in
  return inner ? definitionOf(inner) : definition
}

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success

/**
 * Removes optional fields that are null but not nullable from a draft, because some clients send null for unset fields.
 * Other nulls are kept: they are either meaningful or refused by the schema.
 */
export function withoutUnsetFields(schema: z.ZodType, sent: unknown): unknown {
  if (typeof sent !== 'object' || sent === null) return sent
  const { shape, element, options } = definitionOf(schema)
  if (Array.isArray(sent)) return element ? sent.map((item: unknown) => withoutUnsetFields(element, item)) : sent
  if (options) {
    const read = options.map((option) => [option, withoutUnsetFields(option, sent)] as const)
    return read.find(([option, value]) => takes(option, value))?.[1] ?? sent
  }
  if (!shape) return sent
  const set = Object.entries(sent).flatMap(([name, value]: [string, unknown]) => {
    const field = Object.hasOwn(shape, name) ? shape[name]! : null
    if (!field) return [[name, value] as const]
    const isUnset = value === null && !takes(field, null) && takes(field, undefined)
    return isUnset ? [] : [[name, withoutUnsetFields(field, value)] as const]
  })
  return Object.fromEntries(set)
}
