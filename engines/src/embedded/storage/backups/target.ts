import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { fieldProblem, Problem } from '@mainstay/contract/core/problems'
import { noBackupTarget, type BackupTarget, type BackupTargetChange } from '@mainstay/contract/storage/backup-target'
import type { BackupPlace } from '@mainstay/contract/infrastructure/management-backup'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { markFolder, openPlace, testPlace, type Place } from '../../../backup-places'
import type { RecordsTransaction } from '../../../ports/records'
import { Secret } from '../../../ports/secret'
import type { BackupTargetPort } from '../../../ports/storage'
import type { Engine } from '../../engine'

/*
 * Where this engine stores recovery points. A folder is used as it is; files in a bucket are encrypted with age, with a key
 * that stays with the records. Until an operator chooses a target, it is a folder beside the disks.
 */

/** The target, as it is kept. */
interface KeptTarget {
  place: BackupPlace
  /** Name of the file that marks the folder; null for a bucket and for the folder beside the disks. */
  marker: string | null
  /** Encrypted secret key of the bucket. */
  secret: string | null
}

/** The key of encrypted files. It never changes, so that earlier files can be read. */
interface KeptKey {
  recipient: string
  /** Encrypted. */
  identity: string
}

export interface OpenTarget {
  /** Same for the same place, so that recovery points are found again after a return to it. */
  id: string
  place: Place
  /** Null if files are not encrypted. */
  key: { recipient: string; identity: Secret } | null
}

const ROW = 'engine'
const TARGET = 'backup_target'
const KEY = 'backup_key'
const TEST_WITHIN_MS = 30_000

const sealed = (engine: Engine, text: string, place: string): string =>
  engine.seals.seal(new Secret(text), place).toString('base64')
const unsealed = (engine: Engine, text: string | null, place: string): Secret | null =>
  text === null ? null : engine.seals.unseal(Buffer.from(text, 'base64'), place)

const idOf = (place: BackupPlace): string => {
  const location = place.kind === 'folder' ? [place.path] : [place.endpoint, place.bucket, place.prefix]
  return createHash('sha256')
    .update(JSON.stringify([place.kind, ...location]))
    .digest('hex')
    .slice(0, 32)
}

/** The folder beside the disks moves with them, so its ID does not depend on its path. */
const targetIdOf = ({ files }: Engine, place: BackupPlace): string =>
  place.kind === 'folder' && place.path === files.backups ? 'beside-the-disks' : idOf(place)

async function keptTarget(engine: Engine, tx: RecordsTransaction): Promise<KeptTarget> {
  const kept = await tx.getPrivate<KeptTarget>(ROW, TARGET)
  return kept ?? { place: { kind: 'folder', path: engine.files.backups }, marker: null, secret: null }
}

/** The ID of the target that new recovery points are stored at. */
export const targetId = async (engine: Engine, tx: RecordsTransaction): Promise<string> =>
  targetIdOf(engine, (await keptTarget(engine, tx)).place)

/** Opens the target. Throws a `backup_target_unavailable` problem if it cannot be used. */
export async function openTarget(engine: Engine): Promise<OpenTarget> {
  const { kept, key } = await engine.records.transaction(async (tx) => ({
    kept: await keptTarget(engine, tx),
    key: await tx.getPrivate<KeptKey>(ROW, KEY),
  }))
  const { place, marker, secret } = kept
  const identity = key && unsealed(engine, key.identity, KEY)
  return {
    id: targetIdOf(engine, place),
    place: await openPlace({ place, marker, secret: unsealed(engine, secret, TARGET) }),
    key: place.kind === 's3' && key && identity ? { recipient: key.recipient, identity } : null,
  }
}

/** The key of encrypted files, which is created on first use. */
async function ensureKey(engine: Engine): Promise<void> {
  const identity = await generateX25519Identity()
  const recipient = await identityToRecipient(identity)
  await engine.records.transaction(async (tx) => {
    await tx.exclusive(KEY)
    if (await tx.getPrivate<KeptKey>(ROW, KEY)) return
    await tx.putPrivate(ROW, KEY, { recipient, identity: sealed(engine, identity, KEY) } satisfies KeptKey)
  })
}

export const backupTarget = (engine: Engine): BackupTargetPort => ({
  view: () => viewOf(engine),
  async set(change) {
    const kept = await tested(engine, change)
    await engine.records.transaction((tx) => tx.putPrivate(ROW, TARGET, kept))
    return viewOf(engine)
  },
})

/** The target of a change, once a test file has been stored there. */
async function tested(engine: Engine, change: BackupTargetChange): Promise<KeptTarget> {
  const before = await engine.records.transaction((tx) => keptTarget(engine, tx))
  const place = placeOf(change)
  const secret = change.driver === 's3' ? secretOf(engine, change, before) : null
  const target = await openPlace({ place, marker: null, secret })
  await testPlace(target, AbortSignal.timeout(TEST_WITHIN_MS))
  if (place.kind === 's3') await ensureKey(engine)
  const isBeside = place.kind === 'folder' && place.path === engine.files.backups
  return {
    place,
    marker: place.kind === 'folder' && !isBeside ? await markFolder(place.path) : null,
    secret: secret && sealed(engine, secret.reveal(), TARGET),
  }
}

const placeOf = (change: BackupTargetChange): BackupPlace =>
  change.driver === 'posix'
    ? { kind: 'folder', path: change.posix_path }
    : {
        ...{ kind: 's3', endpoint: change.s3_endpoint_url, region: change.s3_region, bucket: change.s3_store_bucket },
        ...{ prefix: change.s3_prefix, access_key_id: change.s3_store_access_key },
      }

/** A stored secret key is used only for the endpoint and the access key that it was stored for. */
function secretOf(
  engine: Engine,
  { s3_store_secret_key, ...change }: Extract<BackupTargetChange, { driver: 's3' }>,
  { place, secret }: KeptTarget,
): Secret {
  if (s3_store_secret_key !== undefined) return new Secret(s3_store_secret_key)
  const isSame =
    place.kind === 's3' &&
    place.endpoint === change.s3_endpoint_url &&
    place.access_key_id === change.s3_store_access_key
  const kept = isSame ? unsealed(engine, secret, TARGET) : null
  if (!kept) throw fieldProblem('s3_store_secret_key', 'infrastructure.backup_secret_missing')
  return kept
}

async function viewOf(engine: Engine): Promise<BackupTarget> {
  const { place, secret } = await engine.records.transaction((tx) => keptTarget(engine, tx))
  const { free, error } = await openTarget(engine)
    .then(async (target) => ({ free: await target.place.free(), error: null }))
    .catch((failure: unknown) => {
      if (failure instanceof Problem) return { free: null, error: failure.message }
      throw failure
    })
  if (place.kind === 's3')
    return {
      ...{ ...noBackupTarget, driver: 's3', s3_endpoint_url: place.endpoint, s3_region: place.region },
      ...{ s3_store_bucket: place.bucket, s3_prefix: place.prefix, s3_store_access_key: place.access_key_id },
      ...{ has_s3_store_secret_key: secret !== null, encrypted: true, free, error },
    }
  const [own, ofDisks] = await Promise.all(
    [place.path, engine.files.backups].map((folder) => stat(folder).catch(() => null)),
  )
  const on_same_disk = own !== null && own?.dev === ofDisks?.dev
  return { ...noBackupTarget, driver: 'posix', posix_path: place.path, on_same_disk, free, error }
}
