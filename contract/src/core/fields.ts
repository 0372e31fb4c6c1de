import type * as z from 'zod'

/**
 * How a value is compared and sorted. `text` is free text: it matches substrings and sorts in natural order. `tags` is
 * an array of strings.
 */
export type FieldType = 'text' | 'number' | 'time' | 'boolean' | 'tags' | 'id'

/**
 * Where a filter or a sort key finds its value: a dotted path into the entity (`flavor.vcpus`) or into the result of
 * `derive` (`derived.ip_addresses`), and how it is compared. The inventory creates an index for each.
 */
export interface FieldAt {
  path: string
  type: FieldType
  /** The value holds IP addresses or ranges in canonical form; filter values are converted to that form. */
  addresses?: boolean
}

type Comparable = string | number | boolean | readonly string[]
type Under<Value> = NonNullable<Value>

/** Dotted paths of an entity that end in a comparable value. */
export type PathOf<Value> = {
  [Name in keyof Value & string]: Under<Value[Name]> extends Comparable
    ? Name
    : Under<Value[Name]> extends readonly unknown[]
      ? never
      : Under<Value[Name]> extends object
        ? `${Name}.${PathOf<Under<Value[Name]>>}`
        : never
}[keyof Value & string]

/** Derived values have no schema, so their type must be given. */
type DerivedPath = `derived.${string}`
export type AnyPath<Row> = PathOf<Row> | DerivedPath

/**
 * Declaration of a filter or a sort key: the name of an entity field, or an object if the path or the type cannot be
 * inferred from it. Fields that the entity does not have fail to compile.
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

/** Resolves declared filters or sort keys, keyed by name. `choice` is the type used for enums. */
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

/**
 * The parts of a schema definition that are inspected. Declared without importing zod, because kinds are also built
 * without it (docs/decisions/0006).
 */
interface Definition {
  type: string
  format?: string
  innerType?: z.ZodType
  shape?: Record<string, z.ZodType>
  options?: z.ZodType[]
  values?: unknown[]
}
const definitionOf = (schema: z.ZodType): Definition => schema.def

/** Returns the schema at a path, without optional and default wrappers. */
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
  // the console's initial bundle contains no schemas and uses only the names
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
