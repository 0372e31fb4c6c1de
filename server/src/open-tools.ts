import { hostname } from 'node:os'
import path from 'node:path'
import type { ComposeOptions, Engines } from '@mainstay/engines/ports/engines'
import { createAudit } from './audit/audit'
import { computeOrAdvice } from './compute-or-advice'
import type { Config } from './config'
import { takeEngineLease, type EngineLease } from './engine-lease'
import { claimIndex } from './index-owner'
import { followEngines } from './inventory/follow-engines'
import { createInventory } from './inventory/inventory'
import { createPlatformParts } from './metrics/platform-parts'
import { createImageUploads } from './proxies/image-uploads'
import { createHub } from './realtime/hub'
import { createConsoleTickets } from './session/console-tickets'
import { createHandOvers } from './session/hand-overs'
import { createSessions } from './session/sessions'
import { sqlOf } from './session/sql'
import { joinServers, type ThisServer } from './store/servers'
import { openStore, type Store } from './store/store'
import { createTasks } from './tasks/tasks'
import type { Tools } from './tools'
import type { Log } from '@mainstay/engines/ports/records'

const PRUNE_EVERY_MS = 3600 * 1000

export interface OpenTools {
  tools: Tools
  /** Lets the engines, the jobs and the database go, in this order. Machines go on running. */
  close(): Promise<void>
}

export async function openTools(options: {
  config: Config
  log: Log
  version: Tools['version']
  compose: (options: ComposeOptions) => Promise<Engines>
  onFirstStart: ComposeOptions['onFirstStart']
  /** Another server has become the engine of this database: nothing is written any more, and this one must stop. */
  onEngineLost?: () => void
  /** Cheaper passwords and quicker machines, for tests. */
  forTests?: Pick<ComposeOptions, 'passwordCost' | 'delays'>
  /** A database that is open already. */
  store?: Store
}): Promise<OpenTools> {
  const { config, log, version, compose } = options
  const store =
    options.store ?? (await openStore({ databaseUrl: config.databaseUrl, dataFolder: config.dataFolder, log }))
  let server: ThisServer | null = null
  let engineLease: EngineLease | null = null
  try {
    const sql = sqlOf(store.db)
    // of a cloud there is one, however many servers ask it; this machine is a cloud for one server alone
    if (!config.cloud) engineLease = await takeEngineLease(store, config.dataFolder, log)
    engineLease?.lost.addEventListener('abort', () => options.onEngineLost?.())
    const replica = `${hostname()}${config.dataFolder}`
    server = await joinServers({ connection: store.connection, log, replica, version: version.version })
    const thisServer = server
    const declareTables = (signatures: string[]) => thisServer.declare({ signatures })
    const inventory = await createInventory({ store, log, declareTables })
    const tasks = createTasks({ store, inventory, log, server })
    const rows = inventory.from(config.cloud ? 'openstack' : 'embedded')
    await claimIndex(sql, inventory, config.cloud ? 'feed' : 'record')
    const engines = await compose({
      sql,
      records: engineLease?.guard(rows) ?? rows,
      absorb: rows.absorb,
      jobs: tasks,
      log,
      cloud: config.cloud,
      hypervisor: config.hypervisor,
      world: config.world,
      folder: path.join(config.dataFolder, 'engine'),
      adminPassword: config.adminPassword,
      onFirstStart: options.onFirstStart,
      ...options.forTests,
    })
    const { identity } = engines
    const { compute, computeMissing } = computeOrAdvice(engines.compute)
    const limits = { absoluteSeconds: config.sessionHours * 3600, idleSeconds: config.sessionIdleHours * 3600 }
    const sessions = createSessions({ sql, identity, limits })
    const hub = await createHub({
      inventory,
      log,
      resolve: (token) => sessions.resolve(token, 'socket', { idle: true }),
    })
    sessions.onEnded((sessionId) => hub.revoke(sessionId))
    // of some the end may not have been heard
    await store.listen('session_ended', (id) => (id === '' ? hub.checkAll() : sessions.tellEnded(id)))
    await compute.open()
    await tasks.start()
    const following = await followEngines({
      ...{ store, inventory: rows, compute, log },
      holder: `${hostname()}:${config.port}`,
      onOutage: hub.tellOutage,
    })
    const audit = createAudit(sql, log)
    const pruning = setInterval(() => {
      sessions.prune().catch((err: unknown) => log.warn({ err }, 'old sessions could not be removed'))
      audit
        .prune(config.auditDays)
        .catch((err: unknown) => log.warn({ err }, 'old lines of the audit log could not be removed'))
    }, PRUNE_EVERY_MS)
    pruning.unref()
    const imageUploads = createImageUploads({ compute, inventory, log })
    const tools: Tools = {
      log,
      version,
      inventory,
      tasks,
      hub,
      sessions,
      audit,
      consoleTickets: createConsoleTickets(sql),
      handOvers: createHandOvers(sql),
      identity,
      compute,
      imageUploads,
      computeMissing,
      engineStates: following.engineStates,
      platformParts: createPlatformParts({
        ...{ store, sql, computeMissing, dataFolder: config.dataFolder },
        engineStates: following.engineStates,
      }),
      health: {
        jobs: async () => (await sql.query<{ count: number }>('select count(*) as count from job'))[0]!.count,
      },
    }
    return {
      tools,
      async close() {
        clearInterval(pruning)
        await following.close()
        await imageUploads.close()
        // jobs first: they use the engine until they are told to let go
        await tasks.close()
        await compute.close()
        inventory.close()
        await thisServer.leave()
        await engineLease?.release()
        await store.close()
      },
    }
  } catch (error) {
    await server?.leave()
    await engineLease?.release()
    await store.close()
    throw error
  }
}
