import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { sshKeys } from '@mainstay/contract/compute/ssh-keys'
import { volumes } from '@mainstay/contract/storage/volumes'
import { expect, test } from 'vitest'
import { startServer } from '../../../../server/src/testing/start-server'
import { openMemory } from '../testing/memory'
import { enterWorld } from './worlds'

test('the demo world has twelve working instances in various states', { tags: 'all' }, async () => {
  const { call, tools, close } = await startServer({ world: 'demo' })
  const list = await call(instances.list, { as: 'superuser', query: { limit: 100 } })
  expect(list.data).toHaveLength(12)
  expect(new Set(list.data.map(({ status }) => status))).toEqual(
    new Set(['ACTIVE', 'PAUSED', 'SHUTOFF', 'SUSPENDED', 'ERROR']),
  )
  expect((await call(volumes.list, { as: 'superuser', query: { limit: 100 } })).data).toHaveLength(19)
  expect((await call(sshKeys.list, { as: 'superuser' })).data).toHaveLength(2)

  // before the first figures are read
  for (const { id, status } of list.data) {
    if (status === 'ACTIVE')
      expect(await tools.ports.compute.instances.stat(operator, id)).toMatchObject({
        cpu_usage: null,
        mem_usage: expect.any(Number),
      })
  }

  const mail = list.data.find(({ name }) => name === 'mail') as Instance
  await call(instances.start, { as: 'superuser', params: { id: mail.id } })
  await expect
    .poll(async () => (await call(instances.view, { as: 'superuser', params: { id: mail.id } })).status)
    .toBe('ACTIVE')
  await close()
})

const operator = {
  kind: 'system',
  user_id: 'r',
  user_name: 'r',
  domain_id: 'default',
  project_id: null,
  roles: [],
  request_id: 's',
} as const

test('the degraded world contains every kind of problem', { tags: 'all' }, async () => {
  const { call, close } = await startServer({ world: 'degraded' })
  const { data } = await call(instances.list, { as: 'superuser', query: { limit: 100 } })
  const named = (name: string) => data.find((row) => row.name === name)
  expect(named('crashed')).toMatchObject({ status: 'ERROR', fault: { message: expect.stringContaining('signal 9') } })
  expect(named('host-is-gone')).toMatchObject({ status: 'UNKNOWN', host_status: 'DOWN' })
  expect(named('stuck-shutting-down')).toMatchObject({ task_state: 'powering-off' })
  await call(instances.start, { as: 'superuser', params: { id: named('fault-start-1')!.id } })
  await expect
    .poll(
      async () => (await call(instances.view, { as: 'superuser', params: { id: named('fault-start-1')!.id } })).status,
    )
    .toBe('ERROR')
  await close()
})

test('refuses to add example data to a data folder that is already in use', async () => {
  const { records } = openMemory().serve()
  const tools = { records, cloud: { hypervisor: { kind: 'simulated' } } } as unknown as Parameters<typeof enterWorld>[1]
  await enterWorld('empty', tools)
  await expect(enterWorld('busy', tools)).rejects.toThrow('The data folder holds the world "empty"')
  await expect(enterWorld('empty', tools)).resolves.toBeUndefined()
})
