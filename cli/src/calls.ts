import { commandsOf, optionOf } from '@mainstay/contract/core/command-words'
import { openApi, type Json, type OpenApiCall } from '@mainstay/contract/core/openapi'
import { isServedAt } from '@mainstay/contract/panels'
import { allEndpoints } from '@mainstay/contract/resources'

/** What a command takes after `--`. */
export interface Option {
  /** With its dashes: `--min-disk`. */
  option: string
  /** The field of the call. */
  field: string
  where: 'query' | 'header' | 'body'
  /** `json`: anything that is no plain value; `list`: texts, separated by commas or as JSON. */
  type: 'text' | 'number' | 'flag' | 'list' | 'json'
  values?: readonly string[]
  isRequired: boolean
  help: string
}

/** A call of the API as a command. */
export interface Call {
  words: readonly string[]
  verb: string
  /** With `:name` for parameters. */
  path: string
  summary: string
  /** Which right it takes, as a sentence. */
  access: string
  isPublic: boolean
  /** The portal does not have it. */
  isOfAdminPanel: boolean
  params: readonly string[]
  options: readonly Option[]
  /** The body is one value that is not made of fields, or a file: it is given by `--body` or `--file`. */
  body: 'none' | 'fields' | 'whole' | 'bytes'
  /** What it answers is a file. */
  answersBytes: boolean
}

/** A field's schema without "or nothing". */
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

/** The fields of a body; of a choice between several bodies all that occur, none of them required. */
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

/** Every call of the contract as a command, sorted by its words. */
export function callTable(): Call[] {
  const document = openApi(allEndpoints, { title: '', version: '' })
  return commandsOf(allEndpoints)
    .map(({ words, endpoint }): Call => {
      const { verb, path, needs, summary, bytes } = endpoint
      const call = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]![verb.toLowerCase()]!
      const schema = bodySchemaOf(call)
      const fields = schema ? fieldsOf(schema) : []
      return {
        words,
        verb,
        path,
        summary,
        access: call.description,
        isPublic: needs === 'public',
        isOfAdminPanel: !isServedAt('self-service', endpoint),
        params: call.parameters.flatMap((it) => (it.in === 'path' ? [it.name] : [])),
        options: [
          ...call.parameters.flatMap(({ in: where, name, schema: of, required }) =>
            where === 'path' ? [] : [optionFor(where as 'query' | 'header', name, of, required)],
          ),
          ...fields,
        ],
        body: bytes === 'in' ? 'bytes' : !schema ? 'none' : fields.length > 0 ? 'fields' : 'whole',
        answersBytes: bytes === 'out',
      }
    })
    .toSorted((a, b) => a.words.join(' ').localeCompare(b.words.join(' '), 'en'))
}
