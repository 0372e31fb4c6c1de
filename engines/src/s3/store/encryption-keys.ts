import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Seals } from '../../ports/engine'
import type { Sql } from '../../ports/engines'
import type { Log } from '../../ports/records'
import { Secret } from '../../ports/secret'
import { S3Error } from '../errors'

/*
 * Each encrypted object has a data key of its own. It lies sealed beside the object: with a key of the server, or with that
 * of the customer, who brings it with each call. Keys of the server are rows, sealed with the key of the installation: few
 * rows are sealed anew when that one changes, and no object.
 */

/** How an object is encrypted: kept with it. */
export interface Encryption {
  /** `customer`: with a key that is kept nowhere. */
  mode: 'AES256' | 'aws:kms' | 'customer'
  /** The server's key that sealed the data key; none of a customer's. */
  keyId?: string
  /** The data key, base64. */
  sealed: string
}
/** With which key something is to be encrypted. */
export type EncryptionChoice =
  | { mode: 'AES256' }
  | { mode: 'aws:kms'; keyId: string }
  | { mode: 'customer'; key: Buffer }

/** An object that is being encrypted: what is kept of it, and with what its bytes are encrypted. */
export interface NewEncryption {
  encryption: Encryption
  dataKey: Buffer
}

const SSE_S3_KEY = 'sse/s3'
/** The key of SSE-KMS where none is named, as AWS calls it. */
export const DEFAULT_KMS_KEY = 'alias/aws/s3'
/** What keys of SSE-KMS may be called. */
export const kmsKeyName = /^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/

const KEY_BYTES = 32
const SALT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16

export interface EncryptionKeys {
  /** The id under which a key is known; throws `KMS.NotFoundException`. Ids may come as ARNs. */
  kmsKey(id: string | undefined): string
  /**
   * Makes a data key, or seals the one that the bytes have already. `place`: bucket and key of the object; it opens nowhere
   * else.
   */
  make(choice: EncryptionChoice, place: string, dataKey?: Buffer): NewEncryption
  /** The data key; null where `customerKey` is not the one it was sealed with. */
  open(encryption: Encryption, place: string, customerKey?: Buffer): Buffer | null
  /** Ids of keys that cannot be opened, as they were sealed with another key of the installation. */
  unopened: readonly string[]
}

const placeOf = (id: string) => `s3_encryption_key:${id}`

// a key of its own for each sealing, so that no nonce is used twice with one
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

/** Opens the keys of the server, and makes those that are not there yet. `names`: of SSE-KMS, beside its default key. */
export async function openEncryptionKeys(
  sql: Sql,
  seals: Seals,
  names: readonly string[],
  log: Log,
): Promise<EncryptionKeys> {
  for (const id of [SSE_S3_KEY, DEFAULT_KMS_KEY, ...names])
    // one that is there stays, also where it cannot be opened: objects are lost without it
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
    log.error({ keys: unopened }, 'keys of object storage were sealed with another key of the installation')

  const rootOf = (id: string): Buffer => {
    const key = keys.get(id)
    if (key) return key
    throw new S3Error('InternalError', 'The key of the object cannot be opened. An operator has to restore it')
  }

  return {
    unopened,
    kmsKey(id) {
      if (id === undefined) return DEFAULT_KMS_KEY
      const name = id.replace(/^arn:aws:kms:[^:]*:[^:]*:(key\/)?/, '')
      if (known.has(name) && name !== SSE_S3_KEY) return name
      throw new S3Error('KMS.NotFoundException', `There is no key ${name.slice(0, 200)}`)
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
      if (!dataKey)
        throw new S3Error('InternalError', 'The key of the object is damaged. An operator has to restore it')
      return dataKey
    },
  }
}

/** What the data key of an object is sealed for. */
export const objectPlace = (bucket: string, key: string): string => `${bucket}/${key}`

/** The ETag of bytes with this MD5, hex: with a customer's key or one of SSE-KMS it tells nothing of them. */
export const etagFor = (made: NewEncryption | null, md5: string): string =>
  made === null || made.encryption.mode === 'AES256' ? md5 : createHmac('md5', made.dataKey).update(md5).digest('hex')
