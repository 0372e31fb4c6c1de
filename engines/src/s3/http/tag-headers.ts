import { S3Error } from '../errors'
import type { Tag } from '../store/bucket-settings'
import type { S3Call } from './call'
import { checkTags } from './settings/tags'

/* Tags in the headers of requests that create objects. */

const wrongHeader = () =>
  new S3Error(
    'InvalidArgument',
    "The header 'x-amz-tagging' shall be encoded as UTF-8 then URLEncoded URL query parameters without tag name duplicates.",
  )

function decode(text: string): string {
  try {
    const plain = decodeURIComponent(text.replaceAll('+', '%20'))
    if (!plain.includes('\0')) return plain
  } catch {
    // the text is not valid UTF-8 or percent-encoding
  }
  throw wrongHeader()
}

/** Parses `x-amz-tagging`, such as `key=value&other=`. Throws `InvalidArgument` or `InvalidTag`. */
export function tagsOfHeader({ 'x-amz-tagging': text }: S3Call['headers']): Tag[] {
  if (text === undefined || text === '') return []
  const tags = text
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [key = '', ...value] = pair.split('=')
      return { key: decode(key), value: decode(value.join('=')) }
    })
  if (new Set(tags.map(({ key }) => key)).size < tags.length) throw wrongHeader()
  checkTags(tags, 'object')
  return tags
}
