import { fireEvent, screen, within } from '@testing-library/react'
import { domainQuotas, quotas, type QuotasChange } from '@mainstay/contract/compute/quotas'
import { GiB } from '@mainstay/contract/core/bytes'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { volumes } from '@mainstay/contract/storage/volumes'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { PersonaName } from '../../../../server/src/testing/personas'
import { startServer, type TestServer } from '../../../../server/src/testing/start-server'
import { publishChange } from '../../api/changes'
import { useNotices } from '../../notices/notices'
import { portalRoutes } from '../../routes'
import { withLayout } from '../../testing/browser'
import { renderPage } from '../../testing/render-page'
import { pageTimeout } from '../../testing/page-timeout'

/* Tests project quotas and domain ceilings in the console. */

const long = { timeout: 180_000 }
const admin = 'domain-admin'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
let project: { id: string; name: string; domain_id: string }
let count = 0
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  count += 1
  project = await server.call(projects.create, { as: admin, body: { name: `shop ${count}` } })
})
afterEach(() => page?.close())

const open = async (path: string, as: PersonaName = admin) => {
  page?.close()
  return (page = await renderPage(path, { server, as }))
}
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }, pageTimeout))
type Form = Awaited<ReturnType<typeof dialog>>
const limit = async (form: Form, of: string) => within(await form.findByRole('group', { name: of }, pageTimeout))
/** A number field commits its value on blur. */
async function type(form: Form, of: string, value: string) {
  const field = (await limit(form, of)).getByRole('textbox')
  fireEvent.focus(field)
  fireEvent.change(field, { target: { value } })
  fireEvent.blur(field)
}
const press = (form: Form, name: string) => fireEvent.click(form.getByRole('button', { name }))
const comesTo = (path: string) => vi.waitFor(() => expect(page!.address()).toBe(path), pageTimeout)
const told = () => useNotices.getState().notices.map(({ title }) => title)
const set = (body: QuotasChange) => server.call(quotas.set, { as: admin, params: { id: project.id }, body })
const view = () => server.call(quotas.view, { as: admin, params: { id: project.id } })
async function makeVolume(size: number) {
  const token = await server.signIn(admin)
  const entered = await server.call(session.enterProject, { as: { token }, params: { id: project.id } })
  return server.call(volumes.create, { as: entered, body: { name: 'disk', size } })
}
const meter = (details: Form, name: string) => details.findByRole('meter', { name }, pageTimeout)

it("shows a project's properties, members and quotas in tabs, each with its own URL [RT-127]", long, async () => {
  await set({ compute: { cores: { limit: 12 } } })
  await open(`/projects/${project.id}/properties`)
  const details = await dialog(project.name)
  expect((await details.findAllByRole('tab', {}, pageTimeout)).map((it) => it.textContent)).toEqual([
    'Properties',
    expect.stringMatching(/^Members/),
    'Quotas',
  ])
  expect(await details.findByText('Enabled', {}, pageTimeout)).toBeTruthy()
  fireEvent.click(details.getByRole('tab', { name: /^Members/ }))
  await comesTo(`/projects/${project.id}/members`)
  expect(await details.findByText(/This project has no members/, {}, pageTimeout)).toBeTruthy()
  fireEvent.click(details.getByRole('tab', { name: 'Quotas' }))
  await comesTo(`/projects/${project.id}/quotas`)
  expect((await meter(details, 'vCPUs')).getAttribute('aria-valuetext')).toBe('0 of 12, 12 left')
  expect(details.getAllByRole('meter')).toHaveLength(17)
})

it('updates an open quotas tab when objects are created in the project', { ...long, tags: 'all' }, async () => {
  await open(`/projects/${project.id}/quotas`)
  const details = await dialog(project.name)
  const used = async () => (await meter(details, 'Volumes')).getAttribute('aria-valuetext')
  await vi.waitFor(async () => expect(await used()).toBe('0 of 100, 100 left'), pageTimeout)
  const entity = await makeVolume(GiB)
  const change = { kind: 'volume', id: entity.id, op: 'put', project_id: project.id, domain_id: null } as const
  publishChange({ ...change, revision: 1, at: '', entity })
  await vi.waitFor(async () => expect(await used()).toBe('1 of 100, 99 left'), pageTimeout)
})

