import { asProblem } from '../../../api/problem'
import { sendS3 } from './send'
import { childrenOf, decodedKey, parseXml, textOf } from './xml'

/** Keys per page in the file manager (S1§9). */
export const PAGE_KEYS = 36
/** Maximum number of keys that S3 returns per list request (S1§9). */
export const MOST_KEYS = 1000

/** A key as listed by S3. Times are ISO, sizes are bytes. */
export interface ListedObject {
  Key: string
  ETag: string
  Size: number
  LastModified: string
}

export interface ObjectPage {
  /** Common prefixes, which end with a slash. */
  prefixes: string[]
  objects: ListedObject[]
  /** Continuation token; undefined on the last page. */
  next: string | undefined
}

export interface ListQuestion {
  prefix: string
  /** Without a delimiter, all keys under the prefix are listed. */
  delimiter?: '/'
  maxKeys: number
  token?: string | undefined
}

const plainTag = (tag: string) => tag.replaceAll('"', '')

/** Lists one page of keys, in S3 order. */
export async function listObjects(bucket: string, question: ListQuestion, signal?: AbortSignal): Promise<ObjectPage> {
  const { prefix, delimiter, maxKeys, token } = question
  const query = {
    ...{ 'list-type': '2', prefix, delimiter, 'max-keys': String(maxKeys) },
    ...{ 'continuation-token': token, 'encoding-type': 'url' },
  }
  const root = parseXml(await (await sendS3({ verb: 'GET', bucket, query, signal })).text())
  return {
    prefixes: childrenOf(root, 'CommonPrefixes').map((part) => decodedKey(textOf(part, 'Prefix'))),
    objects: childrenOf(root, 'Contents').map((item) => ({
      Key: decodedKey(textOf(item, 'Key')),
      ETag: plainTag(textOf(item, 'ETag')),
      Size: Number(textOf(item, 'Size')),
      LastModified: textOf(item, 'LastModified'),
    })),
    next: textOf(root, 'NextContinuationToken') || undefined,
  }
}

export interface ObjectHead {
  size: number
  etag: string
  type: string
  /** ISO time; null if S3 does not report it. */
  modified: string | null
}

/** Reads an object's metadata. Rejects with `NoSuchKey` if the object does not exist. */
export async function headObject(bucket: string, key: string, signal?: AbortSignal): Promise<ObjectHead> {
  const { headers } = await sendS3({ verb: 'HEAD', bucket, key, signal })
  const modified = headers.get('last-modified')
  return {
    size: Number(headers.get('content-length') ?? 0),
    etag: plainTag(headers.get('etag') ?? ''),
    type: headers.get('content-type') ?? '',
    modified: modified ? new Date(modified).toISOString() : null,
  }
}

/** Whether an object with this key exists. */
export async function hasObject(bucket: string, key: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await headObject(bucket, key, signal)
    return true
  } catch (thrown) {
    if (asProblem(thrown).status === 404) return false
    throw thrown
  }
}

/** Downloads a whole object into memory. Use it for small objects only. */
export const getObject = async (bucket: string, key: string, signal?: AbortSignal): Promise<Blob> =>
  (await sendS3({ verb: 'GET', bucket, key, signal })).blob()

/** Writes a small text object. A folder is an empty object whose key ends with a slash. */
export const putObject = (bucket: string, key: string, body = '', headers: Record<string, string> = {}) =>
  sendS3({ verb: 'PUT', bucket, key, body, headers })
