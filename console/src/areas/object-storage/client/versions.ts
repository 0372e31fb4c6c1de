import { escapeXml } from '@mainstay/contract/object-storage/s3-xml'
import { percent } from './address'
import { sendS3 } from './send'
import { childrenOf, decodedKey, parseXml, textOf } from './xml'

/** Number of versions per request. */
const PAGE_VERSIONS = 100

/** A version of an object, or a delete marker. */
export interface FileVersion {
  key: string
  version: string
  /** True for a delete marker. */
  isMarker: boolean
  isLatest: boolean
  /** Bytes; 0 for a delete marker. */
  size: number
  /** When the version was created, as ISO time. */
  modified: string
}

export interface VersionPage {
  versions: FileVersion[]
  /** Common prefixes, which end with a slash. */
  prefixes: string[]
  /** True if there are more versions after this page. */
  isMore: boolean
  next: { key: string; version: string } | undefined
}

/** Lists a page of versions under a prefix, sorted by key and then newest first. */
export async function listVersions(
  bucket: string,
  { prefix, delimiter, after }: { prefix: string; delimiter?: '/'; after?: VersionPage['next'] },
  signal?: AbortSignal,
): Promise<VersionPage> {
  const query = {
    ...{ versions: '', prefix, delimiter, 'max-keys': String(PAGE_VERSIONS), 'encoding-type': 'url' },
    ...{ 'key-marker': after?.key, 'version-id-marker': after?.version },
  }
  const root = parseXml(await (await sendS3({ verb: 'GET', bucket, query, signal })).text())
  const items = [...(root?.children ?? [])].filter(({ localName }) => /^(Version|DeleteMarker)$/.test(localName))
  const isMore = textOf(root, 'IsTruncated') === 'true'
  return {
    prefixes: childrenOf(root, 'CommonPrefixes').map((part) => decodedKey(textOf(part, 'Prefix'))),
    versions: items.map((item) => ({
      key: decodedKey(textOf(item, 'Key')),
      version: textOf(item, 'VersionId'),
      isMarker: item.localName === 'DeleteMarker',
      isLatest: textOf(item, 'IsLatest') === 'true',
      size: Number(textOf(item, 'Size')),
      modified: textOf(item, 'LastModified'),
    })),
    isMore,
    next: isMore
      ? { key: decodedKey(textOf(root, 'NextKeyMarker')), version: textOf(root, 'NextVersionIdMarker') }
      : undefined,
  }
}

/** Lists an object's versions, newest first, up to one page. */
export async function versionsOf(
  bucket: string,
  key: string,
  signal?: AbortSignal,
): Promise<{ versions: FileVersion[]; isMore: boolean }> {
  const page = await listVersions(bucket, { prefix: key }, signal)
  const versions = page.versions.filter((it) => it.key === key)
  // keys that start with this key are listed after all of its versions
  return { versions, isMore: page.isMore && versions.length === page.versions.length }
}

const encryptionHeaders = ['x-amz-server-side-encryption', 'x-amz-server-side-encryption-aws-kms-key-id']

/** Restores an older version by copying it to the same key, with the same encryption. */
export async function restoreVersion(bucket: string, { key, version }: Pick<FileVersion, 'key' | 'version'>) {
  const before = await sendS3({ verb: 'HEAD', bucket, key, query: { versionId: version } })
  const encryption = encryptionHeaders.flatMap((name) => {
    const value = before.headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const source = `/${percent(bucket)}/${key.split('/').map(percent).join('/')}?versionId=${version}`
  await sendS3({
    verb: 'PUT',
    ...{ bucket, key },
    headers: { 'x-amz-copy-source': source, ...Object.fromEntries(encryption) },
  })
}

/** Permanently deletes a version or delete marker. */
export const deleteVersion = (bucket: string, { key, version }: Pick<FileVersion, 'key' | 'version'>) =>
  sendS3({ verb: 'DELETE', bucket, key, query: { versionId: version } })

/** A version that could not be deleted, with the S3 error code and message. */
export interface VersionFault {
  key: string
  code: string
  message: string
}

/** Permanently deletes versions and delete markers in one request. Returns the versions that could not be deleted. */
export async function deleteVersions(
  bucket: string,
  versions: readonly Pick<FileVersion, 'key' | 'version'>[],
  signal?: AbortSignal,
): Promise<VersionFault[]> {
  const objects = versions
    .map(({ key, version }) => `<Object><Key>${escapeXml(key)}</Key><VersionId>${version}</VersionId></Object>`)
    .join('')
  const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`
  const headers = { 'content-type': 'application/xml' }
  const reply = await sendS3({ verb: 'POST', bucket, query: { delete: '' }, body, headers, signal })
  return childrenOf(parseXml(await reply.text()), 'Error').map((fault) => ({
    key: textOf(fault, 'Key'),
    code: textOf(fault, 'Code'),
    message: textOf(fault, 'Message'),
  }))
}
