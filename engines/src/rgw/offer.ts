import type { S3Service } from '@mainstay/contract/object-storage/s3-service'
import type { Engine, EngineOffer, EngineServices } from '../ports/engine'
import type { RgwChoice } from '../ports/engines'
import type { ObjectStoragePort } from '../ports/object-storage'
import { createUserCheck } from '../s3/people'
import { openAccounts } from './accounts'
import { createRgwAdmin } from './admin-client'
import { lookAt, type Health } from './health'
import { readRgwSettings, type RgwSettings } from './settings'
import { createSettle } from './settle'
import { startUpkeep } from './upkeep'
import { cachedUsage } from './usage'

export const RGW_SOURCE = 'rgw'
/** How long a health check result is cached, in milliseconds, because pages poll it. */
const SEEN_FOR_MS = 3_000

/** Offers a Ceph Object Gateway as an engine. Throws an `EngineChoiceError` if the configuration cannot be used. */
export function rgwOffer({ rgw }: { rgw: RgwChoice }): EngineOffer {
  const settings = readRgwSettings(rgw)
  return {
    source: RGW_SOURCE,
    areas: ['object-storage'],
    needs: {},
    kinds: [],
    open: (_, lent) => openRgw(settings, lent),
  }
}

async function openRgw(settings: RgwSettings, { sql, log, identity }: EngineServices): Promise<Engine> {
  const { endpoint, adminEndpoint, region, ca } = settings
  const admin = createRgwAdmin(settings)
  const settle = createSettle({ sql, admin, identity, isActive: createUserCheck(identity) })
  const accounts = openAccounts({ sql, admin, settle })
  const usageOf = cachedUsage(accounts)
  const upkeep = startUpkeep(sql, settle, log, look)
  let available = true
  let seen: { until: number; health: Promise<Health> } | null = null
  let last: Health = { state: 'healthy', detail: null }

  /** Reads the setting again, because another server may have changed it. */
  async function readAvailable(): Promise<boolean> {
    const [row] = await sql.query<{ available: boolean }>('select available from s3_state')
    return (available = row?.available ?? true)
  }

  async function look(): Promise<Health> {
    if (seen && seen.until > performance.now()) return seen.health
    const health = lookAt(admin, adminEndpoint)
    seen = { until: performance.now() + SEEN_FOR_MS, health }
    const { detail } = last
    last = await health
    if (last.detail !== null && last.detail !== detail)
      log.warn({ engine: RGW_SOURCE, advice: last.detail }, 'the object gateway does not work correctly')
    await readAvailable()
    return last
  }

  async function service(): Promise<S3Service> {
    const isThere = await readAvailable()
    const { state, detail } = isThere ? await look() : { state: 'absent' as const, detail: null }
    return {
      ...{ s3_enabled: isThere, state, detail, region },
      endpoint: isThere ? endpoint : null,
      protocol: isThere ? (endpoint.startsWith('https:') ? 'https' : 'http') : null,
      capabilities: { disabling_keys: false, key_use: false, policy_validation: false },
      usage: state === 'failed' ? null : await usageOf(),
    }
  }

  const port: ObjectStoragePort = {
    ...accounts,
    service,
    // not supported, because it would require one request per bucket
    bucketUsages: () => Promise.resolve([]),
    bucketId: () => Promise.resolve(null),
    async setAvailable(next) {
      available = next
      await accounts.setAvailable(next)
    },
    answer: null,
    upstream: () =>
      available
        ? {
            endpoint,
            ca,
            region,
            checksBodies: false,
            tellsUploadTag: false,
            looksAtPolicies: false,
            takesSource: false,
          }
        : null,
  }

  return {
    source: RGW_SOURCE,
    name: RGW_SOURCE,
    about: { hypervisor: 'none', accelerator: 'none', simulated: false },
    problems: () => (last.detail === null ? [] : [last.detail]),
    ports: { 'object-storage': port },
    missing: {},
    capabilities: {},
    feed: null,
    async open() {
      await readAvailable()
      // an unreachable gateway must not prevent the server from starting
      await look()
    },
    async close() {
      await upkeep.close()
      await admin.close()
    },
  }
}
