import { createHash, timingSafeEqual } from 'node:crypto'
import { S3Error, notImplemented } from '../errors'
import {
  objectPlace,
  type Encryption,
  type EncryptionChoice,
  type EncryptionKeys,
  type NewEncryption,
} from '../store/encryption-keys'
import type { Bucket, ObjectHead, StoredObject } from '../store/types'
import type { S3Call } from './call'

/* Encryption headers in requests and responses. */

type Headers = S3Call['headers']

const PREFIX = 'x-amz-server-side-encryption'
const MODE = PREFIX
const KMS_KEY = `${PREFIX}-aws-kms-key-id`
const CUSTOMER = `${PREFIX}-customer`
const SOURCE_CUSTOMER = `x-amz-copy-source-server-side-encryption-customer`
const KEY_BYTES = 32

const invalid = (message: string) => new S3Error('InvalidArgument', message)

/**
 * Returns the customer key (SSE-C) in the headers, or undefined if there is none. `source`: return the key for the copy
 * source.
 */
export function customerKey(headers: Headers, source = false): Buffer | undefined {
  const prefix = source ? SOURCE_CUSTOMER : CUSTOMER
  const [algorithm, text, sum] = ['algorithm', 'key', 'key-md5'].map((name) => headers[`${prefix}-${name}`])
  if (algorithm === undefined && text === undefined && sum === undefined) return undefined
  if (algorithm === undefined)
    throw invalid(
      'Requests specifying Server Side Encryption with Customer provided keys must provide a valid encryption algorithm.',
    )
  if (algorithm !== 'AES256')
    throw new S3Error(
      'InvalidEncryptionAlgorithmError',
      'The encryption request you specified is not valid. The valid value is AES256.',
    )
  if (text === undefined)
    throw invalid(
      'Requests specifying Server Side Encryption with Customer provided keys must provide an appropriate secret key.',
    )
  if (sum === undefined)
    throw invalid(
      'Requests specifying Server Side Encryption with Customer provided keys must provide the client calculated MD5 of the secret key.',
    )
  const key = Buffer.from(text, 'base64')
  if (key.length !== KEY_BYTES || key.toString('base64') !== text)
    throw invalid('The secret key was invalid for the specified algorithm: it must be 32 bytes in base64.')
  const told = Buffer.from(sum, 'base64')
  const real = createHash('md5').update(key).digest()
  if (told.length !== real.length || !timingSafeEqual(told, real))
    throw invalid('The calculated MD5 hash of the key did not match the hash that was provided.')
  return key
}

/**
 * Returns the encryption requested by the headers of a write, or null if there is none. Throws if headers are
 * unsupported or conflict with each other.
 */
export function askedEncryption(headers: Headers, keys: EncryptionKeys): EncryptionChoice | null {
  const [mode, id] = [headers[MODE], headers[KMS_KEY]]
  const key = customerKey(headers)
  if (headers[`${PREFIX}-context`] !== undefined) throw notImplemented('encryption contexts')
  if (mode === undefined && id !== undefined) throw invalid(`${KMS_KEY} needs ${MODE}: aws:kms`)
  if (key !== undefined) {
    if (mode !== undefined)
      throw invalid(
        'Server Side Encryption with Customer provided key is incompatible with the encryption method specified',
      )
    return { mode: 'customer', key }
  }
  if (mode === undefined) return null
  if (mode === 'aws:kms:dsse') throw notImplemented('dual-layer encryption')
  if (mode !== 'AES256' && mode !== 'aws:kms') throw invalid('The encryption method specified is not supported')
  if (mode === 'aws:kms') return { mode, keyId: keys.kmsKey(id) }
  if (id !== undefined) throw invalid(`${KMS_KEY} needs ${MODE}: aws:kms`)
  return { mode }
}

/**
 * Returns the encryption for a new object, from the request headers or the bucket default, or null if there is none.
 */
export function encryptionFor(headers: Headers, { settings }: Bucket, keys: EncryptionKeys): EncryptionChoice | null {
  const asked = askedEncryption(headers, keys)
  if (asked !== null || !settings.encryption) return asked
  const { algorithm, keyId } = settings.encryption
  return algorithm === 'AES256' ? { mode: algorithm } : { mode: algorithm, keyId: keys.kmsKey(keyId) }
}

/** Creates the data key for a new object; null if the object is not encrypted. */
export const newEncryption = (
  keys: EncryptionKeys,
  choice: EncryptionChoice | null,
  bucket: Bucket,
  key: string,
): NewEncryption | null => choice && keys.make(choice, objectPlace(bucket.name, key))

/** An object to read, with the headers that contain its customer key, if any. */
export interface Keyed {
  bucket: string
  key: string
  /** The request headers. With `source`, the headers for the copy source are used. */
  headers: Headers
  source?: boolean
}

/**
 * Returns the data key of an object or upload, or null if it is not encrypted. Throws if the customer key is missing,
 * wrong or not applicable.
 */
export function dataKeyOf(
  keys: EncryptionKeys,
  { head }: { head: ObjectHead },
  { bucket, key, headers, source = false }: Keyed,
): Buffer | null {
  const brought = customerKey(headers, source)
  const { encryption } = head
  if (encryption?.mode !== 'customer' && brought !== undefined)
    throw new S3Error('InvalidRequest', 'The encryption parameters are not applicable to this object.')
  if (!encryption) return null
  if (encryption.mode === 'customer' && brought === undefined)
    throw new S3Error(
      'InvalidRequest',
      'The object was stored using a form of Server Side Encryption. The correct parameters must be provided to retrieve the object.',
    )
  const dataKey = keys.open(encryption, objectPlace(bucket, key), brought)
  if (!dataKey)
    throw new S3Error('InvalidRequest', 'The provided encryption key is not the one the object was stored with.')
  return dataKey
}

/** Returns the data key for reading an object. Throws if the request has headers that are valid only for writes. */
export function readKeyOf(call: S3Call, keys: EncryptionKeys, object: StoredObject): Buffer | null {
  const { headers } = call
  if (headers[MODE] !== undefined || headers[KMS_KEY] !== undefined)
    throw invalid(`${MODE} header is not supported for this operation.`)
  return dataKeyOf(keys, object, { bucket: call.bucket!, key: call.key!, headers })
}

/** Returns the encryption headers for a response. For a customer key, they echo the MD5 sent in the request. */
export function encryptionHeaders(encryption: Encryption | undefined, headers: Headers): Record<string, string> {
  if (!encryption) return {}
  if (encryption.mode === 'AES256') return { [MODE]: 'AES256' }
  if (encryption.mode === 'aws:kms') return { [MODE]: 'aws:kms', [KMS_KEY]: encryption.keyId! }
  const sum = headers[`${CUSTOMER}-key-md5`]
  return sum === undefined ? {} : { [`${CUSTOMER}-algorithm`]: 'AES256', [`${CUSTOMER}-key-md5`]: sum }
}
