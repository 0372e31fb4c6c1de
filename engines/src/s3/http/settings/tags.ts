import { S3Error } from '../../errors'
import type { Tag } from '../../store/bucket-settings'
import { childText, writeXml, type XmlElement } from '../xml'
import type { DocumentSetting } from './setting'

const MOST_TAGS = { bucket: 50, object: 10 }
const MOST_KEY = 128
const MOST_VALUE = 256

const invalid = (message: string) => new S3Error('InvalidTag', message)

/** Throws `InvalidTag` for tags that S3 does not accept. A bucket may have more tags than an object. */
export function checkTags(tags: readonly Tag[], what: keyof typeof MOST_TAGS): void {
  if (tags.length > MOST_TAGS[what])
    throw invalid(`${what === 'object' ? 'An object' : 'A bucket'} has at most ${MOST_TAGS[what]} tags`)
  for (const { key, value } of tags) {
    if (key === '' || [...key].length > MOST_KEY)
      throw invalid(`The key of a tag must have 1 to ${MOST_KEY} characters`)
    if ([...value].length > MOST_VALUE) throw invalid(`The value of a tag has at most ${MOST_VALUE} characters`)
  }
  if (new Set(tags.map(({ key }) => key)).size < tags.length) throw invalid('Two tags have the same key')
}

/** Parses the tags in a `Tagging` document, in order. Throws `MalformedXML` or `InvalidTag`. */
export function readTags(document: XmlElement, what: keyof typeof MOST_TAGS): Tag[] {
  const wrong = () => new S3Error('MalformedXML', 'The XML you provided is not a Tagging with a TagSet')
  const [set, ...more] = document.children.filter(({ name }) => name === 'TagSet')
  if (document.name !== 'Tagging' || !set || more.length > 0) throw wrong()
  const tags = set.children.map((element) => {
    const [key, value] = [childText(element, 'Key'), childText(element, 'Value')]
    if (element.name !== 'Tag' || key === undefined || value === undefined) throw wrong()
    return { key, value }
  })
  checkTags(tags, what)
  return tags
}

/** Writes a `Tagging` document sorted by key, as clients expect. */
export const writeTags = (tags: readonly Tag[]): string =>
  writeXml('Tagging', {
    TagSet: {
      Tag: tags.toSorted((a, b) => (a.key < b.key ? -1 : 1)).map(({ key, value }) => ({ Key: key, Value: value })),
    },
  })

export const bucketTags: DocumentSetting<'tags'> = {
  name: 'tags',
  action: 'BucketTagging',
  missing: () => new S3Error('NoSuchTagSet', 'The TagSet does not exist'),
  read: (document) => readTags(document, 'bucket'),
  write: writeTags,
}
