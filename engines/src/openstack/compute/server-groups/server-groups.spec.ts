import type { ServerGroup } from '@mainstay/contract/compute/server-groups'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { ServerGroupsPort } from '../../../ports/compute'
import { startComputeFixture, type ComputeFixture } from '../../testing/compute-fixture'
import { serverRefusal } from '../../testing/fake-cloud/servers'
import { serverGroupCommands } from './commands'
import { serverGroupReader } from './shape'

type WireGroup = Omit<ServerGroup, 'domain_id'>

let fixture: ComputeFixture
let nova: Map<string, WireGroup>
let groups: ServerGroupsPort

beforeEach(async () => {
  fixture = await startComputeFixture()
  nova = new Map()
  groups = serverGroupCommands(fixture.engine)
  const none = serverRefusal(404, 'itemNotFound', 'Instance group could not be found.')
  fixture.cloud.on('compute', 'GET', '/os-server-groups', ({ query }) => {
    const [from, most] = [Number(query.get('offset')), Number(query.get('limit'))]
    return { body: { server_groups: [...nova.values()].slice(from, from + most) } }
  })
  fixture.cloud.on('compute', 'GET', '/os-server-groups/:id', ({ params }) => {
    const server_group = nova.get(params['id']!)
    return server_group ? { body: { server_group } } : none
  })
  fixture.cloud.on('compute', 'POST', '/os-server-groups', ({ body, token }) => {
    const draft = (body as { server_group: Pick<ServerGroup, 'name' | 'policy'> }).server_group
    return { body: { server_group: add({ ...draft, project_id: token!.project!.id }) } }
  })
  fixture.cloud.on('compute', 'DELETE', '/os-server-groups/:id', ({ params }) =>
    nova.delete(params['id']!) ? { status: 204 } : none,
  )
})
afterEach(() => fixture.close())

function add(group: Partial<WireGroup> = {}): WireGroup {
  const id = `g${nova.size}`
  const made: WireGroup = {
    ...{ id, name: id, policy: 'affinity', members: [], project_id: 'p-demo', user_id: 'u-demo' },
    ...group,
  }
  nova.set(id, made)
  return made
}

test('creates, shows and deletes a group only within its own project', async () => {
  const made = await groups.create(fixture.member, { name: 'together', policy: 'soft-affinity' })
  expect(made).toMatchObject({ name: 'together', policy: 'soft-affinity', members: [], project_id: 'p-demo' })
  expect(fixture.index.get(`server_group/${made.id}`)).toEqual(made)
  expect(await refusal(groups.delete(fixture.stranger, made.id))).toMatchObject({ code: 'not_found' })
  await groups.delete(fixture.member, made.id)
  expect([nova.size, fixture.index.size]).toEqual([0, 0])
})

test('creates an instance in a group, and removes it from the group when it is deleted', async () => {
  const group = add()
  expect(await refusal(fixture.create({ server_group: 'no-such-group' }))).toMatchObject({
    fields: { server_group: [expect.any(String)] },
  })
  const [made] = await fixture.create({ server_group: group.id })
  const sent = fixture.cloud.received.find(({ verb, path }) => verb === 'POST' && path === '/servers')
  expect(sent!.body).toMatchObject({ 'os:scheduler_hints': { group: group.id } })
  const server = fixture.nova.servers.get(made!.id)!
  Object.assign(server, { status: 'ACTIVE' })
  fixture.nova.task(server, null)
  group.members = [made!.id]
  await fixture.engine.refresh(serverGroupReader, group.id)
  await fixture.instances.delete(fixture.member, made!.id, null)
  fixture.nova.servers.delete(made!.id)
  group.members = []
  await fixture.runTask()
  expect(fixture.index.get(`server_group/${group.id}`)).toMatchObject({ members: [] })
})

test('reads all groups although the list has no paging links', async () => {
  for (let at = 0; at < 501; at++) add()
  const ids: string[] = []
  for await (const page of serverGroupReader.all(fixture.engine.reading)) ids.push(...page.map(({ id }) => id))
  expect(ids).toEqual([...nova.keys()])
})
