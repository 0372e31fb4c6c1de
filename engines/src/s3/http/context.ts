import { arnOf } from '../names'
import { conditionHeaders, type Context } from '../policy/conditions'
import type { Tag } from '../store/bucket-settings'
import { parameter, type S3Call } from './call'
import { decodedSource } from './copy-source'

/** Parsing stops after this many tags. An object may have at most 10. */
const MOST_TAGS_READ = 50

/**
 * Returns the tags in a write request's header. Invalid or excess tags are rejected later, when the object is written.
 */
const tagsIn = (header: string | undefined): Tag[] =>
  [...new URLSearchParams(header ?? '')].slice(0, MOST_TAGS_READ).map(([key, value]) => ({ key, value }))

const COPY_SOURCE = 'x-amz-copy-source'
/** Returns the copy source, normalised to `bucket/key`. */
function sourceOf(text: string | undefined): string | undefined {
  const [path = ''] = text?.split('?versionId=') ?? []
  return text && (decodedSource(path) ?? text)
}

/** Returns the condition key values for a request. `existing`: tags on the existing object. */
export function contextOf(
  { headers, userId, source, ...call }: S3Call,
  {
    existing = [],
    requested = tagsIn(headers['x-amz-tagging']),
  }: { existing?: readonly Tag[]; requested?: readonly Tag[] },
): Context {
  const now = new Date()
  const known = new Map<string, string[]>()
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) known.set(name, [...(known.get(name) ?? []), value])
  }
  add('aws:sourceip', source.address === '' ? undefined : source.address)
  add('aws:securetransport', String(source.isSecure))
  add('aws:referer', headers['referer'])
  add('aws:useragent', headers['user-agent'])
  add('aws:currenttime', now.toISOString())
  add('aws:epochtime', String(Math.floor(now.getTime() / 1000)))
  if (userId !== null) {
    add('aws:principalarn', arnOf(userId))
    add('aws:userid', userId)
    add('aws:username', userId)
  }
  for (const name of ['prefix', 'delimiter', 'versionId']) add(`s3:${name.toLowerCase()}`, parameter(call, name))
  // an empty value is treated as missing
  add('s3:max-keys', parameter(call, 'max-keys') || undefined)
  for (const name of conditionHeaders) add(`s3:${name}`, name === COPY_SOURCE ? sourceOf(headers[name]) : headers[name])
  for (const { key, value } of existing) add(`s3:existingobjecttag/${key}`, value)
  for (const { key, value } of requested) {
    add(`s3:requestobjecttag/${key}`, value)
    add('s3:requestobjecttagkeys', key)
  }
  return known
}
