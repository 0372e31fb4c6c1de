import { randomUUID } from 'node:crypto'
import type { FakeCloud } from './cloud'

/** Objects in the key manager, by the last segment of their URL. */
export interface FakeBarbican {
  secrets: Map<string, { name: string; payload: string }>
  containers: Map<string, { name: string; secret_refs: { name: string; secret_ref: string }[] }>
}

/** Creates a fake key manager: https://docs.openstack.org/barbican/latest/api/ */
export function fakeBarbican(cloud: FakeCloud): FakeBarbican {
  const root = cloud.endpoints['key-manager']
  const fake: FakeBarbican = { secrets: new Map(), containers: new Map() }
  for (const [kind, ref] of [
    ['secrets', 'secret_ref'],
    ['containers', 'container_ref'],
  ] as const) {
    const rows: Map<string, object> = fake[kind]
    cloud.on('key-manager', 'POST', `/${kind}`, ({ body }) => {
      const id = randomUUID()
      rows.set(id, body as object)
      return { status: 201, body: { [ref]: `${root}/${kind}/${id}` } }
    })
    cloud.on('key-manager', 'DELETE', `/${kind}/:id`, ({ params }) =>
      rows.delete(params['id']!)
        ? { status: 204 }
        : {
            status: 404,
            body: {
              title: 'Not Found',
              code: 404,
              description: 'Not Found. Sorry but your secret is in another castle.',
            },
          },
    )
  }
  return fake
}
