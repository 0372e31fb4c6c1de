import type * as z from 'zod'

/** What of a schema is looked at. */
interface Definition {
  type: string
  innerType?: z.ZodType
  in?: z.ZodType
  shape?: Record<string, z.ZodType>
  element?: z.ZodType
  options?: z.ZodType[]
}

/** The schema without what makes it optional or transforms what it has read. */
function definitionOf(schema: z.ZodType): Definition {
  const definition = schema.def as Definition
  const inner = definition.innerType ?? definition.in
  return inner ? definitionOf(inner) : definition
}

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success

/**
 * A new thing as it is sent, without the fields that are null, may be left out, and take no null: programs write null for what
 * nobody has set. Other nulls mean something, or are refused.
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
