import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Seals } from '../../ports/engine'
import type { Sql } from '../../ports/engines'
import type { Log } from '../../ports/records'
import { Secret } from '../../ports/secret'
import { S3Error } from '../errors'

/*
 * Envelope encryption. Each encrypted object has its own data key, which is stored with it and sealed with one of the
 * server's keys or with a customer key that is sent with each request. The server's keys are stored in rows that are
 * sealed with the installation's sealing key. When the sealing key changes, only these few rows are resealed, not the
 * objects.
 */

/** Encryption details that are stored with an object. */
export interface Encryption {
  /** `customer`: encrypted with a customer key, which is never stored. */
  mode: 'AES256' | 'aws:kms' | 'customer'
  /** The server key that sealed the data key; undefined for a customer key. */
  keyId?: string
  /** The sealed data key in base64. */
  sealed: string
}
/** The kind of key that will encrypt an object. */
export type EncryptionChoice =
  | { mode: 'AES256' }
  | { mode: 'aws:kms'; keyId: string }
  | { mode: 'customer'; key: Buffer }

/** Encryption for a new object: the details to store, and the data key. */
export interface NewEncryption {
  encryption: Encryption
  dataKey: Buffer
}

const SSE_S3_KEY = 'sse/s3'
/** The default SSE-KMS key, named as in AWS. */
export const DEFAULT_KMS_KEY = 'alias/aws/s3'
/** Pattern for valid SSE-KMS key names. */
export const kmsKeyName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface EncryptionKeys {
  /** Resolves a key ID or ARN to a key ID. Throws `KMS.NotFoundException` if there is no such key. */
  kmsKey(id: string | undefined): string
  /**
   * Creates and seals a data key, or seals the given one. `place`: the object's bucket and key; the sealed data key can
   * be opened only for this place.
   */
  make(choice: EncryptionChoice, place: string, dataKey?: Buffer): NewEncryption
  /** Opens a data key; null if it was sealed with a different customer key. */
  open(encryption: Encryption, place: string, customerKey?: Buffer): Buffer | null
  /** IDs of keys that cannot be opened because they were sealed with a different sealing key. */
  unopened: readonly string[]
}

const placeOf = (id: string) => `s3_encryption_key:${id}`

// use a separate key for each sealing, so that no nonce is used twice with the same key
const sealingKey = (root: Buffer, salt: Buffer) =>
  Buffer.from(hkdfSync('sha256', root, salt, 'mainstay s3 data key', KEY_BYTES))

function sealKey(root: Buffer, dataKey: Buffer, place: string): string {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)]
  const cipher = createCipheriv('aes-256-gcm', sealingKey(root, salt), nonce, { authTagLength: TAG_BYTES })
  cipher.setAAD(Buffer.from(place))
  return Buffer.concat([salt, nonce, cipher.update(dataKey), cipher.final(), cipher.getAuthTag()]).toString('base64')
}

function openKey(root: Buffer, text: string, place: string): Buffer | null {
  const sealed = Buffer.from(text, 'base64')
  const [salt, nonce] = [sealed.subarray(0, SALT_BYTES), sealed.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES)]
  const end = sealed.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', sealingKey(root, salt), nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(place))
  decipher.setAuthTag(sealed.subarray(end))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(SALT_BYTES + NONCE_BYTES, end)), decipher.final()])
  } catch {
    return null
  }
}

/** Opens the server's keys and creates missing ones. `names`: SSE-KMS keys in addition to the default key. */
export async function openEncryptionKeys(
  sql: Sql,
  seals: Seals,
  names: readonly string[],
  log: Log,
): Promise<EncryptionKeys> {
  for (const id of [SSE_S3_KEY, DEFAULT_KMS_KEY, ...names])
    // never replace an existing key, even if it cannot be opened: its objects would be lost
    await sql.query(
      `insert into s3_encryption_key (id, sealed) select $1::text, $2::bytea
       where not exists (select 1 from s3_encryption_key where id = $1) on conflict (id) do nothing`,
      [id, seals.seal(new Secret(randomBytes(KEY_BYTES).toString('base64')), placeOf(id))],
    )
  const rows = await sql.query<{ id: string; sealed: Buffer }>('select id, sealed from s3_encryption_key order by id')
  const keys = new Map<string, Buffer>()
  for (const { id, sealed } of rows) {
    const secret = seals.unseal(sealed, placeOf(id))
    if (secret) keys.set(id, Buffer.from(secret.reveal(), 'base64'))
  }
  const unopened = rows.map(({ id }) => id).filter((id) => !keys.has(id))
  const known = new Set(rows.map(({ id }) => id))
  if (unopened.length > 0)
    log.error({ keys: unopened }, 'encryption keys of object storage were sealed with a different sealing key')

  const rootOf = (id: string): Buffer => {
    const key = keys.get(id)
    if (key) return key
    throw new S3Error('InternalError', 'The key of the object cannot be decrypted. An operator must restore it')
  }

  return {
    unopened,
    kmsKey(id) {
      if (id === undefined) return DEFAULT_KMS_KEY
      const name = id.replace(/^arn:aws:kms:[^:]*:[^:]*:(key\/)?/, '')
      if (known.has(name) && name !== SSE_S3_KEY) return name
      throw new S3Error('KMS.NotFoundException', `The key ${name.slice(0, 200)} does not exist`)
    },
    make(choice, place, dataKey = randomBytes(KEY_BYTES)) {
      if (choice.mode === 'customer')
        return { dataKey, encryption: { mode: 'customer', sealed: sealKey(choice.key, dataKey, place) } }
      const keyId = choice.mode === 'AES256' ? SSE_S3_KEY : choice.keyId
      return { dataKey, encryption: { mode: choice.mode, keyId, sealed: sealKey(rootOf(keyId), dataKey, place) } }
    },
    open({ mode, keyId, sealed }, place, customerKey) {
      if (mode === 'customer') return customerKey ? openKey(customerKey, sealed, place) : null
      const dataKey = openKey(rootOf(keyId!), sealed, place)
      if (!dataKey) throw new S3Error('InternalError', 'The key of the object is damaged. An operator must restore it')
      return dataKey
    },
  }
}

/** Returns the place that an object's data key is bound to. */
export const objectPlace = (bucket: string, key: string): string => `${bucket}/${key}`

/**
 * Returns the ETag for data with this MD5 (hex). For customer and SSE-KMS keys, it is an HMAC and reveals nothing about
 * the data.
 */
export const etagFor = (made: NewEncryption | null, md5: string): string =>
  made === null || made.encryption.mode === 'AES256' ? md5 : createHmac('md5', made.dataKey).update(md5).digest('hex')
