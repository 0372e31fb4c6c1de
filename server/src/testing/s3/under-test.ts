import { S3Client } from '@aws-sdk/client-s3'
import { S3_PROXY_PATH } from '@mainstay/contract/object-storage/s3-proxy'
import { S3_REGION } from '@mainstay/contract/object-storage/s3-service'
import type { ObjectStorageUnderTest } from '@mainstay/engines/conformance/object-storage/fixture'
import type { S3Owner } from '@mainstay/engines/ports/object-storage'
import type { Persona } from '../personas'
import { consoleClient } from './clients/console-client'
import { startServer, type StartOptions } from '../start-server'

const people = { me: 'project-member', other: 'other-member' } as const satisfies Record<string, Persona>

/** Starts the whole server with object storage, for the suites that every engine must pass. */
export async function openObjectStorage(options: StartOptions = {}): Promise<ObjectStorageUnderTest> {
  const server = await startServer(options)
  const port = server.tools.ports['object-storage']
  const clients: S3Client[] = []
  const owners = { me: ownerOf('me'), other: ownerOf('other') }
  const common = { region: S3_REGION, forcePathStyle: true, maxAttempts: 1 }
  const proxy = `${server.url}${S3_PROXY_PATH}`

  function ownerOf(who: keyof typeof people): S3Owner {
    const { user, domain } = server.cast.people[people[who]]
    return { user_id: user.id, domain_id: domain.id }
  }
  const tokenOf = (owner: S3Owner) => server.signIn(owner.user_id === owners.me.user_id ? people.me : people.other)
  const kept = (client: S3Client) => {
    clients.push(client)
    return client
  }

  return {
    port,
    people: owners,
    async console(owner) {
      return kept(consoleClient(server.url, await tokenOf(owner)))
    },
    async program({ acc_key: accessKeyId, sec_key: secretAccessKey }) {
      const { endpoint } = await port.service()
      return kept(new S3Client({ ...common, endpoint: endpoint!, credentials: { accessKeyId, secretAccessKey } }))
    },
    async send(owner, { method, path, headers, body }) {
      const answer = await fetch(`${proxy}${path}`, {
        method,
        headers: {
          ...{ 'x-auth-token': await tokenOf(owner), authorization: 'AWS4-HMAC-SHA256 Credential=session' },
          ...headers,
        },
        ...(body !== undefined && { body }),
      })
      const code = /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1]
      return code === undefined ? String(answer.status) : `${answer.status} ${code}`
    },
    async close() {
      for (const client of clients) client.destroy()
      await server.close()
    },
  }
}
