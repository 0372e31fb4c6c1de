import { hostname } from 'node:os'
import type { Composed, EnginePlan, RecordsAndTables } from '@mainstay/engines/ports/engine'
import type { Ceph } from '@mainstay/engines/ceph/ceph'
import type { Hosts } from '@mainstay/engines/hosts/hosts'
import { recordingActs } from './audit/acts'
import { createAudit } from './audit/audit'
import { certificateSetting, createServedCertificate } from './certificates/served'
import { createAuditLog } from './audit/find-lines'
import type { Config } from './config'
import { takeEngineLease, type EngineLease } from './engines/lease'
import { obeyDeletionLocks } from './engines/obey-deletion-locks'
import { followEngines } from './inventory/follow-engines'
import { createInventory } from './inventory/inventory'
import { claimKinds, removeFormerPeople } from './engines/kind-sources'
import { directorySignIn } from './ldap/sign-in'
import { openMetricsPipeline, openMetricsStoreOf, type MetricsPipeline } from './metrics/open-metrics-pipeline'
import { createPlatformParts } from './metrics/platform-parts'
import type { MetricsStore } from './metrics/store/metrics-store'
import { activitiesOf } from './http/acts'
import { operatorsElsewhere } from './http/addresses/console-addresses'
import { allActivities, allJobs, allRoutes, allSchedules, modules, openAreas, serverKinds } from './modules'
import type { RecentLog } from './reports/recent-log'
import { createHub } from './realtime/hub'
import { createScheduler } from './scheduler/scheduler'
import { seal, unseal } from './session/sealing'
import { createSessions } from './session/sessions'
import { sqlOf } from './session/sql'
import { openSealingKey } from './settings/sealing-key'
import { createSettings } from './settings/settings'
import { secretsOf, shownConfig } from './shown-config'
import { joinServers, type ThisServer } from './store/servers'
import { openStore, type Store } from './store/store'
import { handlerOf } from './tasks/job'
import { createTasks } from './tasks/tasks'
import type { CoreTools, Tools } from './tools'
import type { Log } from '@mainstay/engines/ports/records'
import type { Secret } from '@mainstay/engines/ports/secret'

export interface OpenTools {
  tools: Tools
  /** Closes the jobs, the engines and the database, in this order. Instances keep running. */
  close(): Promise<void>
}

