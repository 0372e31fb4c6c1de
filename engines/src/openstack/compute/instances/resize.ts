import type { Instance } from '@mainstay/contract/compute/instances'
import { Problem, fieldProblem, problem, withField } from '@mainstay/contract/core/problems'
import type { InstancesPort } from '../../../ports/compute'
import type { Engine, TaskSteps } from '../../engine'
import { unlessGone } from '../../read-each'
import { allowed, orInvalidState, refreshed, sendAction, subjectOf } from './act'
import { flavorReader } from '../flavors/shape'

/** Returns the error for live resize, which the cloud does not support. */
export const noLiveResize = (): Problem => fieldProblem('allow_live_resize', 'compute.resize_needs_restart')

/**
 * Resizes an instance and keeps its power state; the cloud restarts a running instance. Until the resize is confirmed,
 * the cloud keeps the previous state so that it can be reverted.
 */
export async function resizeInstance(
  engine: Engine,
  ...[scope, id, flavorId, { restart }]: Parameters<InstancesPort['resize']>
): Promise<Instance> {
  const row = await allowed(engine, scope, id, restart ? 'resizeWithRestart' : 'resize')
  const cloud = await engine.as(scope)
  const flavor = await unlessGone(flavorReader.one(cloud, flavorId))
  if (!flavor) throw fieldProblem('flavor', 'compute.no_such_flavor')
  if (flavor.id === row.flavor.id) throw fieldProblem('flavor', 'compute.same_flavor')
  const args = { flavor: flavor.name }
  const meant = { name: 'compute.server.resize', subject: subjectOf(row), until: 'settled', scope, args } as const
  await engine
    .command(meant, () => orInvalidState(engine, id, sendAction(cloud, id, { resize: { flavorRef: flavor.id } })))
    .catch((error: unknown) => {
      const isOfFlavor =
        error instanceof Problem && ['validation', 'quota_exceeded', 'no_valid_host'].includes(error.code)
      throw isOfFlavor ? withField(error, { field: 'flavor' }) : error
    })
  return refreshed(engine, id)
}

/**
 * Confirms a resize or migration immediately (I3), with the service account because the user's token may have expired.
 * As a task step, it runs on the server that continues the task. Resizes started by other clients are left for those
 * clients to confirm.
 */
export const confirming =
  (engine: Engine): NonNullable<TaskSteps['whilePending']> =>
  async ({ subject: { id } }, row) => {
    const { status, task_state } = row as Instance
    if (status !== 'VERIFY_RESIZE' || task_state !== null) return
    try {
      await sendAction(engine.reading.caller, id, { confirmResize: null })
    } catch (error) {
      // another client has already confirmed the resize
      if (!(error instanceof Problem) || !['conflict', 'invalid_state', 'not_found'].includes(error.code)) throw error
    }
    await refreshed(engine, id)
  }

export const resizeSteps = (engine: Engine): TaskSteps => ({
  /** Returns true if the resize is in progress, awaiting confirmation, or complete. */
  async find({ subject: { id }, args }) {
    const row = await unlessGone(refreshed(engine, id))
    if (!row) return false
    const { status, task_state, flavor } = row
    const isUnderWay = ['RESIZE', 'VERIFY_RESIZE'].includes(status) || (task_state?.startsWith('resize') ?? false)
    return isUnderWay || flavor.original_name === args['flavor']
  },
  whilePending: confirming(engine),

  /** Fails the task if no node accepted the new flavor; the only sign is that the flavor is unchanged. */
  async onSettled({ subject: { id }, args }) {
    const { flavor } = await refreshed(engine, id)
    if (flavor.original_name === args['flavor']) return
    throw problem('compute.flavor_not_changed', { flavor: String(args['flavor']) })
  },
})
