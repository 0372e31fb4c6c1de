import { resources } from '@mainstay/contract/resources'
import type { FlavorsPort, ServerGroupsPort } from '@mainstay/engines/ports/compute'
import { describe, expect, it } from 'vitest'
import type { Tools } from '../tools'
import type { LooseCall } from './serve'
import { servePlain, serveResource } from './serve-resource'

const port = () => ({}) as ServerGroupsPort
const other = () => ({}) as Pick<FlavorsPort, 'create'>

describe('a resource with commands in a port', () => {
  it('serves each call in the contract and does not compile without a handler for each', () => {
    const names = (served: { name: string }[]) => served.map(({ name }) => name)
    expect(names(serveResource(resources.storagePolicies))).toEqual(['list', 'view'])
    expect(names(serveResource(resources.serverGroups, port))).toEqual(['list', 'create', 'view', 'delete'])
    // @ts-expect-error commands without a port
    serveResource(resources.serverGroups)
    // @ts-expect-error the port of another resource
    serveResource(resources.serverGroups, other)
    // @ts-expect-error a non-standard call without a handler
    serveResource(resources.sshKeys, ({ ports }) => ports.compute.sshKeys)
    // @ts-expect-error an unknown call
    serveResource(resources.serverGroups, port, { rename: () => undefined })
  })
})

describe('the commands of a resource', () => {
  const sent: unknown[][] = []
  const recorded = (name: string) => ({
    create: async (...words: unknown[]) => void sent.push([name, 'create', ...words]),
    delete: async (...words: unknown[]) => void sent.push([name, 'delete', ...words]),
  })
  const compute = { flavors: recorded('flavors'), serverGroups: recorded('serverGroups') }
  const tools = { ports: { compute: { ...compute, sshKeys: recorded('sshKeys') } } } as unknown as Tools
  const plain = servePlain('compute', ({ ports }) => ports.compute)
  const keys = serveResource(resources.sshKeys, ({ ports }) => ports.compute.sshKeys, { generate: () => never() })
  const never = () => Promise.reject(new Error('nobody asks for this'))
  const nowhere = { kind: 'system', project_id: null }
  const inside = { kind: 'project', project_id: 'p1' }

  async function send(kind: string, name: string, scope: object): Promise<unknown[][]> {
    const one = [...plain, ...keys].find((it) => it.kind?.name === kind && it.name === name)!
    await one.handle({ scope, params: { id: 'x' }, body: { name: 'one' } } as unknown as LooseCall, tools)
    return sent.splice(0)
  }

  it('reach the area’s port under the name of the resource', async () => {
    expect(await send('flavor', 'create', inside)).toEqual([['flavors', 'create', inside, { name: 'one' }]])
    expect(await send('server_group', 'delete', inside)).toEqual([['serverGroups', 'delete', inside, 'x']])
  })

  it('include all plain resources in the area, and can be overridden', async () => {
    expect(new Set(plain.map(({ kind }) => kind?.name))).toEqual(new Set(['flavor', 'server_group']))
    const done: string[] = []
    const own = { generate: () => never(), create: async () => void done.push('create') }
    const port = ({ ports }: Tools) => ports.compute.sshKeys
    const [create] = serveResource(resources.sshKeys, port, own as never).filter(({ name }) => name === 'create')
    await create!.handle({ scope: inside, params: {}, body: {} } as unknown as LooseCall, tools)
    expect([done, sent]).toEqual([['create'], []])
  })

  it('require a project scope to create objects that belong to a project', async () => {
    const refusal = { code: 'forbidden', message: 'Choose a project first' }
    await expect(send('server_group', 'create', nowhere)).rejects.toMatchObject(refusal)
    await expect(send('key', 'create', nowhere)).rejects.toMatchObject(refusal)
    // a key belongs to its user within a project
    await expect(send('key', 'delete', nowhere)).rejects.toMatchObject(refusal)
    expect(await send('flavor', 'create', nowhere)).toHaveLength(1)
    expect(await send('server_group', 'delete', nowhere)).toHaveLength(1)
  })
})
