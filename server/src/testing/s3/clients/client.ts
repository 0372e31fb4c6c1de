import { createHash, randomBytes } from 'node:crypto'
import { S3Client, type S3ServiceException } from '@aws-sdk/client-s3'
import { startServer, type StartOptions, type TestServer } from '../../start-server'

/** A server with object storage, and S3 clients with the default settings of the SDK. */
export interface S3Bench {
  server: TestServer
  endpoint: string
  /** Creates a client with an access key for this user in the cast. */
  client(
    persona: 'project-member' | 'project-admin' | 'other-member',
  ): Promise<{ s3: S3Client; accessKey: string; secretKey: string; userId: string }>
  close(): Promise<void>
}

export async function startS3(options: StartOptions = {}): Promise<S3Bench> {
  const server = await startServer(options)
  const port = server.tools.ports['object-storage']
  const { endpoint: told } = await port.service()
  // this host's resolver does not know the names in MAINSTAY_S3_DOMAIN
  const endpoint = told!.replace(new URL(told!).hostname, '127.0.0.1')
  const clients: S3Client[] = []
  return {
    server,
    endpoint,
    async client(persona) {
      const { user, domain } = server.cast.people[persona]
      await port.account({ user_id: user.id, domain_id: domain.id }, true)
      const { acc_key: accessKey, sec_key: secretKey } = await port.createKey(user.id, null)
      const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
      const s3 = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
      clients.push(s3)
      return { s3, accessKey, secretKey, userId: user.id }
    },
    async close() {
      for (const one of clients) one.destroy()
      await server.close()
    },
  }
}

/** Parameters for an SSE-C key in the SDK. */
export interface CustomerKey {
  SSECustomerAlgorithm: string
  SSECustomerKey: string
  SSECustomerKeyMD5: string
}
/** Generates an SSE-C key. */
export function customerKey(): CustomerKey {
  const key = randomBytes(32)
  return {
    SSECustomerAlgorithm: 'AES256',
    SSECustomerKey: key.toString('base64'),
    SSECustomerKeyMD5: createHash('md5').update(key).digest('base64'),
  }
}

/** Returns the S3 error code, or the status if there is none, as in the response to HEAD. */
export const refused = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing went wrong',
    ({ name, $metadata }: S3ServiceException) => (name === 'Unknown' ? String($metadata.httpStatusCode) : name),
  )
