import { createHash, randomBytes } from 'node:crypto'
import { S3Client, type S3ServiceException } from '@aws-sdk/client-s3'
import { startServer, type StartOptions, type TestServer } from '../../start-server'

/** A server with object storage, and somebody's own client of it: the SDK as it is by itself, at the address for programs. */
export interface S3Bench {
  server: TestServer
  endpoint: string
  /** A user of its own, with a key; the user is one of the directory. */
  client(
    persona: 'project-member' | 'project-admin' | 'other-member',
  ): Promise<{ s3: S3Client; accessKey: string; secretKey: string; userId: string }>
  close(): Promise<void>
}

export async function startS3(options: StartOptions = {}): Promise<S3Bench> {
  const server = await startServer(options)
  const port = server.tools.ports['object-storage']
  const { endpoint: told } = await port.service()
  // names of MAINSTAY_S3_DOMAIN mean nothing to the resolver of this machine
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

/** A key of SSE-C, as the SDK takes it. */
export interface CustomerKey {
  SSECustomerAlgorithm: string
  SSECustomerKey: string
  SSECustomerKeyMD5: string
}
/** A new one. */
export function customerKey(): CustomerKey {
  const key = randomBytes(32)
  return {
    SSECustomerAlgorithm: 'AES256',
    SSECustomerKey: key.toString('base64'),
    SSECustomerKeyMD5: createHash('md5').update(key).digest('base64'),
  }
}

/** How S3 names what went wrong; its status where it has no name, as in the answer to HEAD. */
export const refused = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'nothing went wrong',
    ({ name, $metadata }: S3ServiceException) => (name === 'Unknown' ? String($metadata.httpStatusCode) : name),
  )
