import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { planEngines } from '@mainstay/engines/compose'
import { readConfig } from '../config'
import { engineSettings } from '../engines/settings'
import { createLog, toDescriptor } from '../log'
import { openTools } from '../open-tools'
import type { Tools } from '../tools'
import { testDatabase } from './postgres/postgres'
import { silentLogger } from './silent-logger'

/** Environment variables that select the cloud, and variables that every program inherits. */
const telling = /^(OS_.*|MAINSTAY_CLOUD|MAINSTAY_ENGINE|OPENSTACK_(NOTIFICATIONS|WEBSSO)_URL|HOME|PATH)$/

/** Environment variables that select the cloud under test. Throws if there are none. */
export function cloudEnvironment(): Record<string, string> {
  const named = Object.entries(process.env).filter(
    (it): it is [string, string] => telling.test(it[0]) && Boolean(it[1]),
  )
  const environment: Record<string, string> = { MAINSTAY_ENGINE: 'openstack', ...Object.fromEntries(named) }
  if (!('MAINSTAY_CLOUD' in environment) && !('OS_AUTH_URL' in environment) && !('OS_CLOUD' in environment))
    throw new Error('No cloud is named to test on: run this by npm run test:openstack')
  return environment
}

/**
 * Opens a server on a real cloud, without the HTTP layer and with its own database. Set `MAINSTAY_LOG_LEVEL` to see its
 * log.
 */
export async function openCloudServer(): Promise<{ tools: Tools; databaseUrl: string; close(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mainstay-cloud-'))
  const database = await testDatabase()
  const level = process.env['MAINSTAY_LOG_LEVEL']
  const config = readConfig({ ...cloudEnvironment(), MAINSTAY_DATA: folder, DATABASE_URL: database.url })
  const opened = await openTools({
    config,
    plan: planEngines({ ...engineSettings(config), onFirstStart: () => undefined }),
    log: level ? createLog(level, toDescriptor(2)) : silentLogger,
    version: { version: '0.0.0', release: 'test', build: 'test' },
  })
  return {
    tools: opened.tools,
    databaseUrl: database.url,
    async close() {
      await opened.tools.hub.close()
      await opened.close()
      await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
