import type { Readable } from 'node:stream'
import type { BodyOf, Endpoint, HeadersOf, ParamsOf, QueryOf, ReplyOf } from '@mainstay/contract/core/endpoint'
import type { DeletionLockDraft } from '@mainstay/contract/core/deletion-locks'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Page, PageQuery } from '@mainstay/contract/core/paging'
import { notFound } from '@mainstay/contract/core/problems'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Origin } from '../session/types'
import type { SignedIn } from '../session/signed-in'
import type { Tools } from '../tools'
import type { Download } from './streams'

/** What a handler may want to know of the request itself. */
export interface CallRequest {
  id: string
  panel: 'admin' | 'self-service'
  origin: Origin
  /** From where the caller reaches the server; null where the server itself makes the call. */
  source: { address: string; isSecure: boolean } | null
  /** The token that the call was made with, by header or cookie. */
  token: string | null
  /** Gives the caller a session cookie for so long, or (null) takes it away. */
  setSessionCookie(token: string | null, seconds: number): void
  /** Lets the browser say for so long that somebody has signed in from it. */
  rememberDevice(device: string, seconds: number): void
  /** Where the caller's browser has this server: `https://console.example`. Null for what is no page of ours. */
  ownAddress: string | null
  /** Lets the browser show for a while that it is to come back from an identity provider: which, or by a secret. */
  rememberHandOver(mark: string): void
  /** Nothing was done: the audit log gets no line. */
  leaveUnrecorded(): void
  /** Fires when the caller has gone. */
  signal: AbortSignal
}

/** Everybody is signed in but the callers of public calls. */
type IfSignedIn<E extends Endpoint, Type> = E['needs'] extends 'public' ? Type | null : Type

/** One call, parsed and permitted. */
export interface Call<E extends Endpoint> {
  scope: IfSignedIn<E, Scope>
  caller: IfSignedIn<E, SignedIn>
  params: ParamsOf<E>
  query: QueryOf<E>
  body: BodyOf<E>
  headers: HeadersOf<E>
  bytes: E['bytes'] extends 'in' ? Readable : undefined
  request: CallRequest
}

export type Answer<E extends Endpoint> = E['bytes'] extends 'out' ? Download : ReplyOf<E>
export type Handler<E extends Endpoint> = (call: Call<E>, tools: Tools) => Answer<E> | Promise<Answer<E>>
export type Handlers<Table extends Record<string, Endpoint>> = { [Name in keyof Table]: Handler<Table[Name]> }

/** What is known of a call when nothing of its types is. */
export interface LooseCall {
  scope: Scope | null
  caller: SignedIn | null
  params: Record<string, string>
  query: unknown
  body: unknown
  headers: unknown
  bytes: Readable | undefined
  request: CallRequest
}

/** A call of the contract with what does it. */
export interface Served {
  /** As in the contract's table: `attachVolume`. */
  name: string
  endpoint: Endpoint
  /** What the call is about, for the audit log and for `If-Match`; null where it is about nothing in the index. */
  kind: Kind | null
  /** What the audit log calls it by: its kind, or what it is about where there is none. */
  about: string
  /** What the thing is called that a call is about, by its body and its answer, where neither of them has a `name`. */
  nameOf?: (body: unknown, reply: unknown) => string | null
  handle: (call: LooseCall, tools: Tools) => unknown
}

/** The calls of a table with what does them. A call without a handler does not compile. */
export const serve = <const Table extends Record<string, Endpoint>>(
  table: Table,
  handlers: Handlers<Table>,
  { kind, about = kind?.name ?? 'session', nameOf }: Partial<Pick<Served, 'about' | 'nameOf'>> & { kind?: Kind } = {},
): Served[] =>
  Object.entries(table).map(([name, endpoint]) => ({
    name,
    endpoint,
    kind: kind ?? null,
    about,
    ...(nameOf && { nameOf }),
    // routes.ts parses by the endpoint's own schemas, which is what makes the handler's types true
    handle: handlers[name] as unknown as Served['handle'],
  }))

/** List and view from the index: the same query for every kind and every engine. */
export const readFrom = <Row extends Entity>(kind: Kind) => ({
  list: ({ scope, query }: { scope: Scope; query: PageQuery }, { inventory }: Tools): Promise<Page<Row>> =>
    inventory.list<Row>(kind, scope, query),
  view: ({ scope, params }: { scope: Scope; params: { id: string } }, { inventory }: Tools): Promise<Row> =>
    kind.alias === undefined
      ? inventory.view<Row>(kind, scope, params.id)
      : viewByAlias(kind, kind.alias, scope, params.id, inventory),
})

/** Locks against deletion: the server keeps them, of every kind that has them and whichever engine. */
export const deletionLocksOf = (kind: Kind) => ({
  lock: <Row>({ scope, params, body }: LockCall & { body: DeletionLockDraft }, { inventory }: Tools): Promise<Row> =>
    inventory.setDeletionLock(kind, scope, params.id, {
      by: scope.user_name,
      reason: body.reason || null,
    }) as Promise<Row>,
  unlock: <Row>({ scope, params }: LockCall, { inventory }: Tools): Promise<Row> =>
    inventory.setDeletionLock(kind, scope, params.id, null) as Promise<Row>,
})
interface LockCall {
  scope: Scope
  params: { id: string }
}

/** One row by its id, or by a name that command-line clients know it by: the value of this filter. Throws `not_found`. */
async function viewByAlias<Row extends Entity>(
  kind: Kind,
  alias: string,
  scope: Scope,
  idOrName: string,
  inventory: Tools['inventory'],
): Promise<Row> {
  const [byId] = await inventory.several<Row>(kind, scope, [idOrName])
  if (byId) return byId
  const { data } = await inventory.list<Row>(kind, scope, { limit: 1, [alias]: `exact:${idOrName}` })
  if (!data[0]) throw notFound()
  return data[0]
}
