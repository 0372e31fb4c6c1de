import type { Instance } from '@mainstay/contract/compute/instances'
import { Problem, fieldProblem, problem, withField } from '@mainstay/contract/core/problems'
import type { InstancesPort } from '../../../ports/compute'
import type { Engine, TaskSteps } from '../../engine'
import { unlessGone } from '../../read-each'
import { allowed, orInvalidState, refreshed, sendAction, subjectOf } from './act'
import { flavorReader } from '../flavors/shape'

/** The refusal of what the cloud has no call for. */
export const noLiveResize = (): Problem => fieldProblem('allow_live_resize', 'compute.resize_needs_restart')

/**
 * The instance keeps its power state: the cloud switches one that runs off and on again. It moves it aside and waits to
 * be told that all is well.
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
 * What waits to be confirmed is confirmed at once (I3), by the service account, because who asked may have signed out
 * meanwhile. The task does it, so that it is done by whichever server goes on with the task. What others began, past
 * this server, waits for them.
 */
export const confirming =
  (engine: Engine): NonNullable<TaskSteps['whilePending']> =>
  async ({ subject: { id } }, row) => {
    const { status, task_state } = row as Instance
    if (status !== 'VERIFY_RESIZE' || task_state !== null) return
    try {
      await sendAction(engine.reading.caller, id, { confirmResize: null })
    } catch (error) {
      // somebody else was first
      if (!(error instanceof Problem) || !['conflict', 'invalid_state', 'not_found'].includes(error.code)) throw error
    }
    await refreshed(engine, id)
  }

export const resizeSteps = (engine: Engine): TaskSteps => ({
  /** It is under way, waits to be confirmed, or is done. */
  async find({ subject: { id }, args }) {
    const row = await unlessGone(refreshed(engine, id))
    if (!row) return false
    const { status, task_state, flavor } = row
    const isUnderWay = ['RESIZE', 'VERIFY_RESIZE'].includes(status) || (task_state?.startsWith('resize') ?? false)
    return isUnderWay || flavor.original_name === args['flavor']
  },
  whilePending: confirming(engine),

  /** Where no node takes the new flavor, the cloud leaves the instance as it was, and says so nowhere else. */
  async onSettled({ subject: { id }, args }) {
    const { flavor } = await refreshed(engine, id)
    if (flavor.original_name === args['flavor']) return
    throw problem('compute.flavor_not_changed', { flavor: String(args['flavor']) })
  },
})
