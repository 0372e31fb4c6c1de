import { flavors } from '@mainstay/contract/compute/flavors'
import { images } from '@mainstay/contract/compute/images'
import { instances } from '@mainstay/contract/compute/instances'
import { GiB } from '@mainstay/contract/core/bytes'
import { serverGroups } from '@mainstay/contract/compute/server-groups'
import { tasks, type Task } from '@mainstay/contract/core/tasks'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { volumes } from '@mainstay/contract/storage/volumes'
import { beforeEach, expect, it } from 'vitest'
import {
  admin,
  makeProject,
  name,
  operator,
  refusal,
  server,
  signIn,
  withDirectory,
} from '../../../testing/directory-fixture'
import { createSamples } from '../../../testing/create-samples'
import type { PersonaName } from '../../../testing/personas'

withDirectory()

let project: { id: string; domain_id: string }
/** Token with which the domain administrator acts in the project. */
let inside: { token: string }
beforeEach(async () => {
  project = await makeProject()
  server.cast.projects[name] = { ...server.cast.projects['alpha-one']!, ...project }
  const token = await signIn('domain_admin')
  inside = await server.call(session.enterProject, { as: { token }, params: { id: project.id } })
})

const at = (as: PersonaName | { token: string } = admin) => ({
  as,
  params: { domain_id: project.domain_id, id: project.id },
})
const contents = () => server.call(projects.contents, at())
const begin = (as?: PersonaName | { token: string }) => server.call(projects.deleteWithContents, at(as))
/** Waits until the task has finished and returns it. */
async function end({ task_id: id }: { task_id: string }): Promise<Task> {
  const over = await expect
    .poll(() => server.call(tasks.view, { as: operator, params: { id } }), { timeout: 60_000 })
    .toMatchObject({ state: expect.stringMatching(/^(success|failed|cancelled)$/) as string })
    .then(() => server.call(tasks.view, { as: operator, params: { id } }))
  return over
}
const view = () => server.call(projects.view, at())
const disk = (of: string) => server.call(volumes.create, { as: inside, body: { name: of, size: GiB } })
async function machine(of: string) {
  const { data } = await server.call(flavors.list, { as: inside })
  const volume = { source: 'blank' as const, size: GiB, boot_index: 0 }
  const body = { name: of, flavor: data[0]!.id, networks: [], volumes: [volume] }
  const { id } = await server.call(instances.create, { as: inside, body })
  const params = { id }
  await expect.poll(async () => (await server.call(instances.view, { as: inside, params })).status).toBe('ACTIVE')
  return id
}
/** Counts the project's rows in the index by kind. */
const rows = () =>
  server.sql.query<{ kind: string; count: number }>(
    `select kind, count(*)::int as count from resource
      where body->>'project_id' = $1 and kind <> 'task' group by kind order by kind`,
    [project.id],
  )

it('deletes a project with running instances, volumes and all other objects in one task', async () => {
  await createSamples(server, `${admin}@${name}`, 'inside')
  const machineId = await machine('running')
  for (const of of ['one', 'two']) await disk(of)
  // an attached volume cannot be deleted before its instance, so its deletion is retried
  const params = { id: (await disk('attached')).id }
  const status = async () => (await server.call(volumes.view, { as: inside, params })).status
  await expect.poll(status).toBe('available')
  await server.call(instances.attachVolume, { as: inside, params: { id: machineId }, body: { volume_id: params.id } })
  await expect.poll(status).toBe('in-use')
  const { counts, locked } = await contents()
  expect(counts).toMatchObject({ instances: 2, serverGroups: 1 })
  expect(counts['volumes']).toBeGreaterThan(3)
  expect(locked).toBe(0)
  // the error contains the same counts
  expect(await refusal(server.call(projects.delete, at()))).toMatchObject({ code: 'project_not_empty', data: counts })

  const begun = await begin()
  expect(await end(begun)).toMatchObject({ state: 'success', name: 'identity.project.remove', progress: 100 })
  expect(await refusal(view())).toMatchObject({ code: 'not_found' })
  expect(await rows()).toEqual([])
  // deletions are recorded under the caller, and their tasks are part of the removal task
  const lines = await server.sql.query<{ user_name: string; result: string }>(
    `select distinct user_name, result from audit where project_id = $1 and action like '%.delete' and result <> 'error'`,
    [project.id],
  )
  expect(lines).toEqual([{ user_name: 'domain_admin', result: 'success' }])
  const parts = await server.sql.query<{ name: string }>(
    `select distinct body->>'name' as name from resource where kind = 'task' and body->>'flow' = $1`,
    [begun.task_id],
  )
  expect(parts.map((it) => it.name)).toContain('compute.server.delete')
})

