import type * as z from 'zod'

/** How a value is compared and sorted. `text` is free text: found by a part of it, sorted as people count. `tags` is an array of texts. */
export type FieldType = 'text' | 'number' | 'time' | 'boolean' | 'tags' | 'id'

/**
 * Where a filter or a sort key finds its value: a dotted path into the entity (`flavor.vcpus`) or into what
 * `derive` adds (`derived.ip_addresses`), and how it is compared. The inventory makes an index for each.
 */
export interface FieldAt {
  path: string
  type: FieldType
  /** It holds IP addresses or ranges in their short form, and is compared with that form of what a filter says. */
  addresses?: boolean
}

type Comparable = string | number | boolean | readonly string[]
type Under<Value> = NonNullable<Value>

/** Dotted paths of an entity that lead to something that can be compared. */
export type PathOf<Value> = {
  [Name in keyof Value & string]: Under<Value[Name]> extends Comparable
    ? Name
    : Under<Value[Name]> extends readonly unknown[]
      ? never
      : Under<Value[Name]> extends object
        ? `${Name}.${PathOf<Under<Value[Name]>>}`
        : never
}[keyof Value & string]

/** What `derive` adds has no schema: its type is said. */
type DerivedPath = `derived.${string}`
export type AnyPath<Row> = PathOf<Row> | DerivedPath

/**
 * A filter or a sort key as a kind declares it: the name of a field of its entity; an object where the path or the type
 * differs from what the name and the schema tell. A field that the entity does not have does not compile.
 */
export type FieldSpec<Row> =
  | (keyof Row & PathOf<Row>)
  | { name: keyof Row & PathOf<Row>; type: FieldType; addresses?: boolean }
  | { name: string; path: PathOf<Row>; type?: FieldType; addresses?: boolean }
  | { name: string; path: DerivedPath; type: FieldType; addresses?: boolean }

/** Names of declared filters or sort keys. */
export type NamesOf<Specs extends readonly unknown[]> = {
  [At in keyof Specs]: Specs[At] extends { name: infer Name extends string } ? Name : Specs[At] & string
}[number]

/** What declared filters or sort keys are, by their names. `choice` is the type of a field with a set of texts. */
export function fieldsOf<Row, const Specs extends readonly FieldSpec<Row>[]>(
  entity: z.ZodObject | undefined,
  specs: Specs,
  choice: 'id' | 'text',
): Record<NamesOf<Specs>, FieldAt> {
  const fields = specs.map((spec): [string, FieldAt] => {
    const {
      name,
      path = name,
      type,
      addresses,
    } = (typeof spec === 'string' ? { name: spec } : spec) as {
      name: string
      path?: string
      type?: FieldType
      addresses?: boolean
    }
    return [name, { path, type: type ?? typeAt(entity, path, choice), ...(addresses && { addresses }) }]
  })
  return Object.fromEntries(fields) as Record<NamesOf<Specs>, FieldAt>
}

/** What of a schema is looked at. Nothing of zod itself: kinds are also built without it (docs/decisions/0006). */
interface Definition {
  type: string
  format?: string
  innerType?: z.ZodType
  shape?: Record<string, z.ZodType>
  options?: z.ZodType[]
  values?: unknown[]
}
const definitionOf = (schema: z.ZodType): Definition => schema.def

/** The schema at a path, without what makes it optional. */
function schemaAt(entity: z.ZodType, path: string): Definition | undefined {
  let at: Definition | undefined = bare(entity)
  for (const step of path.split('.')) at = at?.shape?.[step] && bare(at.shape[step])
  return at
}
function bare(schema: z.ZodType): Definition {
  const definition = definitionOf(schema)
  return definition.innerType ? bare(definition.innerType) : definition
}

const isIdPath = (path: string) => /(^|[._])id$/.test(path)

function typeAt(entity: z.ZodObject | undefined, path: string, choice: 'id' | 'text'): FieldType {
  // in the console's first pages, which look at names only
  if (!entity) return 'text'
  const found = schemaAt(entity, path)
  const schema = found?.type === 'union' ? bare(found.options![0]!) : found
  if (schema?.type === 'literal') return typeof schema.values![0] === 'number' ? 'number' : choice
  if (schema?.type === 'string') return schema.format === 'datetime' ? 'time' : isIdPath(path) ? 'id' : 'text'
  const types: Record<string, FieldType> = { number: 'number', boolean: 'boolean', array: 'tags', enum: choice }
  const type = schema && types[schema.type]
  if (!type) throw new Error(`a kind is filtered or sorted by "${path}", which its entity does not have`)
  return type
}
