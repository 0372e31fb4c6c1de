import { S3_KEY_PARAMETER, S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { addressOf } from '../../../api/address'

/** Every byte that is no plain letter, digit or one of -_.~ as %XX: what S3 signs. */
export const percent = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/** Browsers take these between slashes for steps of the path, also when they are written as %2E. */
const isStep = (part: string) => part === '.' || part === '..'

/** Whether a browser leaves this key as it is in a path. */
export const isReachable = (key: string): boolean => !key.split('/').some(isStep)

/** The address of a bucket or of an object in it, below the proxy: path style, as S3 has it. */
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
