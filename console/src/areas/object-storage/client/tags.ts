import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import type { Tagged } from '../keys'
import { changeDocument, readDocument, type HeldDocument } from './held'
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

/** Tags, and the document that they were read of. */
export interface HeldTags {
  tags: readonly Tag[]
  document: HeldDocument
}

// a bucket without tags has no set of them; that of an object is empty
const readTags = (of: Tagged, signal?: AbortSignal) => readDocument(of, 'tagging', 'NoSuchTagSet', signal)

/** The tags of a bucket, an object or a version of it. */
export async function getTags(of: Tagged, signal?: AbortSignal): Promise<HeldTags> {
  const document = await readTags(of, signal)
  const set = document.text === null ? null : (childrenOf(parseXml(document.text), 'TagSet')[0] ?? null)
  const tags = childrenOf(set, 'Tag').map((tag) => ({ key: textOf(tag, 'Key'), value: textOf(tag, 'Value') }))
  return { tags, document }
}

const elementOf = ({ key, value }: Tag) => `<Tag><Key>${escapeXml(key)}</Key><Value>${escapeXml(value)}</Value></Tag>`

/**
 * Replaces the tags; those that are not among them are gone. `held`: they are replaced only while they are still these. Rejects with
 * `Changed` where they are not.
 */
export const putTags = (of: Tagged, tags: readonly Tag[], held?: HeldDocument) =>
  changeDocument(
    held,
    () => readTags(of),
    (condition) =>
      tags.length === 0
        ? sendS3({ verb: 'DELETE', ...placeOf(of), headers: condition })
        : sendS3({
            verb: 'PUT',
            ...placeOf(of),
            headers: { 'content-type': 'application/xml', ...condition },
            body: `<Tagging xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><TagSet>${tags.map(elementOf).join('')}</TagSet></Tagging>`,
          }),
  )
