import { Problem, problem, withField, cloudSays } from '@mainstay/contract/core/problems'
import * as z from 'zod'
import type { InstancesPort } from '../../../ports/compute'
import type { Scope } from '../../../ports/scope'
import type { Engine, TaskSteps, TrackedTask } from '../../engine'
import { allowed, orInvalidState, refreshed, sendAction, subjectOf } from './act'
import { confirming } from './resize'

type MovesPort = Pick<InstancesPort, 'setPassword' | 'migrate' | 'stopMigration' | 'evacuate'>

const Migrations = z.object({ migrations: z.array(z.object({ id: z.union([z.number(), z.string()]) })) })

/** Migration commands for operators, and setting passwords, which requires a guest agent. */
export const moveCommands = (engine: Engine): MovesPort => ({
  async setPassword(scope, id, password) {
    await allowed(engine, scope, id, 'setPassword')
    const cloud = await engine.as(scope)
    const body = { changePassword: { adminPass: password.reveal() } }
    await sendAction(cloud, id, body).catch((error: unknown) => {
      const isOfGuest = error instanceof Problem && ['conflict', 'invalid_state', 'unsupported'].includes(error.code)
      throw isOfGuest
        ? cloudSays(error.message, { code: 'guest_agent_unavailable', data: error.data, cause: error })
        : error
    })
    return refreshed(engine, id)
  },

  async migrate(scope, id, { node, cold }) {
    const row = await allowed(engine, scope, id, 'migrate')
    const isLive = row.status === 'ACTIVE' && !cold
    const [body, version] = isLive
      ? [{ 'os-migrateLive': { host: node, block_migration: 'auto' } }, '2.30']
      : [{ migrate: node === null ? null : { host: node } }, '2.56']
    const args = { host: row.host ?? null }
    await engine.command({ ...followed(row, scope), name: 'compute.server.migrate', args }, () =>
      move(engine, scope, id, { body, version, node }),
    )
    return refreshed(engine, id)
  },

  async stopMigration(scope, id) {
    const row = await allowed(engine, scope, id, 'stopMigration')
    const cloud = await engine.as(scope)
    const path = `/servers/${id}/migrations`
    const { migrations } = await cloud.get('compute', path, Migrations, { version: '2.24' })
    const running = migrations[0]
    if (!running) throw problem('compute.no_live_migration', {}, { data: { status: row.status } })
    await engine.command({ ...followed(row, scope), name: 'compute.server.stop_migration' }, () =>
      orInvalidState(
        engine,
        id,
        cloud.send('DELETE', 'compute', `${path}/${running.id}`, z.void(), { version: '2.24' }),
      ),
    )
    return refreshed(engine, id)
  },

  async evacuate(scope, id, node) {
    const row = await allowed(engine, scope, id, 'evacuate')
    const body = { evacuate: node === null ? {} : { host: node } }
    await engine.command({ ...followed(row, scope), name: 'compute.server.evacuate' }, () =>
      move(engine, scope, id, { body, version: '2.29', node }),
    )
    return refreshed(engine, id)
  },
})

interface Move {
  body: Record<string, unknown>
  version: string
  node: string | null
}

/** Sends a migration or evacuation. If the cloud rejects the chosen node, the error is on the `node_id` field. */
async function move(engine: Engine, scope: Scope, id: string, { body, version, node }: Move): Promise<void> {
  const cloud = await engine.as(scope)
  try {
    await orInvalidState(engine, id, sendAction(cloud, id, body, version))
  } catch (error) {
    const isOfNode =
      node !== null && error instanceof Problem && ['validation', 'not_found', 'no_valid_host'].includes(error.code)
    if (!isOfNode) throw error
    throw withField(error, { field: 'node_id', code: error.code === 'no_valid_host' ? error.code : 'validation' })
  }
}

const followed = (row: { id: string; name: string }, scope: Scope): Omit<TrackedTask, 'name'> => ({
  ...{ subject: subjectOf(row), until: 'settled', scope },
})

export const migrateSteps = (engine: Engine): TaskSteps => ({
  // after a cold migration, the instance waits for confirmation
  whilePending: confirming(engine),

  /**
   * If no node accepts the instance or the migration was cancelled, the only sign is that the instance stays on its
   * node.
   */
  async onSettled({ subject: { id }, args }) {
    const { host } = await refreshed(engine, id)
    if (host === args['host']) throw problem('compute.not_migrated')
  },
})
