import type { Endpoint } from '@mainstay/contract/core/endpoint'
import type { TaskRequest } from '@mainstay/contract/core/tasks'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { Act } from '../audit/acts'
import { changesInAddress, changesOf } from '../audit/changes'
import { keptRequest } from '../audit/kept-request'
import type { AuditSubject } from '../audit/line'
import type { Tools } from '../tools'
import { isUnsafe } from './callers'
import { asProblem } from './problem-replies'
import type { LooseCall, Served } from './serve'

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** State of a call that is being handled. */
export interface CallSoFar {
  /** The parsed call; null until the call is parsed. */
  call: LooseCall | null
  /** The row as it was before a call that deletes or changes it. */
  before: unknown
}

/** The object of a call. Its name is taken from the reply, the previous row or the body, in this order. */
function subjectOf({ kind, nameOf }: Served, { call, before }: CallSoFar, reply: unknown): AuditSubject {
  const [made, sent, known] = [reply, call?.body, before].map((it) => (it ?? {}) as Record<string, unknown>)
  return {
    kind: kind?.name ?? null,
    id: call?.params['id'] ?? text(made!['id']),
    name: text(made!['name']) ?? text(known!['name']) ?? text(sent!['name']) ?? nameOf?.(call?.body, reply) ?? null,
  }
}

/**
 * Whether the audit log records a call: every call that changes something, and reads that return content (files, logs,
 * consoles). A POST that only reads, such as finding tasks by ID, is not recorded.
 */
export const isAct = ({ verb, needs, bytes, isAct: isDeclared }: Endpoint): boolean =>
  isDeclared ?? (isUnsafe(verb) ? !(typeof needs === 'object' && needs.ability === 'read') : bytes === 'out')

/** HTTP status of a successful call. */
export const statusOf = ({ status, reply, bytes }: Endpoint): number =>
  status ?? (reply instanceof z.ZodVoid && bytes !== 'out' ? 204 : 200)

/** Action name of a call in the audit log. */
export const actionOf = ({ about, name }: Pick<Served, 'about' | 'name'>): string => `${about}.${name}`

/** The parts of a request that identify the caller and the call. */
export type CallSource = Pick<FastifyRequest, 'caller' | 'body' | 'id' | 'ip' | 'method' | 'url'>

/**
 * The request to store with a task that the call starts, with the body as sent, before defaults are applied. Null
 * before the call is parsed, and for public calls and uploads: an upload cannot be repeated, because its file is not
 * stored.
 */
function requestOf({ endpoint }: Served, { call }: CallSoFar, body: unknown): TaskRequest | null {
  if (!call || endpoint.bytes === 'in' || endpoint.needs === 'public') return null
  const { params, query } = call
  return keptRequest({ verb: endpoint.verb, path: endpoint.path, params, query: { ...(query as object) }, body })
}

/** Begins the audited action of a call. Its entry is written with the change, or before it (`noteFirst`). */
export function beginCallAct(
  one: Served,
  request: CallSource,
  soFar: CallSoFar,
  { audit, engines }: Tools,
): { act: Act; failed(error: unknown): Promise<void> } {
  const { endpoint, kind } = one
  const act = audit.begin({
    call: {
      action: actionOf(one),
      scope: request.caller?.scope ?? null,
      user_name: request.caller ? null : text((request.body as Record<string, unknown> | null)?.['username']),
      request_id: request.id,
      address: request.ip,
      session_id: request.caller?.session_id ?? null,
      method: request.method,
      path: request.url.split('?')[0]!,
      started_at: new Date(),
    },
    status: statusOf(endpoint),
    kind: kind?.name ?? null,
    subjectOf: (thing) => subjectOf(one, soFar, thing),
    changes() {
      const { call, before } = soFar
      if (endpoint.needs === 'public' || !call) return []
      return [...changesInAddress(endpoint.verb, call.params), ...changesOf(call.body, before)]
    },
    request: () => requestOf(one, soFar, request.body ?? null),
    // clouds do not take part in our transactions, and uploads run longer than a transaction
    noteFirst: endpoint.bytes === 'in' || (request.caller !== null && engines.some(({ feed }) => feed !== null)),
  })
  return {
    act,
    async failed(error) {
      // an anonymous call that could not be parsed did nothing
      if (request.caller === null && soFar.call === null) return
      const problem = asProblem(error)
      await act.failed({
        subject: subjectOf(one, soFar, undefined),
        result: 'error',
        status: problem?.status ?? 500,
        error_code: problem?.code ?? 'unknown',
        message: problem?.message ?? null,
      })
    },
  }
}

/** Audited actions that are not calls: sign-in through an identity provider, commands on the host, automatic expiry. */
const besideCalls = ['session.handOver', 'user.resetAdministrator', 'recycled_item.expire']

/** All actions that can appear in the audit log, without duplicates. */
export const activitiesOf = (served: readonly Served[]): string[] => [
  ...new Set([...served.filter(({ endpoint }) => isAct(endpoint)).map(actionOf), ...besideCalls]),
]
