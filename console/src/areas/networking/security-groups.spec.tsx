import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it, vi } from 'vitest'
import { securityGroupRules } from '@mainstay/contract/networking/security-group-rules'
import { securityGroups, type SecurityGroup } from '@mainstay/contract/networking/security-groups'
import { pressAndLoad } from '../../testing/press-and-load'
import {
  expectAddress,
  dialog,
  enter,
  field,
  isGone,
  openPage,
  page,
  press,
  deleteRow,
  server,
  withPages,
} from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

const long = { timeout: 120_000 }
const as = 'project-member'
withPages()
// load the chunks first: on a busy machine, importing them can exceed the page timeout
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

const list = '/compute/security-groups'
let web: SecurityGroup
beforeAll(async () => {
  web = await server.call(securityGroups.create, { as, body: { name: 'web', description: 'Lets the world in' } })
})
const refused = async (place: string) => {
  const { address } = await openPage(place, 'viewer')
  await vi.waitFor(() => expect(address()).toBe('/error403'), pageTimeout)
}
const now = () => server.call(securityGroups.view, { as, params: { id: web.id } })
const inbound = async () => (await now()).security_group_rules.filter(({ direction }) => direction === 'ingress')

it('lists security groups with their descriptions to users who may read them [RT-039]', long, async () => {
  await openPage(list, as)
  const row = within(await screen.findByRole('row', { name: 'web' }, pageTimeout))
  expect(row.getByText('Lets the world in')).toBeTruthy()
  // domain administrators who are not in a project have no security groups
  const { address } = await openPage(list, 'domain-admin')
  await vi.waitFor(() => expect(address()).toBe('/error403'), pageTimeout)
})

it('lets permitted users create a security group, then opens its rules [RT-040] [IF-028]', long, async () => {
  await refused(`${list}/add`)
  await refused('/iframe/security-groups/add')
  await openPage('/iframe/security-groups/add', as)
  await field('Name')
  await openPage(`${list}/add`, as)
  await enter('Name', 'default')
  await screen.findByText('Every project already has a security group with this name', {}, pageTimeout)
  await enter('Name', 'database')
  await press('Create security group')
  await screen.findByRole('heading', { level: 1, name: 'database' }, pageTimeout)
  await screen.findByText('No rules: all inbound traffic is blocked', {}, pageTimeout)
})

it('shows permitted users the rules as sentences and as a table, and adds new rules [RT-041]', long, async () => {
  const barred = await openPage(`${list}/${web.id}`, 'domain-admin')
  await vi.waitFor(() => expect(barred.address()).toBe('/error403'), pageTimeout)
  await openPage(`${list}/${web.id}`, as)
  await screen.findByRole('heading', { level: 1, name: 'web' }, pageTimeout)
  await press('SSH 22')
  await press('Add rule')
  const rules = within(await screen.findByRole('list', { name: 'Rules' }, pageTimeout))
  expect(rules.getByText('TCP 22').closest('li')!.textContent).toContain(
    'Allow inbound traffic from anywhere (IPv4): TCP 22 (SSH)',
  )
  expect(await inbound()).toMatchObject([{ protocol: 'tcp', port_range_min: 22, port_range_max: 22 }])
  fireEvent.click(screen.getByRole('radio', { name: 'Table' }))
  const table = within(await screen.findByRole('table', { name: 'Rules' }, pageTimeout))
  expect(table.getByText('22 SSH')).toBeTruthy()
  // the user can restore a deleted rule with the keyboard
  fireEvent.click(table.getByRole('button', { name: 'Delete rule 1: TCP 22' }))
  await screen.findByText(/Rule deleted/, {}, pageTimeout)
  expect(await inbound()).toEqual([])
  // the first match is the outer group, which contains the table
  fireEvent.keyDown(screen.getAllByRole('group', { name: 'Rules' })[0]!, { key: 'z', ctrlKey: true })
  await vi.waitFor(async () => expect(await inbound()).toHaveLength(1), pageTimeout)
})

it(
  'lets permitted users edit a security group, then returns to the previous page [RT-042] [IF-029]',
  long,
  async () => {
    for (const place of [
      `${list}/${web.id}/edit`,
      `${list}/${web.id}/edit/list`,
      `/iframe/security-groups/${web.id}/edit`,
    ])
      await refused(place)
    await openPage(`/iframe/security-groups/${web.id}/edit`, as)
    expect((await field('Name')).value).toBe('web')
    await openPage(`${list}/${web.id}/edit/list`, as)
    await enter(/^Description/, 'for the shop')
    await press('Save')
    await expectAddress(list)
    await openPage(`${list}/${web.id}/edit`, as)
    const form = await dialog('Edit security group “web”')
    fireEvent.click(form.getByRole('button', { name: 'Cancel' }))
    await expectAddress(`${list}/${web.id}`)
    expect((await now()).description).toBe('for the shop')
  },
)

it('shows only the rules of a security group in a frame [IF-030]', long, async () => {
  await openPage(`/iframe/security-groups/${web.id}/rules`, as)
  await screen.findByRole('heading', { level: 1, name: 'Rules in security group “web”' }, pageTimeout)
  await screen.findByRole('button', { name: 'Done' }, pageTimeout)
  expect(page!.address()).toBe(`/iframe/security-groups/${web.id}/rules`)
  expect(screen.queryByRole('navigation', { name: 'Main menu', hidden: true })).toBeNull()
  const { data } = await server.call(securityGroupRules.list, { as, query: { security_group_id: web.id } })
  expect(data.length).toBeGreaterThan(0)
})

it('deletes a security group from the list, but never the default one [UI-026]', long, async () => {
  const { id } = await server.call(securityGroups.create, { as, body: { name: 'doomed' } })
  await openPage(list, as)
  await screen.findByRole('row', { name: 'web' }, pageTimeout)
  await deleteRow('doomed')
  await isGone('doomed')
  expect((await server.call(securityGroups.list, { as, query: { id } })).data).toEqual([])
  const first = within(screen.getByRole('row', { name: 'default' }))
  await pressAndLoad(await first.findByRole('button', { name: 'Actions for default' }))
  const remove = await screen.findByRole('menuitem', { name: /^Delete/ }, pageTimeout)
  expect(remove.getAttribute('aria-disabled')).toBe('true')
})
