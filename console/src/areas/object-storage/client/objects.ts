import { asProblem } from '../../../api/problem'
import { sendS3 } from './send'
import { childrenOf, decodedKey, parseXml, textOf } from './xml'

/** A page of the file manager (S1§9). */
export const PAGE_KEYS = 36
/** The most that S3 lists at once (S1§9). */
export const MOST_KEYS = 1000

/** A key as S3 lists it. Times are ISO, sizes bytes. */
export interface ListedObject {
  Key: string
  ETag: string
  Size: number
  LastModified: string
}

export interface ObjectPage {
  /** Keys that end with a slash, of which more keys begin. */
  prefixes: string[]
  objects: ListedObject[]
  /** Where the next page begins; undefined on the last one. */
  next: string | undefined
}

export interface ListQuestion {
  prefix: string
  /** Left out: everything below the prefix, whatever its folder. */
  delimiter?: '/'
  maxKeys: number
  token?: string | undefined
}

const plainTag = (tag: string) => tag.replaceAll('"', '')

/** One page of keys, in the order of S3. */
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
  /** ISO time; null where S3 does not tell. */
  modified: string | null
}

/** What is known of an object. Rejects with `NoSuchKey`. */
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

/** Whether there is an object of this key. */
export async function hasObject(bucket: string, key: string, signal?: AbortSignal): Promise<boolean> {
  try {
    await headObject(bucket, key, signal)
    return true
  } catch (thrown) {
    if (asProblem(thrown).status === 404) return false
    throw thrown
  }
}

/** The bytes of an object, all of them: ask for small ones only. */
export const getObject = async (bucket: string, key: string, signal?: AbortSignal): Promise<Blob> =>
  (await sendS3({ verb: 'GET', bucket, key, signal })).blob()

/** A small text as an object; a folder is an empty one whose key ends with a slash. */
export const putObject = (bucket: string, key: string, body = '', headers: Record<string, string> = {}) =>
  sendS3({ verb: 'PUT', bucket, key, body, headers })
