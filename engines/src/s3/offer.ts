import path from 'node:path'
import type { AddressInfo } from 'node:net'
import type https from 'node:https'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import type { S3Service } from '@mainstay/contract/object-storage/s3-service'
import { listenFault } from '../host/listen-fault'
import type { Engine, EngineOffer, EngineServices } from '../ports/engine'
import type { EngineSettings, Sql } from '../ports/engines'
import type { ObjectStoragePort } from '../ports/object-storage'
import { openAccounts } from './accounts'
import { openGrantees } from './grantees'
import { createS3Server } from './http/server'
import { createSessionCalls } from './http/session-calls'
import { createUserCheck, mayUseS3 } from './people'
import { openBlobs } from './store/blobs'
import { openBuckets } from './store/buckets'
import { openEncryptionKeys } from './store/encryption-keys'
import { openFiles } from './store/files'
import { sweepLifecycle } from './store/lifecycle'
import { openMultipart } from './store/multipart'
import { openObjects } from './store/objects'
import { startScrub } from './store/scrub'
import { startUpkeep } from './store/upkeep'

export const S3_SOURCE = 's3'
const LOOPBACK = '127.0.0.1'

/**
 * Offers object storage on this host. Metadata is in the server's database, data is in files, and S3 clients use a
 * separate port.
 */
export const s3Offer = ({
  folder,
  s3,
}: Pick<EngineSettings, 'folder'> & { s3: NonNullable<EngineSettings['s3']> }): EngineOffer => ({
  source: S3_SOURCE,
  areas: ['object-storage'],
  isOfThisMachine: true,
  needs: {},
  kinds: [],
  open: (_, lent) => openObjectStorage(path.join(folder, 's3'), s3, lent),
})

/** Whether object storage is enabled, which is the default. */
async function readAvailable(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ available: boolean }>('select available from s3_state')
  return row?.available ?? true
}

async function openObjectStorage(
  folder: string,
  {
    host,
    port,
    signatureV2,
    kmsKeys,
    names,
    limitConnections,
    takeRequest,
    sourceOf,
    idleMs,
  }: NonNullable<EngineSettings['s3']>,
  { sql, records, log, seals, certificate, identity }: EngineServices,
): Promise<Engine> {
  const blobs = await openBlobs(path.join(folder, 'blobs'))
  const accounts = openAccounts(sql, {
    seals,
    isActive: createUserCheck(identity, mayUseS3),
    firstQuota: () => blobs.firstQuota(),
  })
  const store = {
    sql,
    accounts,
    grantees: openGrantees(sql, records),
    blobs,
    files: openFiles(sql),
    keys: await openEncryptionKeys(sql, seals, kmsKeys, log),
    buckets: openBuckets(sql),
    objects: openObjects(sql),
    multipart: openMultipart(sql),
    signatureV2,
  }
  let available = await readAvailable(sql)
  const isAvailable = () => available
  const tls = certificate.pair()
  const shared = { isAvailable, names, sourceOf, idleMs, log }
  // S3 clients use the configured address; the server's own requests use plain HTTP over the loopback interface
  const outside = createS3Server(store, { ...shared, tls, takeRequest })
  limitConnections(outside.server)
  const inside = tls === null ? null : createS3Server(store, { ...shared, tls: null, takeRequest: () => 0 })
  certificate.onChange((pair) => {
    if (tls !== null) (outside.server as https.Server).setSecureContext(pair)
  })
  const upkeep = startUpkeep(sql, blobs, log, [() => sweepLifecycle(store)])
  const scrub = startScrub(sql, blobs, log)
  const listening = { outside: 0, inside: 0 }

  const portOf = ({ server }: typeof outside) => (server.address() as AddressInfo).port
  const listen = ({ server }: typeof outside, at: { host: string; port: number }) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(listenFault(error, { ...at, variable: 'MAINSTAY_S3_PORT' }) ?? error))
      server.listen(at.port, at.host, resolve)
    })

  /** Returns the problems that operators must fix, or null if there are none. */
  async function troubleOf(): Promise<string | null> {
    const [damaged, locked] = [await store.files.countDamaged(), store.keys.unopened.length]
    const lines = [
      damaged > 0 && `Damaged or missing files: ${damaged}. The log names the objects. Restore them from a backup.`,
      locked > 0 && `Locked encryption keys: ${locked}. Start the server with this installation’s sealing key.`,
    ].filter((line) => line !== false)
    return lines.length > 0 ? lines.join(' ') : null
  }

  async function service(): Promise<S3Service> {
    const trouble = await troubleOf()
    const [usage] = await sql.query<{ buckets: number; objects: number; size: number }>(
      `select (select count(*)::int from s3_bucket) as buckets, coalesce(sum(objects), 0)::bigint as objects,
         coalesce(sum(bytes), 0)::bigint as size
       from (select objects, bytes from s3_usage union all select objects, bytes from s3_usage_delta) each`,
    )
    const shown = names.domains[0] ?? (['0.0.0.0', '::'].includes(host) ? 'localhost' : host)
    const protocol = tls === null ? 'http' : 'https'
    return {
      s3_enabled: available,
      state: !available ? 'absent' : trouble === null ? 'healthy' : 'degraded',
      detail: trouble,
      endpoint: available ? `${protocol}://${shown.includes(':') ? `[${shown}]` : shown}:${listening.outside}` : null,
      protocol: available ? protocol : null,
      region: S3_REGION,
      capabilities: { disabling_keys: true, key_use: true, policy_validation: true },
      usage: usage!,
    }
  }

  const portOfArea: ObjectStoragePort = {
    ...accounts,
    service,
    bucketUsages: (after, most) => store.buckets.usages(after, most),
    async bucketId(name) {
      const bucket = await store.buckets.find(name)
      return bucket ? String(bucket.id) : null
    },
    async setAvailable(next) {
      await sql.query('insert into s3_state (available) values ($1) on conflict (one) do update set available = $1', [
        next,
      ])
      available = next
    },
    answer: createSessionCalls(store, { isAvailable, log }),
    upstream: () =>
      available
        ? {
            endpoint: `http://${inside ? LOOPBACK : loopbackOf(host)}:${listening.inside}`,
            ...{
              ca: null,
              region: S3_REGION,
              checksBodies: true,
              tellsUploadTag: true,
              looksAtPolicies: true,
              takesSource: true,
            },
          }
        : null,
  }

  return {
    source: S3_SOURCE,
    name: S3_SOURCE,
    about: { hypervisor: 'none', accelerator: 'none', simulated: false },
    ports: { 'object-storage': portOfArea },
    missing: {},
    capabilities: {},
    feed: null,
    async open() {
      await listen(outside, { host, port })
      listening.outside = portOf(outside)
      if (inside) await listen(inside, { host: LOOPBACK, port: 0 })
      listening.inside = portOf(inside ?? outside)
    },
    async close() {
      for (const one of [outside, inside]) if (one?.server.listening) await one.close()
      await scrub.close()
      await upkeep.close()
    },
  }
}

/** Returns the host name that the server uses to reach its own listener. */
const loopbackOf = (host: string): string =>
  host === '0.0.0.0' || host === '' ? LOOPBACK : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
