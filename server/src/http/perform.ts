import { fillPath } from '@mainstay/contract/core/endpoint'
import type { SignedIn } from '../session/signed-in'
import { mayCall, refusedFor } from '../session/signed-in'
import type { Tools } from '../tools'
import { beginCallAct, type CallSoFar } from './acts'
import { handleExpecting } from './if-match'
import { parse, parseQuery } from './parse'
import type { CallRequest, LooseCall, Served } from './serve'

/** A call that the server itself makes on behalf of a user. */
export interface OwnCall {
  /** An omitted parent means any parent. */
  params: Record<string, string>
  body: unknown
  query: unknown
  /** Client address of the request that started the work. */
  address: string
  requestId: string
  signal: AbortSignal
}

/** Substitute for the HTTP request, because there is none. */
const requestOf = ({ requestId, address, signal }: OwnCall): CallRequest => ({
  id: requestId,
  panel: 'self-service',
  origin: { address, user_agent: '', browser: false, panel: 'self-service', request_id: requestId },
  source: null,
  token: null,
  setSessionCookie: () => undefined,
  rememberDevice: () => undefined,
  ownAddress: null,
  rememberHandOver: () => undefined,
  leaveUnrecorded: () => undefined,
  signal,
})

/**
 * Builds the call for its handler. Throws a `forbidden` error if the caller lacks the right, and a `validation` error
 * if the input is invalid.
 */
export function readOwnCall({ endpoint }: Served, caller: SignedIn, own: OwnCall): LooseCall {
  if (!mayCall(caller.grants, endpoint.needs)) throw refusedFor(caller)
  const body = endpoint.body ? parse(endpoint.body, own.body ?? undefined) : undefined
  const event = (body as Record<string, unknown> | undefined)?.['event']
  return {
    scope: { ...caller.scope, ...(typeof event === 'string' && { event }) },
    caller,
    params: own.params,
    query: endpoint.query ? parseQuery(endpoint.query, own.query ?? {}) : undefined,
    body,
    headers: undefined,
    bytes: undefined,
    request: requestOf(own),
  }
}

/** Makes a call on behalf of the caller, with the same audit log entry as if the caller had made it. */
export async function perform(one: Served, caller: SignedIn, own: OwnCall, tools: Tools): Promise<unknown> {
  const { endpoint, kind } = one
  const soFar: CallSoFar = { call: null, before: undefined }
  const { requestId: id, address: ip, body, params } = own
  const url = fillPath(endpoint.path, params)
  const recorded = beginCallAct(one, { caller, body, id, ip, method: endpoint.verb, url }, soFar, tools)
  let result: unknown
  try {
    const call = (soFar.call = readOwnCall(one, caller, own))
    if (kind && params['id']) [soFar.before] = await tools.inventory.several(kind, caller.scope, [params['id']])
    result = (await recorded.act.run(() => handleExpecting(one, call, undefined, tools))).result
  } catch (error) {
    await recorded.failed(error)
    throw error
  }
  await recorded.act.done(result)
  return result
}
