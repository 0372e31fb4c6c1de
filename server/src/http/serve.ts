import type { Readable } from 'node:stream'
import type { BodyOf, Endpoint, HeadersOf, ParamsOf, QueryOf, ReplyOf } from '@mainstay/contract/core/endpoint'
import type { DeletionLockDraft } from '@mainstay/contract/core/deletion-locks'
import type { Kind } from '@mainstay/contract/core/kind'
import type { Page, PageQuery } from '@mainstay/contract/core/lists/paging'
import type { Panel } from '@mainstay/contract/panels'
import type { Entity } from '@mainstay/engines/ports/records'
import type { Scope } from '@mainstay/engines/ports/scope'
import type { Origin } from '../session/types'
import type { SignedIn } from '../session/signed-in'
import type { Tools } from '../tools'
import { parentIn, viewIn } from './rows/parents'
import type { Download } from './streams'

/** Details of the request for handlers. */
export interface CallRequest {
  id: string
  panel: Panel
  origin: Origin
  /** Client address and whether the client uses TLS; null if the server itself makes the call. */
  source: { address: string; isSecure: boolean } | null
  /** Token sent with the call, in the header or the cookie. */
  token: string | null
  /** Sets the session cookie for `seconds`; null deletes it. */
  setSessionCookie(token: string | null, seconds: number): void
  /** Sets a cookie, valid for `seconds`, by which the browser is recognized at later sign-ins. */
  rememberDevice(device: string, seconds: number): void
  /**
   * URL of this server in the caller's browser, such as `https://console.example`. Null if the request does not come
   * from one of our pages.
   */
  ownAddress: string | null
  /** Sets a short-lived cookie that marks a sign-in at an identity provider: the provider, or a secret. */
  rememberHandOver(mark: string): void
  /** Suppresses the audit log entry, because the call did nothing. */
  leaveUnrecorded(): void
  /** Aborts when the caller disconnects. */
  signal: AbortSignal
}

/** Only public calls may have no signed-in caller. */
type IfSignedIn<E extends Endpoint, Type> = E['needs'] extends 'public' ? Type | null : Type

/** A call that is parsed and authorized. */
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

/** A call without the types of its endpoint. */
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

/** A call in the contract, with its handler. */
export interface Served {
  /** Name in the contract's table: `attachVolume`. */
  name: string
  endpoint: Endpoint
  /** Kind of the call's object, for the audit log and `If-Match`; null if the object is not in the index. */
  kind: Kind | null
  /** Subject in the audit log's action name: the kind, or another name if there is none. */
  about: string
  /** Derives the name of the call's object from the body and the reply, if neither has a `name`. */
  nameOf?: (body: unknown, reply: unknown) => string | null
  handle: (call: LooseCall, tools: Tools) => unknown
}

/** Binds the calls in a table to their handlers. Does not compile if a handler is missing. */
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
    // safe because routes.ts parses each call with the endpoint's own schemas
    handle: handlers[name] as unknown as Served['handle'],
  }))

interface RowCall {
  scope: Scope
  params: Readonly<Record<string, string | undefined>> & { id: string }
}
interface ListCall {
  scope: Scope
  params?: Readonly<Record<string, string | undefined>>
  query: PageQuery
}

/**
 * Handlers for list and view, which read the index in the same way for every kind and engine. For a kind with a parent,
 * they return rows in the parent named by the path.
 */
export const readFrom = <Row extends Entity>(kind: Kind) => ({
  async list({ scope, params = {}, query }: ListCall, tools: Tools): Promise<Page<Row>> {
    const parentId = await parentIn(kind, scope, params, tools)
    if (parentId === null) return tools.inventory.list<Row>(kind, scope, query)
    const { field } = kind.parent!
    const further = query[field] === undefined ? [] : [query[field]].flat()
    return tools.inventory.list<Row>(kind, scope, { ...query, [field]: [`exact:${parentId}`, ...further] })
  },
  view: ({ scope, params }: RowCall, tools: Tools): Promise<Row> => viewIn<Row>(kind, scope, params, tools),
})

/** Handlers for deletion locks. The server itself stores the locks, whichever engine serves the kind. */
export const deletionLocksOf = (kind: Kind) => ({
  async lock<Row>({ scope, params, body }: RowCall & { body: DeletionLockDraft }, tools: Tools): Promise<Row> {
    if (kind.parent) await viewIn(kind, scope, params, tools)
    const lock = { by: scope.user_name, reason: body.reason || null }
    return (await tools.inventory.setDeletionLock(kind, scope, params.id, lock)) as Row
  },
  async unlock<Row>({ scope, params }: RowCall, tools: Tools): Promise<Row> {
    if (kind.parent) await viewIn(kind, scope, params, tools)
    return (await tools.inventory.setDeletionLock(kind, scope, params.id, null)) as Row
  },
})
