import type { ServerGroup } from '@mainstay/contract/compute/server-groups'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { refusal } from '../../../conformance/cloud'
import type { ServerGroupsPort } from '../../../ports/compute'
import { startComputeGround, type ComputeGround } from '../../testing/compute-ground'
import { serverRefusal } from '../../testing/pretended-servers'
import { serverGroupCommands } from './commands'
import { serverGroupReader } from './shape'

type WireGroup = Omit<ServerGroup, 'domain_id'>

let ground: ComputeGround
let nova: Map<string, WireGroup>
let groups: ServerGroupsPort

beforeEach(async () => {
  ground = await startComputeGround()
  nova = new Map()
  groups = serverGroupCommands(ground.engine)
  const none = serverRefusal(404, 'itemNotFound', 'Instance group could not be found.')
  ground.cloud.on('compute', 'GET', '/os-server-groups', ({ query }) => {
    const [from, most] = [Number(query.get('offset')), Number(query.get('limit'))]
    return { body: { server_groups: [...nova.values()].slice(from, from + most) } }
  })
  ground.cloud.on('compute', 'GET', '/os-server-groups/:id', ({ params }) => {
    const server_group = nova.get(params['id']!)
    return server_group ? { body: { server_group } } : none
  })
  ground.cloud.on('compute', 'POST', '/os-server-groups', ({ body, token }) => {
    const draft = (body as { server_group: Pick<ServerGroup, 'name' | 'policy'> }).server_group
    return { body: { server_group: add({ ...draft, project_id: token!.project!.id }) } }
  })
  ground.cloud.on('compute', 'DELETE', '/os-server-groups/:id', ({ params }) =>
    nova.delete(params['id']!) ? { status: 204 } : none,
  )
})
afterEach(() => ground.close())

function add(group: Partial<WireGroup> = {}): WireGroup {
  const id = `g${nova.size}`
  const made: WireGroup = {
    ...{ id, name: id, policy: 'affinity', members: [], project_id: 'p-demo', user_id: 'u-demo' },
    ...group,
  }
  nova.set(id, made)
  return made
}

test('a group is made, told of, and deleted by its project alone', async () => {
  const made = await groups.create(ground.member, { name: 'together', policy: 'soft-affinity' })
  expect(made).toMatchObject({ name: 'together', policy: 'soft-affinity', members: [], project_id: 'p-demo' })
  expect(ground.index.get(`server_group/${made.id}`)).toEqual(made)
  expect(await refusal(groups.delete(ground.stranger, made.id))).toMatchObject({ code: 'not_found' })
  await groups.delete(ground.member, made.id)
  expect([nova.size, ground.index.size]).toEqual([0, 0])
})

test('an instance is made in its group, and leaves it as it is deleted', async () => {
  const group = add()
  expect(await refusal(ground.create({ server_group: 'no-such-group' }))).toMatchObject({
    fields: { server_group: [expect.any(String)] },
  })
  const [made] = await ground.create({ server_group: group.id })
  const sent = ground.cloud.received.find(({ verb, path }) => verb === 'POST' && path === '/servers')
  expect(sent!.body).toMatchObject({ 'os:scheduler_hints': { group: group.id } })
  const server = ground.nova.servers.get(made!.id)!
  Object.assign(server, { status: 'ACTIVE' })
  ground.nova.task(server, null)
  group.members = [made!.id]
  await ground.engine.refresh(serverGroupReader, group.id)
  await ground.instances.delete(ground.member, made!.id, null)
  ground.nova.servers.delete(made!.id)
  group.members = []
  await ground.runTask()
  expect(ground.index.get(`server_group/${group.id}`)).toMatchObject({ members: [] })
})

test('all groups are read, though their list has no links', async () => {
  for (let at = 0; at < 501; at++) add()
  const ids: string[] = []
  for await (const page of serverGroupReader.all(ground.engine.reading)) ids.push(...page.map(({ id }) => id))
  expect(ids).toEqual([...nova.keys()])
})
