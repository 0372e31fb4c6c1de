import type * as z from 'zod'
import type { Ability } from './abilities'
import type { ResourceName } from '../permissions'

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A right that a call asks for, in the words of the permission table. */
export interface Needs {
  ability: Ability
  resource: ResourceName
}

/** `public`: anybody. `signed-in`: any valid token, scoped or not. Else: a right in the token's scope. */
export type Access = 'public' | 'signed-in' | Needs

export const read = (resource: ResourceName) => ({ ability: 'read', resource }) satisfies Needs
export const create = (resource: ResourceName): Needs => ({ ability: 'create', resource })
export const update = (resource: ResourceName): Needs => ({ ability: 'update', resource })
export const remove = (resource: ResourceName): Needs => ({ ability: 'delete', resource })

/** One call of the API. The server's route, the client, the guard and the OpenAPI document are derived from it. */
export interface Endpoint {
  verb: Verb
  /** Absolute, with `:name` for parameters. */
  path: `/${string}`
  needs: Access
  /**
   * `admin`: the self-service port does not have it, though tenants have its right. Calls whose right only operators have are
   * not there in any case (`isServedAt`).
   */
  panel?: 'admin'
  /** One sentence for the API's readers. */
  summary: string
  query?: z.ZodType
  /** JSON body. A call has either this or `bytes: 'in'`. */
  body?: z.ZodType
  /** Headers that carry meaning (image upload); lower-case names. */
  headers?: z.ZodType
  reply: z.ZodType
  /** Status of a good answer; 200, or 204 where the reply is empty, unless said. */
  status?: 200 | 201 | 202 | 204
  /**
   * Asking for it is an act of its own, though it is read: who has done it stands in the audit log. So it is of all `bytes: 'out'`. False: it only
   * reads, whatever its verb and its right are.
   */
  isAct?: boolean
  /** `in`: the body is a stream of bytes. `out`: the answer is. Neither is ever held in memory. */
  bytes?: 'in' | 'out'
  /** The body may also be a form (multipart/form-data): its part `json` and files. */
  takesForm?: true
}

/** Declares the calls of one resource. */
export const endpoints = <const Table extends Record<string, Endpoint>>(table: Table): Table => table

/** The same where the portal has none of them. */
export const adminEndpoints = <const Table extends Record<string, Endpoint>>(table: Table): Table =>
  Object.fromEntries(Object.entries(table).map(([name, call]) => [name, { ...call, panel: 'admin' }])) as Table

type ParamNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamNames<Tail>
    : Rest
  : never

/** Parents that a path names: `node_id` of `/nodes/:node_id/disks/:id`. The last step of a path is no parent. */
export type ParentNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? (Name extends `${string}_id` ? Name : never) | ParentNames<Tail>
    : never
  : never

/** Takes the place of a parent's ID in a path, and stands for any parent that the caller sees (AIP-159). */
export const ANY_PARENT = '-'

export type ParamsOf<E extends Endpoint> = { [Name in ParamNames<E['path']>]: string }
/** Parameters as a client gives them. A parent that is left out is any parent. */
export type GivenParams<E extends Endpoint> = '/' extends E['path']
  ? Record<string, string>
  : Omit<ParamsOf<E>, ParentNames<E['path']>> & { [Name in ParentNames<E['path']>]?: string }
export type QueryOf<E extends Endpoint> = E['query'] extends z.ZodType ? z.output<E['query']> : undefined
export type QueryInputOf<E extends Endpoint> = E['query'] extends z.ZodType ? z.input<E['query']> : undefined
export type BodyOf<E extends Endpoint> = E['body'] extends z.ZodType ? z.output<E['body']> : undefined
export type BodyInputOf<E extends Endpoint> = E['body'] extends z.ZodType ? z.input<E['body']> : undefined
export type HeadersOf<E extends Endpoint> = E['headers'] extends z.ZodType ? z.output<E['headers']> : undefined
export type ReplyOf<E extends Endpoint> = z.output<E['reply']>

/** Names of a path's parameters, in order. */
export const paramNames = (path: string): string[] => [...path.matchAll(/:(\w+)/g)].map((found) => found[1]!)

/** Names of the parents in a path, the outermost first; see `ParentNames`. */
export const parentNames = (path: string): string[] => [...path.matchAll(/:(\w+_id)\//g)].map((found) => found[1]!)

/** `path` with its parameters filled in and encoded. A parent that is left out is any. Throws when another one is missing, or one is empty. */
export function fillPath(path: string, params: Readonly<Record<string, string>> = {}): string {
  const parents = parentNames(path)
  return path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name] ?? (parents.includes(name) ? ANY_PARENT : '')
    if (!value) throw new Error(`the path ${path} needs "${name}"`)
    return encodeURIComponent(value)
  })
}
