import { instanceCan, whyNotNow, type InstanceAction } from '@mainstay/contract/compute/instance-rules'
import type { Instance } from '@mainstay/contract/compute/instances'
import { Problem, problemOf, cloudSays } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { Scope } from '../../../ports/scope'
import type { ServiceClient } from '../../client/service-client'
import type { Engine, TrackedTask } from '../../engine'
import { loadUnlessRefused } from '../../load-unless-refused'
import { instanceReader } from './reader'

export const subjectOf = ({ id, name }: { id: string; name: string }) => ({ kind: 'server', id, name })

/** Returns the caller's instance from the index, or throws `not_found`. */
export const known = (engine: Engine, scope: Scope, id: string): Promise<Instance> =>
  engine.known<Instance>('server', scope, id)

export const refreshed = (engine: Engine, id: string): Promise<Instance> => engine.refresh(instanceReader, id)

/** Returns the caller's instance if its state currently allows the action; throws otherwise. */
export const allowed = (engine: Engine, scope: Scope, id: string, action: InstanceAction): Promise<Instance> =>
  loadUnlessRefused(engine, instanceReader, scope, id, (row) => {
    return instanceCan(action, row) ? null : problemOf(whyNotNow(action, row), { data: { status: row.status } })
  })

/**
 * Awaits `work`. If the cloud rejects the request because of the instance's state, refreshes the row and throws
 * `invalid_state`.
 */
export async function orInvalidState<Result>(engine: Engine, id: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Problem) || !['conflict', 'invalid_state'].includes(error.code)) throw error
    const { status } = await refreshed(engine, id)
    throw cloudSays(error.message, { code: 'invalid_state', data: { ...error.data, status }, cause: error })
  }
}

/** Sends a server action. The body has a single key, the name of the action. */
export const sendAction = (
  cloud: ServiceClient,
  id: string,
  body: Record<string, unknown>,
  version?: string,
): Promise<void> =>
  cloud.send('POST', 'compute', `/servers/${id}/action`, z.void(), { body, ...(version && { version }) })

interface Act {
  action: InstanceAction
  body: Record<string, unknown>
  /** Task that tracks the instance until it has settled. */
  task: TrackedTask['name']
  version?: string
}

/** Checks and sends an asynchronous action, starts its task and returns the refreshed row. */
export async function act(
  engine: Engine,
  scope: Scope,
  id: string,
  { action, body, task, version }: Act,
): Promise<Instance> {
  const row = await allowed(engine, scope, id, action)
  const cloud = await engine.as(scope)
  await engine.command({ name: task, subject: subjectOf(row), until: 'settled', scope }, () =>
    orInvalidState(engine, id, sendAction(cloud, id, body, version)),
  )
  return refreshed(engine, id)
}
