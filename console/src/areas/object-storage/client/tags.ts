import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import type { Tagged } from '../keys'
import { changeDocument, readDocument, type HeldDocument } from './held'
import { sendS3 } from './send'
import { childrenOf, parseXml, textOf } from './xml'

export interface Tag {
  key: string
  value: string
}

/** Maximum number of tags. */
export const mostTags = { bucket: 50, object: 10 } as const
/** Maximum length in characters. */
export const MOST_TAG_KEY = 128
export const MOST_TAG_VALUE = 256

const placeOf = ({ bucket, key, version }: Tagged) => ({ bucket, key, query: { tagging: '', versionId: version } })

/** Tags and the document that they were read from. */
export interface HeldTags {
  tags: readonly Tag[]
  document: HeldDocument
}

// S3 returns NoSuchTagSet for a bucket without tags, but an empty set for an object without tags
const readTags = (of: Tagged, signal?: AbortSignal) => readDocument(of, 'tagging', 'NoSuchTagSet', signal)

/** Reads the tags of a bucket, an object or an object version. */
export async function getTags(of: Tagged, signal?: AbortSignal): Promise<HeldTags> {
  const document = await readTags(of, signal)
  const set = document.text === null ? null : (childrenOf(parseXml(document.text), 'TagSet')[0] ?? null)
  const tags = childrenOf(set, 'Tag').map((tag) => ({ key: textOf(tag, 'Key'), value: textOf(tag, 'Value') }))
  return { tags, document }
}

const elementOf = ({ key, value }: Tag) => `<Tag><Key>${escapeXml(key)}</Key><Value>${escapeXml(value)}</Value></Tag>`

/** Replaces all tags, but only if they still match `held`; otherwise rejects with `Changed`. */
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
