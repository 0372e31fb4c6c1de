import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import { asProblem } from '../../../api/problem'
import type { Tagged } from '../keys'
import { sendS3 } from './send'
import { childrenOf, parseXml, textOf } from './xml'

export interface Tag {
  key: string
  value: string
}

/** Tags of a bucket or of an object. */
export const mostTags = { bucket: 50, object: 10 } as const
/** Characters. */
export const MOST_TAG_KEY = 128
export const MOST_TAG_VALUE = 256

const placeOf = ({ bucket, key, version }: Tagged) => ({ bucket, key, query: { tagging: '', versionId: version } })

export async function getTags(of: Tagged, signal?: AbortSignal): Promise<Tag[]> {
  try {
    const root = parseXml(await (await sendS3({ verb: 'GET', ...placeOf(of), signal })).text())
    const set = childrenOf(root, 'TagSet')[0] ?? null
    return childrenOf(set, 'Tag').map((tag) => ({ key: textOf(tag, 'Key'), value: textOf(tag, 'Value') }))
  } catch (thrown) {
    // how S3 says that a bucket has none
    if (asProblem(thrown).code === 'NoSuchTagSet') return []
    throw thrown
  }
}

/** Replaces the tags; those that are not among them are gone. */
export function putTags(of: Tagged, tags: readonly Tag[]) {
  if (tags.length === 0) return sendS3({ verb: 'DELETE', ...placeOf(of) })
  const set = tags.map(({ key, value }) => `<Tag><Key>${escapeXml(key)}</Key><Value>${escapeXml(value)}</Value></Tag>`)
  return sendS3({
    verb: 'PUT',
    ...placeOf(of),
    headers: { 'content-type': 'application/xml' },
    body: `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>${set.join('')}</TagSet></Tagging>`,
  })
}
