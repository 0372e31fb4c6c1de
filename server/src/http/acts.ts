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

/** What is known of a call while it goes on. */
export interface CallSoFar {
  /** Null until it could be read. */
  call: LooseCall | null
  /** The row that it is about, where it has no name afterwards. */
  before: unknown
}

/** What a call was done to, from the first of these that says so: the path, the reply, the body. */
function subjectOf({ kind, nameOf }: Served, { call, before }: CallSoFar, reply: unknown): AuditSubject {
  const [made, sent, known] = [reply, call?.body, before].map((it) => (it ?? {}) as Record<string, unknown>)
  return {
    kind: kind?.name ?? null,
    id: call?.params['id'] ?? text(made!['id']),
    name: text(made!['name']) ?? text(known!['name']) ?? text(sent!['name']) ?? nameOf?.(call?.body, reply) ?? null,
  }
}

/**
 * Whether a call is an act, of which the audit log has a line: what is meant to do something, and what takes contents out
 * of here (files, logs, consoles). A reading POST (tasks by their ids) is none.
 */
export const isAct = ({ verb, needs, bytes, isAct: isDeclared }: Endpoint): boolean =>
  isUnsafe(verb)
    ? (isDeclared ?? !(typeof needs === 'object' && needs.ability === 'read'))
    : bytes === 'out' || isDeclared === true

/** The status of a good answer. */
export const statusOf = ({ status, reply, bytes }: Endpoint): number =>
  status ?? (reply instanceof z.ZodVoid && bytes !== 'out' ? 204 : 200)

/** What the audit log calls a call. */
export const actionOf = ({ about, name }: Pick<Served, 'about' | 'name'>): string => `${about}.${name}`

/** Who makes a call, and by which request. */
export type CallSource = Pick<FastifyRequest, 'caller' | 'body' | 'id' | 'ip' | 'method' | 'url'>

/**
 * What a task that the call begins keeps of it, once it could be read: what was sent, without what it means where nothing
 * was said. A call whose body is a file cannot be made again from what is known.
 */
function requestOf({ endpoint }: Served, { call }: CallSoFar, body: unknown): TaskRequest | null {
  if (!call || endpoint.bytes === 'in' || endpoint.needs === 'public') return null
  const { params, query } = call
  return keptRequest({ verb: endpoint.verb, path: endpoint.path, params, query: { ...(query as object) }, body })
}

/** A call as an act of the audit log: its line is written together with what it changes. */
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
    // a cloud knows no transactions of ours, and a body that is still coming takes longer than one
    noteFirst: endpoint.bytes === 'in' || (request.caller !== null && engines.some(({ feed }) => feed !== null)),
  })
  return {
    act,
    async failed(error) {
      // nobody did anything: it could not even be read
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

/** Acts that are no calls: the way back from an identity provider, what is done at the machine, and by itself. */
const besideCalls = ['session.handOver', 'user.resetAdministrator', 'recycled_item.expire']

/** Everything that the audit log may have lines of, each once. */
export const activitiesOf = (served: readonly Served[]): string[] => [
  ...new Set([...served.filter(({ endpoint }) => isAct(endpoint)).map(actionOf), ...besideCalls]),
]
