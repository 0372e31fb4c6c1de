import { says } from '@mainstay/contract/core/said'
import { LinkFault } from '@mainstay/engines/hosts/link-fault'
import { Secret } from '@mainstay/engines/ports/secret'
import { expect, it, vi } from 'vitest'
import { fakeHosts, HOST_KEY, hostFacts } from '../../../testing/fake-hosts'
import { silentLogger } from '../../../testing/silent-logger'
import { deletingNode } from './delete-job'
import { newNode, noLink } from './node-rows'

const [removing] = deletingNode.steps
const link = { ...noLink, by: 'ssh' as const }
const tx = {
  get: async () => newNode({ id: 'n1', host: 'n1', link }),
  getPrivate: async () => ({ ssh: { address: 'n1', port: 22, user: 'root', host_key: HOST_KEY } }),
}
const settings = {
  read: async () => ({ value: { public_key: 'ssh-ed25519 AAAA mainstay' }, secret: new Secret('key') }),
}

/** Runs the step that removes the key from a host. Returns the state that the step stored. */
async function remove(hosts: object, kept: Record<string, unknown> = {}) {
  const keep = vi.fn(async (more: object) => void Object.assign(kept, more))
  const inventory = { transaction: (work: (given: typeof tx) => unknown) => work(tx) }
  const tools = { inventory, settings, hosts, log: silentLogger } as never
  const signal = new AbortController().signal
  await removing!.run({ args: { node_id: 'n1' }, kept, keep, signal } as never, tools)
  return { kept, keeps: keep.mock.calls.map(([more]) => more) }
}

it('records that the removal of the key was requested before it sends the request to the host', async () => {
  const hosts = fakeHosts()
  hosts.add('n1', hostFacts('n1'))
  expect((await remove(hosts)).keeps).toEqual([{ asked: true }, { command: null }])
})

it('a refused key counts as removed from a host only if its removal was requested', async () => {
  const open = async () => {
    throw new LinkFault('refused_key', says('infrastructure.host_key_refused', { host: 'n1' }))
  }
  expect((await remove({ open })).kept).toEqual({ command: expect.stringContaining('sed -i') as string })
  expect((await remove({ open }, { asked: true })).kept).toEqual({ asked: true, command: null })
})
