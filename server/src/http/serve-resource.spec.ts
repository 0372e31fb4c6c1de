import { resources } from '@mainstay/contract/resources'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import type { ServerGroupsPort, FlavorsPort } from '@mainstay/engines/ports/compute'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startServer, type TestServer } from '../testing/start-server'
import { serveResource } from './serve-resource'

const port = () => ({}) as ServerGroupsPort
const other = () => ({}) as Pick<FlavorsPort, 'create'>

describe('a resource whose commands a port has', () => {
  it('answers each call of the contract, and does not compile where one is left out', () => {
    const names = (served: { name: string }[]) => served.map(({ name }) => name)
    expect(names(serveResource(resources.networks))).toEqual(['list', 'view'])
    expect(names(serveResource(resources.serverGroups, port))).toEqual(['list', 'create', 'view', 'delete'])
    // @ts-expect-error commands without a port
    serveResource(resources.serverGroups)
    // @ts-expect-error the port of another resource
    serveResource(resources.serverGroups, other)
    // @ts-expect-error a call that is none of the usual ones, and nothing that does it
    serveResource(resources.sshKeys, ({ compute }) => compute.sshKeys)
    // @ts-expect-error a call that there is not
    serveResource(resources.serverGroups, port, { rename: () => undefined })
  })
})

describe('what belongs to a project', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
  })
  afterAll(() => server.close())

  it('is made in one, and whoever acts in none is told to choose one', async () => {
    const body = { name: 'together', policy: 'affinity' as const }
    await expect(server.call(serverGroups.create, { as: 'superuser', body })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'Choose a project first',
    })
    expect(await server.call(serverGroups.create, { as: 'project-member', body })).toMatchObject(body)
  })
})
