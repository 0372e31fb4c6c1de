import { setTimeout as sleep } from 'node:timers/promises'
import { computeCluster } from '@mainstay/contract/compute/compute-cluster'
import { instances } from '@mainstay/contract/compute/instances'
import { engines } from '@mainstay/contract/infrastructure/engines'
import { expect, onTestFinished, test } from 'vitest'
import { PASSWORD } from '../../../server/src/testing/personas'
import { startServer } from '../../../server/src/testing/start-server'
import { serveDirectory, someDirectory } from './testing/fake-cloud/directory'
import { fakeEnvironment } from './testing/fake-cloud/environment'
import { startFaultProxy } from './testing/fault-proxy'
import { startFakeCloud } from './testing/fake-cloud/cloud'
import { fakeServices } from './testing/fake-cloud/services'

async function until<Found>(
  what: string,
  look: () => Promise<Found>,
  patienceMs = 60_000,
): Promise<NonNullable<Found>> {
  for (const end = Date.now() + patienceMs; Date.now() < end; await sleep(100)) {
    const found = await look()
    if (found) return found
  }
  throw new Error(`waited ${patienceMs} ms in vain for ${what}`)
}

/** Starts the whole server with a fake cloud that is polled ten times as fast as usual. */
async function startAll() {
  const directory = someDirectory()
  directory.users.find(({ name }) => name === 'admin')!.password = PASSWORD
  // the cast creates a domain with this name
  directory.domains.find(({ name }) => name === 'alpha')!.name = 'gamma'
  directory.roles.push('compute', 'service_account', 'project_admin')
  const cloud = await startFakeCloud(directory)
  serveDirectory(cloud, directory)
  const { compute: nova } = fakeServices(cloud)
  const proxy = await startFaultProxy({ identity: cloud.endpoints.identity, compute: cloud.endpoints.compute })
  const server = await startServer({
    environment: fakeEnvironment(proxy),
    pace: 10,
  })
  onTestFinished(async () => {
    await server.close()
    await proxy.close()
    await cloud.close()
  })
  return { nova, proxy, server }
}

test('keeps lists available during an outage, and gives it as the reason for refusing commands', async () => {
  const { nova, proxy, server } = await startAll()
  const as = 'project-member'
  const { id } = nova.add({ name: 'web', tenant_id: server.cast.people[as].project!.id })
  const names = async () => (await server.call(instances.list, { as })).data.map(({ name }) => name)
  const outage = async () => (await server.call(computeCluster.view, { as })).outage
  await until('the index to follow', async () => (await names()).includes('web'))
  expect(await outage()).toBeNull()

  const before = new Date().toISOString()
  await proxy.fault('compute', { kind: 'refuse' })
  const told = await until('the outage to be told', outage)
  expect(told.parts).toEqual(['compute'])
  expect(told.since > before).toBe(true)
  expect(await names()).toEqual(['web'])
  const [engine] = (await server.call(engines.list, { as: 'superuser' })).data
  expect(engine).toMatchObject({ name: 'compute', view: 'feed', by: 'polling' })
  expect(engine!.parts.find(({ name }) => name === 'compute')).toMatchObject({
    reachable: false,
    message: expect.stringContaining('compute service'),
  })
  await expect(server.call(instances.start, { as, params: { id } })).rejects.toMatchObject({
    status: 503,
    code: 'engine_unavailable',
    message: expect.stringContaining('compute service'),
  })

  nova.servers.get(id)!.name = 'renamed meanwhile'
  await proxy.heal()
  await until('the outage to be over', async () => (await outage()) === null)
  await until('what was missed', async () => (await names()).includes('renamed meanwhile'))
})