export async function openTools(options: {
  config: Config
  log: Log
  version: Tools['version']
  /** The engines, and the areas that each of them serves. */
  plan: EnginePlan
  /** Last lines of the log, for problem reports. */
  recentLog?: RecentLog
  /** Cloud settings without secrets, and the secrets themselves. */
  cloud?: { shown: object; secrets: readonly Secret[] } | null
  /**
   * Called when another server takes over the engine on this database. Writes are then refused, and this server must
   * stop.
   */
  onEngineLost?: () => void
  /** Uses this open database instead of opening one. */
  store?: Store
  /** Uses this open metrics store instead of opening one. */
  metricsStore?: MetricsStore
  /** Connects to hosts. Null if hosts are not read. */
  hosts?: Hosts | null
  /** The attached Ceph cluster. The caller closes it. */
  ceph?: Ceph | null
  /** Speed-up factor for cloud sync, metrics sampling and host readings, for tests. */
  pace?: number
}): Promise<OpenTools> {
  const { config, log, version, plan } = options
  const store =
    options.store ?? (await openStore({ databaseUrl: config.databaseUrl, dataFolder: config.dataFolder, log }))
  let server: ThisServer | null = null
  let engineLease: EngineLease | null = null
  let composed: Composed | null = null
  let figures: MetricsPipeline | null = null
  try {
    const sql = sqlOf(store.db)
    // several servers can share a cloud, but only one server can run the embedded engine
    const isOfThisMachine = plan.engines.some(({ offer }) => offer.isOfThisMachine)
    if (isOfThisMachine) engineLease = await takeEngineLease(store, config.dataFolder, log)
    engineLease?.lost.addEventListener('abort', () => options.onEngineLost?.())
    const replica = `${hostname()}${config.dataFolder}`
    server = await joinServers({ connection: store.connection, log, replica, version: version.version })
    const thisServer = server
    const declareTables = (signatures: string[]) => thisServer.declare({ signatures })
    const inventory = await createInventory({ store, log, declareTables })
    const tasks = createTasks({ store, inventory, log, server })
    await claimKinds(
      sql,
      plan.engines,
      serverKinds.map(({ name }) => name),
    )
    await removeFormerPeople(sql, inventory, plan.engines)
    const sealingKey = await openSealingKey(config)
    const settings = createSettings(sql, sealingKey)
    const certificate = await createServedCertificate({ config, settings, log })
    composed = await plan.open((source) => {
      const rows = inventory.from(source)
      const records: RecordsAndTables = {
        ...rows,
        transaction: (work) => rows.transaction((tx, _db, tables) => work(tx, tables)),
      }
      return {
        sql: recordingActs(sql),
        records: engineLease?.guard(records) ?? records,
        applyObservations: rows.applyObservations,
        jobs: tasks,
        log,
        seals: {
          seal: (text, place) => seal(text, sealingKey, place),
          unseal: (sealed, place) => unseal(sealed, sealingKey, place),
        },
        certificate,
      }
    })
    const engine = composed
    const { engines, areas, capabilities } = engine
    const ports = obeyDeletionLocks(engine, inventory)
    const { identity } = ports
    const limits = { absoluteSeconds: config.sessionHours * 3600, idleSeconds: config.sessionIdleHours * 3600 }
    const directory = directorySignIn({ settings, identity, log })
    const sessions = createSessions({
      ...{ sql, identity, limits, sealingKey, directory },
      operatorsElsewhere: operatorsElsewhere(config),
      async onLocked(who) {
        for (const one of modules) await one.onLocked?.(who, { inventory, log })
      },
      async removeKeys(user) {
        for (const one of modules) await one.removeKeys?.(user, { areas, ports })
      },
    })
    const hub = await createHub({
      inventory,
      log,
      resolve: (token, panel) => sessions.resolve(token, 'socket', { idle: true, panel }),
    })
    sessions.onEnded((sessionId) => hub.revoke(sessionId))
    // an empty ID means that notifications may have been missed
    await store.listen('session_ended', (id) => (id === '' ? hub.checkAll() : sessions.tellEnded(id)))
    sessions.rightsChanges.onChanged((of) => {
      identity.rightsChanged?.(of)
      if (of === null) hub.checkAll()
      else hub.checkThoseOf(of)
    })
    await store.listen('rights_changed', sessions.rightsChanges.tell)
    await engine.open()
    for (const one of modules) await one.seed?.({ inventory })
    // update planner statistics after the engines have created their first rows
    await inventory.analyzeGrown()
    const following = await followEngines({
      ...{ store, inventory, engines, log },
      holder: `${hostname()}:${config.port}`,
      onOutage: hub.tellOutage,
      ...(options.pace && { pace: options.pace }),
    })
    const audit = createAudit(sql, log)
    await store.listen('setting_changed', (name) => {
      if (name !== '' && name !== certificateSetting.name) return
      certificate.look().catch((err: unknown) => log.error({ err }, 'failed to read the new certificate'))
    })
    const scheduler = createScheduler({ db: store.db, inventory, log, schedules: allSchedules })
    const platformParts = createPlatformParts({
      ...{ store, sql, engines, dataFolder: config.dataFolder },
      engineStates: following.engineStates,
    })
    figures = openMetricsPipeline({
      store: options.metricsStore ?? openMetricsStoreOf(config, store.isEmbedded || isOfThisMachine, log),
      ...{ lease: store.lease, log },
      ...(options.pace && { pace: options.pace }),
    })
    const openedFigures = figures
    const { cloud } = options
    const core: CoreTools = {
      config,
      log,
      sql,
      connection: store.connection,
      version,
      inventory,
      lease: store.lease,
      hosts: options.hosts ?? null,
      ceph: options.ceph ?? null,
      pace: options.pace ?? 1,
      tasks,
      scheduler,
      hub,
      sessions,
      audit,
      auditLog: createAuditLog(store.db, [...activitiesOf(allRoutes), ...allActivities]),
      identity,
      settings,
      sealingKey,
      certificate,
      ...{ engines, ports, areas, capabilities },
      engineStates: following.engineStates,
      figures,
      platformParts,
      reported: {
        recentLog: options.recentLog ?? { lines: () => [] },
        configuration: shownConfig(config, cloud?.shown ?? null, plan.areas),
        async secrets() {
          const sealed = [
            ...(await settings.secrets()),
            ...(await opened.secrets()),
            ...(cloud?.secrets ?? []),
            sealingKey,
          ]
          return [...secretsOf(config), ...sealed.map((secret) => secret.reveal())]
        },
      },
      health: {
        jobs: async () => (await sql.query<{ count: number }>('select count(*) as count from job'))[0]!.count,
      },
    }
    const opened = openAreas(core)
    const tools: Tools = { ...core, ...opened.tools }
    for (const job of allJobs)
      tasks.handle(
        job.name,
        handlerOf(job, () => tools),
      )
    await tasks.holdNodes(engines.flatMap(({ nodes = [] }) => nodes))
    await tasks.start()
    await scheduler.start()
    return {
      tools,
      async close() {
        certificate.close()
        await openedFigures.close()
        await scheduler.close()
        await following.close()
        await opened.close()
        // close the jobs first, because they use the engine until they stop
        await tasks.close()
        await engine.close()
        inventory.close()
        await thisServer.leave()
        await engineLease?.release()
        await store.close()
      },
    }
  } catch (error) {
    await figures?.close()
    await composed?.close().catch((err: unknown) => log.warn({ err }, 'failed to close an engine'))
    await server?.leave()
    await engineLease?.release()
    await store.close()
    throw error
  }
}
