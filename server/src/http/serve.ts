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

/** What a handler may want to know of the request itself. */
export interface CallRequest {
  id: string
  panel: Panel
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
 * List and view from the index: the same query for every kind and every engine. Of a kind with a parent the rows are those
 * of the parent that the path names.
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

/** Locks against deletion: the server keeps them, of every kind that has them and whichever engine. */
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