it('sends only changed limits, and removes a limit if “No limit” is selected', { ...long, tags: 'all' }, async () => {
  await open(`/projects/${project.id}/set-quotas`)
  const form = await dialog(`Set quotas for “${project.name}”`)
  await type(form, 'vCPUs', '8')
  await type(form, 'Memory', '12')
  fireEvent.click((await limit(form, 'Images')).getByRole('checkbox', { name: 'No limit' }))
  const before = await view()
  press(form, 'Set quotas')
  await comesTo(`/projects/${project.id}/quotas`)
  expect(told()).toContain(`Quotas for “${project.name}” set`)
  const after = await view()
  expect(after.compute).toMatchObject({ cores: { limit: 8 }, ram: { limit: 12 * GiB } })
  expect(after.image.images.limit).toBe(-1)
  expect(after.storage).toEqual(before.storage)
  const [row] = await server.sql.query<{ body: { limits: object } }>(
    'select body from resource where kind = $1 and id = $2',
    ['quota', project.id],
  )
  expect(Object.keys(row!.body.limits).toSorted()).toEqual(['images', 'ram', 'vcpus'])
})

it(
  'asks before setting a limit below usage, showing both numbers, and then refuses growth',
  { ...long, tags: 'all' },
  async () => {
    await makeVolume(3 * GiB)
    await open(`/projects/${project.id}/set-quotas`)
    const form = await dialog(`Set quotas for “${project.name}”`)
    expect((await limit(form, 'Volume storage')).getByText('3 GiB used')).toBeTruthy()
    await type(form, 'Volume storage', '2')
    press(form, 'Set quotas')
    const question = within(await screen.findByRole('alertdialog', { name: /below current usage/ }, pageTimeout))
    expect(question.getByText(/Volume storage: 3 GiB used, limit 2 GiB\. Existing resources are kept/)).toBeTruthy()
    fireEvent.click(question.getByRole('button', { name: 'Cancel' }))
    await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull(), pageTimeout)
    expect((await view()).storage.storage_policies['default']!.limit).toBeGreaterThan(2 * GiB)
    press(form, 'Set quotas')
    const again = within(await screen.findByRole('alertdialog', { name: /below current usage/ }, pageTimeout))
    fireEvent.click(again.getByRole('button', { name: 'Set quotas' }))
    await comesTo(`/projects/${project.id}/quotas`)
    expect((await view()).storage.storage_policies['default']).toEqual({ limit: 2 * GiB, used: 3 * GiB })
    await expect(makeVolume(GiB)).rejects.toMatchObject({
      code: 'quota_exceeded',
      data: { limit: 2 * GiB, used: 3 * GiB },
    })
    expect((await meter(await dialog(project.name), 'Volume storage')).getAttribute('aria-valuetext')).toMatch(
      /^3\sGiB of 2\sGiB, 1\sGiB over the limit$/,
    )
  },
)

it('requires the permission to set quotas, which project members do not have [RT-131]', long, async () => {
  const { needs } = portalRoutes.find(({ path }) => path === 'projects/$id/set-quotas')!
  expect(needs).toEqual({ resource: 'compute_quotas', ability: 'create' })
  const own = server.cast.projects['alpha-one']!
  await open(`/projects/${own.id}/set-quotas`, 'project-member')
  expect(await screen.findByRole('heading', { name: 'No access' }, pageTimeout)).toBeTruthy()
  expect(screen.queryByRole('dialog', { name: /Set quotas/ })).toBeNull()
  await open(`/projects/${own.id}/quotas`, 'project-member')
  const details = await dialog(own.name)
  expect(await meter(details, 'vCPUs')).toBeTruthy()
  expect(details.queryByRole('link', { name: 'Set quotas' })).toBeNull()
})

it("lets operators set domain ceilings, and shows them next to the quotas of the domain's projects", long, async () => {
  const { domain_id: id } = project
  await open(`/domains/${id}/set-quotas`, 'superuser')
  const form = await dialog('Set quotas for “alpha”')
  fireEvent.click((await limit(form, 'vCPUs')).getByRole('checkbox', { name: 'No limit' }))
  await type(form, 'vCPUs', '64')
  press(form, 'Set quotas')
  await comesTo(`/domains/${id}`)
  const domain = await dialog('alpha')
  expect((await meter(domain, 'vCPUs')).getAttribute('aria-valuetext')).toBe('0 of 64, 64 left')
  expect((await server.call(domainQuotas.view, { as: admin, params: { id } })).compute.cores.limit).toBe(64)
  await open(`/projects/${project.id}/quotas`)
  const details = await dialog(project.name)
  await details.findByText('Domain quotas', {}, pageTimeout)
  const meters = await details.findAllByRole('meter', { name: 'vCPUs' }, pageTimeout)
  expect(meters.map((it) => it.getAttribute('aria-valuetext'))).toEqual(['0 of 40, 40 left', '0 of 64, 64 left'])
})
