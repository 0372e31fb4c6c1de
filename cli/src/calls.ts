import { commandsOf, optionOf } from '@mainstay/contract/core/command-words'
import { openApi, type Json, type OpenApiCall } from '@mainstay/contract/core/openapi'
import { isServedAt } from '@mainstay/contract/panels'
import { allEndpoints } from '@mainstay/contract/resources'

/** A command-line option. */
export interface Option {
  /** Option name with dashes: `--min-disk`. */
  option: string
  /** The parameter or body field that the option sets. */
  field: string
  where: 'query' | 'header' | 'body'
  /** `json`: any non-scalar value; `list`: strings, comma-separated or as JSON. */
  type: 'text' | 'number' | 'flag' | 'list' | 'json'
  values?: readonly string[]
  isRequired: boolean
  help: string
}

/** An API call that is available as a command. */
export interface Call {
  words: readonly string[]
  verb: string
  /** Path with `:name` placeholders for parameters. */
  path: string
  summary: string
  /** Sentences that describe the call in detail and name the permission that it requires. */
  description: string
  isPublic: boolean
  /** True if only the admin panel serves the call. */
  isOfAdminPanel: boolean
  params: readonly string[]
  options: readonly Option[]
  /**
   * Type of the request body. `whole`: a single value without fields, from `--body`; `bytes`: a file, from `--file`.
   */
  body: 'none' | 'fields' | 'whole' | 'bytes'
  /** True if the response is a file. */
  answersBytes: boolean
}

/** Unwraps a nullable field's schema. */
function plain(schema: Json): Json {
  const others = (['anyOf', 'oneOf'] as const)
    .flatMap((name) => (schema[name] as Json[] | undefined) ?? [])
    .filter(({ type }) => type !== 'null')
  return others.length === 1 ? { ...schema, ...others[0]! } : schema
}

function typeOf(schema: Json): Option['type'] {
  const { type, items } = plain(schema) as { type?: string; items?: Json }
  if (type === 'boolean') return 'flag'
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'array' && items?.['type'] === 'string') return 'list'
  return type === 'string' || plain(schema)['enum'] ? 'text' : 'json'
}

const optionFor = (where: Option['where'], field: string, schema: Json, isRequired: boolean): Option => {
  const values = plain(schema)['enum'] as readonly string[] | undefined
  return {
    option: optionOf(field),
    field,
    where,
    type: typeOf(schema),
    ...(values && { values }),
    isRequired,
    help: (schema['description'] as string | undefined) ?? '',
  }
}

/**
 * Converts the fields of a body to options. If there are alternative bodies, includes the fields of all of them and
 * requires none.
 */
function fieldsOf(schema: Json): Option[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] }
  const own = Object.entries(properties).map(([name, it]) => optionFor('body', name, it, required.includes(name)))
  const choices = [...((schema['anyOf'] as Json[]) ?? []), ...((schema['oneOf'] as Json[]) ?? [])]
  const further = choices.flatMap(fieldsOf).map((it) => ({ ...it, isRequired: false }))
  const known = new Set(own.map(({ field }) => field))
  return [...own, ...new Map(further.filter(({ field }) => !known.has(field)).map((it) => [it.field, it])).values()]
}

const bodySchemaOf = (call: OpenApiCall): Json | undefined => {
  const content = (call['requestBody'] as { content?: Record<string, { schema: Json }> } | undefined)?.content
  return content?.['application/json']?.schema
}

/** Whether a body is an object without fields, which is sent without `--body`. */
const isEmpty = ({ type, properties = {}, additionalProperties }: Json): boolean =>
  type === 'object' && Object.keys(properties as object).length === 0 && additionalProperties === false

/** Returns every API call in the contract as a command, sorted by its words. */
export function callTable(): Call[] {
  const document = openApi(allEndpoints, { title: '', version: '' })
  return commandsOf(allEndpoints)
    .map(({ words, endpoint }): Call => {
      const { verb, path, needs, bytes } = endpoint
      const call = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]![verb.toLowerCase()]!
      const schema = bodySchemaOf(call)
      const fields = schema ? fieldsOf(schema) : []
      return {
        words,
        verb,
        path,
        summary: call.summary,
        description: call.description,
        isPublic: needs === 'public',
        isOfAdminPanel: !isServedAt('self-service', endpoint),
        params: call.parameters.flatMap((it) => (it.in === 'path' ? [it.name] : [])),
        options: [
          ...call.parameters.flatMap(({ in: where, name, schema: of, required }) =>
            where === 'path' ? [] : [optionFor(where as 'query' | 'header', name, of, required)],
          ),
          ...fields,
        ],
        body: bytes === 'in' ? 'bytes' : !schema ? 'none' : fields.length > 0 || isEmpty(schema) ? 'fields' : 'whole',
        answersBytes: bytes === 'out',
      }
    })
    .toSorted((a, b) => a.words.join(' ').localeCompare(b.words.join(' '), 'en'))
}
