import { S3Error } from '../errors'
import { listVersions, type ListedVersion } from '../store/version-lists'
import { readVersion, versionName } from '../store/versions'
import { bucketFor } from './access'
import { ownerElement } from './acl'
import { encodingOf, MOST_LISTED } from './bucket-operations'
import { numberParameter, parameter } from './call'
import { answer, type Operation } from './operations'
import { writeElements, writeXml, type WrittenElement } from './xml'

const written = (
  { key, version, marker, isLatest, mtime, etag, size }: ListedVersion,
  encode: (text: string) => string,
  Owner: WrittenElement,
): WrittenElement => ({
  Key: encode(key),
  VersionId: versionName(version),
  IsLatest: isLatest,
  LastModified: mtime.toISOString(),
  ...(!marker && { ETag: `"${etag}"`, Size: size, StorageClass: 'STANDARD' }),
  Owner,
})

export const listBucketVersions: Operation = async (call, { buckets, sql }) => {
  const bucket = await bucketFor(buckets, call, 's3:ListBucketVersions')
  const encode = encodingOf(call)
  const most = numberParameter(call, 'max-keys', MOST_LISTED, MOST_LISTED)
  const [prefix = '', delimiter = '', afterKey = '', afterVersion = ''] = [
    ...['prefix', 'delimiter', 'key-marker', 'version-id-marker'],
  ].map((name) => parameter(call, name))
  if (afterVersion !== '' && afterKey === '')
    throw new S3Error('InvalidArgument', 'A version-id marker cannot be specified without a key marker.')
  const { items, truncated } = await listVersions(sql, bucket, {
    ...{ prefix, delimiter, afterKey, most },
    afterVersion: afterVersion === '' ? undefined : readVersion(afterVersion),
  })
  const last = items.at(-1)
  const common = {
    Name: bucket.name,
    Prefix: encode(prefix),
    KeyMarker: encode(afterKey),
    VersionIdMarker: afterVersion,
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    MaxKeys: most,
    EncodingType: parameter(call, 'encoding-type'),
    IsTruncated: truncated,
    NextKeyMarker: truncated ? encode('prefix' in last! ? last.prefix : last!.version.key) : undefined,
    NextVersionIdMarker: truncated && 'version' in last! ? versionName(last.version.version) : undefined,
  }
  // versions and delete markers form one sequence but have different element names
  const rows = items.map((item) =>
    'prefix' in item
      ? writeElements({ CommonPrefixes: { Prefix: encode(item.prefix) } })
      : writeElements({
          [item.version.marker ? 'DeleteMarker' : 'Version']: written(
            item.version,
            encode,
            ownerElement(bucket, item.version.owner),
          ),
        }),
  )
  await answer(call, 200, {}, writeXml('ListVersionsResult', common, rows.join('')))
}
