import { S3Client } from '@aws-sdk/client-s3'
import { S3_DUMMY_CREDENTIALS, S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'

/**
 * The SDK as the console configures it: dummy credentials, path style, the session as a header, and additional
 * `headers`.
 */
export function consoleClient(url: string, token: string, headers: Record<string, string> = {}): S3Client {
  const client = new S3Client({
    endpoint: `${url}${S3_PROXY_PATH}`,
    region: S3_REGION,
    credentials: S3_DUMMY_CREDENTIALS,
    forcePathStyle: true,
    maxAttempts: 1,
  })
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: Record<string, string> }).headers, { 'x-auth-token': token }, headers)
      return next(args)
    },
    { step: 'finalizeRequest', priority: 'low' },
  )
  return client
}
