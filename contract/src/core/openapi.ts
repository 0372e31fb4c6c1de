import * as z from 'zod'
import { ANY_PARENT, detailsOf, paramNames, parentNames, summaryOf, type Endpoint } from './endpoint'
import { ProblemBody } from './problems'

/** A JSON Schema, or another part of the document. */
export type Json = { [name: string]: unknown }

/** An OpenAPI 3.1 document, with the fields that this repository reads. */
export interface OpenApiDocument extends Json {
  openapi: string
  info: { title: string; version: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, OpenApiCall>>
}
export interface OpenApiCall extends Json {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters: { name: string; in: string; required: boolean; schema: Json; description?: string }[]
  responses: Record<string, Json>
}

const inputOf = (schema: z.ZodType): Json =>
  withoutDialect(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }))
const outputOf = (schema: z.ZodType): Json =>
  withoutDialect(z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }))
// the document declares the dialect once
const withoutDialect = ({ $schema: _, '~standard': __, ...schema }: Json): Json => schema

const json = (schema: Json): Json => ({ 'application/json': { schema } })
const binary: Json = { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }

/** Returns one parameter per property of an object schema. */
function parametersOf(where: 'query' | 'header', schema: z.ZodType | undefined): OpenApiCall['parameters'] {
  if (!schema) return []
  const { properties = {}, required = [] } = inputOf(schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, inner]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: inner,
    ...(typeof inner['description'] === 'string' && { description: inner['description'] }),
  }))
}

const accessText = ({ needs }: Endpoint): string => {
  if (needs === 'public') return 'No authentication required.'
  if (needs === 'signed-in') return 'Requires a valid token.'
  return `Requires permission to ${needs.ability} \`${needs.resource}\`.`
}

function replies(endpoint: Endpoint): Record<string, Json> {
  const empty = endpoint.reply instanceof z.ZodVoid
  const status = endpoint.status ?? (empty && endpoint.bytes !== 'out' ? 204 : 200)
  const content = endpoint.bytes === 'out' ? binary : empty ? undefined : json(outputOf(endpoint.reply))
  const problem = { $ref: '#/components/responses/Problem' }
  return { [status]: { description: 'Success', ...(content && { content }) }, '4XX': problem, '5XX': problem }
}

/** Returns the descriptions of the parent parameters of a nested resource. */
function aboutParents({ list, view }: Partial<Record<string, Endpoint>>): Record<string, { description: string }> {
  if (!list || view?.path !== `${list.path}/:id`) return {}
  const texts = parentNames(list.path).map((name) => {
    const what = name.replace(/_id$/, '').replaceAll('_', ' ')
    const any = `"${ANY_PARENT}" for any ${what} that you can see`
    return [name, { description: `ID of the ${what}, or ${any}. To create an object, give the ID.` }] as const
  })
  return Object.fromEntries(texts)
}

function callOf(area: string, name: string, endpoint: Endpoint, parents: ReturnType<typeof aboutParents>): OpenApiCall {
  const content = endpoint.bytes === 'in' ? binary : endpoint.body && json(inputOf(endpoint.body))
  // the body is optional if the schema has defaults for everything
  const required = endpoint.bytes === 'in' || endpoint.body?.safeParse(undefined).success === false
  return {
    operationId: `${area}.${name}`,
    tags: [area],
    summary: summaryOf(endpoint),
    description: [detailsOf(endpoint), accessText(endpoint)].filter(Boolean).join(' '),
    parameters: [
      ...paramNames(endpoint.path).map((param) => ({
        name: param,
        in: 'path',
        required: true,
        schema: { type: 'string', minLength: 1, maxLength: 255 },
        ...parents[param],
      })),
      ...parametersOf('query', endpoint.query),
      ...parametersOf('header', endpoint.headers),
    ],
    ...(content && { requestBody: { required, content } }),
    responses: replies(endpoint),
    ...(endpoint.needs === 'public' && { security: [] }),
  }
}

/** Builds the OpenAPI 3.1 document for a table of calls. */
export function openApi(
  areas: Record<string, Record<string, Endpoint>>,
  info: { title: string; version: string },
): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const [area, table] of Object.entries(areas)) {
    const parents = aboutParents(table)
    for (const [name, endpoint] of Object.entries(table)) {
      const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
      paths[path] = { ...paths[path], [endpoint.verb.toLowerCase()]: callOf(area, name, endpoint, parents) }
    }
  }
  return {
    openapi: '3.1.0',
    info,
    servers: [{ url: '/' }],
    tags: Object.keys(areas).map((name) => ({ name })),
    security: [{ token: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'X-Auth-Token' },
        session: { type: 'apiKey', in: 'cookie', name: 'session' },
      },
      responses: {
        Problem: { description: 'Error', content: json(outputOf(ProblemBody)) },
      },
    },
  }
}