it('reports that a project is empty, and deletes a disabled project', async () => {
  expect(await contents()).toEqual({ counts: {}, locked: 0 })
  await disk('left')
  await server.call(projects.update, { ...at(), body: { enabled: false } })
  expect((await end(await begin())).state).toBe('success')
  expect(await refusal(view())).toMatchObject({ code: 'not_found' })
})

it('deletes nothing if an object is locked, and the error names the object', async () => {
  const [kept, other] = [await disk('ledger'), await disk('scratch')]
  const status = async () => (await server.call(volumes.view, { as: inside, params: { id: kept.id } })).status
  await expect.poll(status).toBe('available')
  await server.call(volumes.lock, { as: inside, params: { id: kept.id }, body: { reason: 'audit' } })
  expect((await contents()).locked).toBe(1)
  expect(await refusal(begin())).toMatchObject({
    code: 'deletion_locked',
    message: expect.stringContaining('The volume “ledger” is locked') as string,
  })
  for (const { id } of [kept, other])
    expect((await server.call(volumes.view, { as: inside, params: { id } })).status).not.toBe('deleting')
})

it(
  'keeps the project if an object cannot be deleted, gives the reason and succeeds on the next attempt',
  { tags: 'all' },
  async () => {
    const upload = await fetch(`${server.url}${images.create.path}`, {
      method: 'POST',
      headers: {
        'x-auth-token': inside.token,
        'content-type': 'application/octet-stream',
        'x-hci-image-name': Buffer.from('golden').toString('base64'),
        'x-hci-image-protected': 'true',
      },
      body: Buffer.concat([Buffer.alloc(510), Buffer.from([0x55, 0xaa]), Buffer.alloc(1024 * 1024 - 512)]),
    })
    const { id } = (await upload.json()) as { id: string }
    await expect
      .poll(async () => (await server.call(images.view, { as: inside, params: { id } })).status)
      .toBe('active')
    await disk('goes')
    expect(await end(await begin())).toMatchObject({
      state: 'failed',
      err_code: 'not_all_deleted',
      error: expect.stringMatching(
        /^1 object could not be deleted, so the project was not deleted.*golden: /,
      ) as string,
    })
    expect(await contents()).toMatchObject({ counts: { images: 1 } })
    await server.call(images.update, { as: inside, params: { id }, body: { protected: false } })
    expect((await end(await begin())).state).toBe('success')
    expect(await refusal(view())).toMatchObject({ code: 'not_found' })
  },
)

it('lets domain administrators and operators delete projects but hides projects in other domains', async () => {
  await disk('here')
  for (const as of ['project-member', 'project-admin', 'service-account', 'viewer', 'compute-operator'] as const)
    expect([as, (await server.fetch(projects.deleteWithContents, at(as))).status]).toEqual([as, 403])
  for (const call of [projects.contents, projects.deleteWithContents])
    expect((await server.fetch(call, at('other-member'))).status).toBeGreaterThanOrEqual(403)
  const foreign = { as: admin, params: { domain_id: '-', id: server.cast.projects['beta-one']!.id } } as const
  for (const call of [projects.contents, projects.deleteWithContents])
    expect(await refusal(server.call(call, foreign))).toMatchObject({ code: 'not_found' })
  expect((await contents()).counts).toEqual({ volumes: 1 })
  expect((await end(await begin(operator))).state).toBe('success')
})

it(
  'stops when the session that started it ends, keeping the rest until the removal is started again',
  { tags: 'all' },
  async () => {
    // more than the maximum number of concurrent deletions
    for (let count = 0; count < 44; count += 1)
      await server.call(serverGroups.create, { as: inside, body: { name: `group ${count}`, policy: 'affinity' } })
    const token = await signIn('domain_admin')
    const begun = await begin({ token })
    await server.call(session.logout, { as: { token } })
    expect(await end(begun)).toMatchObject({
      state: 'failed',
      error: 'The user who started this task has signed out',
    })
    expect((await contents()).counts['serverGroups']).toBeGreaterThan(3)
    expect((await end(await begin())).state).toBe('success')
  },
)
