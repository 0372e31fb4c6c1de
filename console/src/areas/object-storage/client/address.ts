import { S3_KEY_PARAMETER, S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { addressOf } from '../../../api/address'

/** Percent-encodes every byte except unreserved characters (RFC 3986), as S3 signatures require. */
export const percent = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Browsers resolve these path segments, even when encoded as %2E. */
const isStep = (part: string) => part === '.' || part === '..'

/** Whether browsers leave a key unchanged in a URL path. */
export const isReachable = (key: string): boolean => !key.split('/').some(isStep)

/** Path-style URL of a bucket or object, under the proxy path. */
export function s3Address(
  { bucket, key }: { bucket?: string | undefined; key?: string | undefined },
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const hasSteps = key !== undefined && !isReachable(key)
  const path = [
    S3_PROXY_PATH,
    '/',
    bucket && percent(bucket),
    key !== undefined && !hasSteps && `/${key.split('/').map(percent).join('/')}`,
  ]
  const parameters = Object.entries(hasSteps ? { ...query, [S3_KEY_PARAMETER]: key } : query)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${percent(name)}=${percent(value)}`]))
    .join('&')
  return `${addressOf(path.filter(Boolean).join(''))}${parameters && `?${parameters}`}`
}
