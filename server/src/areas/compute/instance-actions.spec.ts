import type { InstanceStatus } from '@mainstay/contract/compute/instance-rules'
import { instances, type Instance } from '@mainstay/contract/compute/instances'
import { quotas } from '@mainstay/contract/compute/quotas'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { tasks } from '@mainstay/contract/core/tasks'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
const as = 'project-member'
const said: string[] = []
beforeAll(async () => {
  const keep = (fields: object, message: string) => said.push(`${message} ${JSON.stringify(fields)}`)
  server = await startServer({ log: { debug: keep, info: keep, warn: keep, error: keep } })
})
afterAll(() => server.close())

/** Waits until no task is running, then returns the instance. */
const settled = (id: string, status: InstanceStatus): Promise<Instance> =>
  vi.waitFor(async () => {
    const instance = await server.call(instances.view, { as, params: { id } })
    expect([instance.status, instance.task_state]).toEqual([status, null])
    return instance
  })

async function running(name: string): Promise<Instance> {
  const boot = { source: 'blank', size: GiB, boot_index: 0 } as const
  const { id } = await server.call(instances.create, {
    as,
    body: { name, flavor: 's1.nano', networks: [], volumes: [boot] },
  })
  return settled(id, 'ACTIVE')
}

const used = async () => {
  const { compute } = await server.call(quotas.view, {
    as,
    params: { id: server.cast.projects['alpha-one']!.id },
  })
  return [compute.instances.used, compute.cores.used, compute.ram.used / MiB]
}

it('reaches SHUTOFF after stop, SUSPENDED after suspend and SHELVED_OFFLOADED after shelve [ST-074]', async () => {
  const { id } = await running('led')
  for (const [action, status, back] of [
    ['stop', 'SHUTOFF', 'start'],
    ['suspend', 'SUSPENDED', 'resume'],
    ['shelve', 'SHELVED_OFFLOADED', 'unshelve'],
  ] as const) {
    await server.call(instances[action], { as, params: { id }, body: {} })
    await settled(id, status)
    await server.call(instances[back], { as, params: { id } })
    await settled(id, 'ACTIVE')
  }
})

it('releases the vCPUs and memory of a shelved instance', async () => {
  const { id } = await running('shelved')
  const before = await used()
  const response = await server.fetch(instances.shelve, { as, params: { id }, body: { event: 'summer' } })
  expect([response.status, ((await response.json()) as Instance).task_state]).toEqual([202, 'shelving'])
  await settled(id, 'SHELVED_OFFLOADED')
  expect(await used()).toEqual([before[0], before[1]! - 1, before[2]! - 128])
  await server.call(instances.unshelve, { as, params: { id } })
  await settled(id, 'ACTIVE')
  expect(await used()).toEqual(before)
  const { data } = await server.call(tasks.list, { as, query: { subject_id: id } })
  expect(data.map(({ name, event }) => [name, event])).toContainEqual(['compute.server.shelve', 'summer'])
})

it('requires an existing image for rescue mode and reports errors on the image_id field', async () => {
  const { id } = await running('no-image')
  for (const body of [{}, { image_id: 'no-such-image' }])
    await expect(server.call(instances.rescue, { as, params: { id }, body })).rejects.toMatchObject({
      status: 400,
      fields: { image_id: [expect.any(String)] },
    })
  await expect(server.call(instances.unrescue, { as, params: { id } })).rejects.toMatchObject({ code: 'invalid_state' })
})

it('sets and removes metadata by key, even if the key contains special characters', async () => {
  const { id } = await running('worded')
  const put = (metadata: Record<string, string>) =>
    server.call(instances.setMetadata, { as, params: { id }, body: { metadata } })
  expect((await put({ 'cost centre: a.b-c_d': '4711', tier: 'web' })).metadata).toEqual({
    'cost centre: a.b-c_d': '4711',
    tier: 'web',
  })
  const removed = await server.call(instances.removeMetadata, { as, params: { id, key: 'cost centre: a.b-c_d' } })
  expect(removed.metadata).toEqual({ tier: 'web' })
  await expect(server.call(instances.removeMetadata, { as, params: { id, key: 'toString' } })).rejects.toMatchObject({
    code: 'not_found',
  })
  for (const key of ['__proto__', '', ' ', '..', 'a/b', 'ü', 'x'.repeat(256)])
    await expect(put(JSON.parse(`{${JSON.stringify(key)}: "x"}`) as never), key).rejects.toMatchObject({ status: 400 })
  await expect(put({ long: 'x'.repeat(256) })).rejects.toMatchObject({
    fields: { 'metadata.long': [expect.any(String)] },
  })
})

it('restricts migration and evacuation to operators, and refuses both if there is only one node', async () => {
  const { id } = await running('staying')
  for (const call of [instances.migrate, instances.stopMigrate, instances.evacuate] as const) {
    expect((await server.fetch(call, { as, params: { id }, body: {} as never })).status, call.path).toBe(403)
    await expect(
      server.call(call, { as: 'superuser', params: { id }, body: {} as never }),
      call.path,
    ).rejects.toMatchObject({ code: 'unsupported', status: 422 })
  }
  expect(await server.call(instances.view, { as, params: { id } })).toMatchObject({ status: 'ACTIVE', fault: null })
})

it('validates a guest password and neither stores nor logs it', async () => {
  const { id } = await running('locked')
  const password = 'Tr0ub4dor&3 told once'
  const set = (text: string) => server.call(instances.setPassword, { as, params: { id }, body: { password: text } })
  await expect(set('short')).rejects.toMatchObject({ fields: { password: [expect.any(String)] } })
  await expect(set(password)).rejects.toMatchObject({ code: 'unsupported' })
  await expect(set(`${password}\u0007`)).rejects.toMatchObject({ fields: { password: [expect.any(String)] } })
  const tables = await server.sql.query<{ name: string }>(
    "select table_name as name from information_schema.tables where table_schema = 'public'",
  )
  for (const { name } of tables) {
    const kept = await server.sql.query<{ row: string }>(`select to_jsonb(it)::text as row from "${name}" it`)
    expect(
      kept.filter(({ row }) => row.includes('Tr0ub4dor')),
      name,
    ).toEqual([])
  }
  expect(said.filter((line) => line.includes('Tr0ub4dor'))).toEqual([])
})
