import type * as z from 'zod'
import type { Ability } from './abilities'
import type { ResourceName } from '../permissions'

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A permission that a call requires, in terms of the permission table. */
export interface Needs {
  ability: Ability
  resource: ResourceName
}

/** `public`: anyone. `signed-in`: any valid token, scoped or not. Otherwise: a permission in the token's scope. */
export type Access = 'public' | 'signed-in' | Needs

export const read = (resource: ResourceName) => ({ ability: 'read', resource }) satisfies Needs
export const create = (resource: ResourceName): Needs => ({ ability: 'create', resource })
export const update = (resource: ResourceName): Needs => ({ ability: 'update', resource })
export const remove = (resource: ResourceName): Needs => ({ ability: 'delete', resource })

/** An API call. Server routes, clients, permission checks and the OpenAPI document are derived from it. */
export interface Endpoint {
  verb: Verb
  /** Absolute path, with `:name` for parameters. */
  path: `/${string}`
  needs: Access
  /**
   * `admin` hides the call from the self-service port, even if tenants have the permission. Calls that only operators
   * are permitted to make are never served there (`isServedAt`).
   */
  panel?: 'admin'
  /**
   * Documentation of the call. The first sentence is the summary: a verb and an object, at most 80 characters. The
   * remaining sentences are the description (`summaryOf`, `detailsOf`).
   */
  summary: string
  query?: z.ZodType
  /** JSON body. Cannot be combined with `bytes: 'in'`. */
  body?: z.ZodType
  /** Request headers that the call uses (image upload), with lowercase names. */
  headers?: z.ZodType
  reply: z.ZodType
  /** Status of a successful response. Default: 200, or 204 if the reply is empty. */
  status?: 200 | 201 | 202 | 204
  /**
   * Whether the call is recorded in the audit log. Default: only calls that change something, and downloads (`bytes:
   * 'out'`). Set to true to record a read, or to false for a call that only reads despite its verb and permission.
   */
  isAct?: boolean
  /** `in`: the request body is a byte stream. `out`: the response is. Streams are never buffered in memory. */
  bytes?: 'in' | 'out'
  /** Whether the body may also be sent as multipart/form-data, with a `json` part and files. */
  takesForm?: true
}

/** Returns the first sentence of the documentation of a call. */
export const summaryOf = ({ summary }: Pick<Endpoint, 'summary'>): string => summary.split('. ', 1)[0]!
/** Returns the remaining sentences, or nothing if there are none. */
export const detailsOf = ({ summary }: Pick<Endpoint, 'summary'>): string =>
  summary.includes('. ') ? summary.slice(summary.indexOf('. ') + 2) : ''

/** Declares the calls of a resource. */
export const endpoints = <const Table extends Record<string, Endpoint>>(table: Table): Table => table

/** Declares calls that are not served on the self-service port. */
export const adminEndpoints = <const Table extends Record<string, Endpoint>>(table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([name, call]) => [name, { ...call, panel: 'admin' }])) as Table

type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<Tail>
    : Rest
  : never

/** Parent parameters of a path: `node_id` in `/nodes/:node_id/disks/:id`. The last segment is never a parent. */
export type ParentNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? (Name extends `${string}_id` ? Name : never) | ParentNames<Tail>
    : never
  : never

/** Wildcard in place of a parent ID in a path: matches any parent that the caller can see (AIP-159). */
export const ANY_PARENT = '-'

export type ParamsOf<E extends Endpoint> = { [Name in ParamNames<E['path']>]: string }
/** Path parameters as passed by a client. Parents are optional and default to any parent. */
export type GivenParams<E extends Endpoint> = '/' extends E['path']
  ? Record<string, string>
  : Omit<ParamsOf<E>, ParentNames<E['path']>> & { [Name in ParentNames<E['path']>]?: string }
export type QueryOf<E extends Endpoint> = E['query'] extends z.ZodType ? z.output<E['query']> : undefined
export type QueryInputOf<E extends Endpoint> = E['query'] extends z.ZodType ? z.input<E['query']> : undefined
export type BodyOf<E extends Endpoint> = E['body'] extends z.ZodType ? z.output<E['body']> : undefined
export type BodyInputOf<E extends Endpoint> = E['body'] extends z.ZodType ? z.input<E['body']> : undefined
export type HeadersOf<E extends Endpoint> = E['headers'] extends z.ZodType ? z.output<E['headers']> : undefined
export type ReplyOf<E extends Endpoint> = z.output<E['reply']>

/** Returns the names of the path parameters, in order. */
export const paramNames = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map((found) => found[1]!)

/** Returns the names of the parents in a path, outermost first; see `ParentNames`. */
export const parentNames = (path: string): string[] => [...path.matchAll(/:(\w+_id)\//g)].map((found) => found[1]!)

/**
 * Fills in and encodes the parameters of a path. Omitted parents default to any parent. Throws if any other parameter
 * is missing, or if any parameter is empty.
 */
export function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  const parents = parentNames(path)
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? (parents.includes(name) ? ANY_PARENT : '')
    if (!value) throw new Error(`the path ${path} needs "${name}"`)
    return encodeURIComponent(value)
  })
}
