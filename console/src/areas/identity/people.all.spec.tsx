import { expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { dialog, expectAddress, openPage, server, told, type, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { pressAndLoad } from '../../testing/press-and-load'

/* Tests switching users from the perspective of a domain administrator, and creating domains from that of an operator. */

const admin = 'domain-admin'

withPages()

const open = (path: string) => openPage(path, admin)
const makeUser = (name: string, body: object = {}) =>
  server.call(users.create, { as: admin, body: { name, password: PASSWORD, ...body } })
const viewUser = (id: string) => server.call(users.view, { as: admin, params: { id } })

it('disables and enables users, except the signed-in user', async () => {
  const { id } = await makeUser('switched_user')
  await open('/users')
  const openMenu = async (name: string) => {
    const row = within(await screen.findByRole('row', { name }, pageTimeout))
    await pressAndLoad(await row.findByRole('button', { name: `Actions for ${name}` }))
  }
  await openMenu('switched_user')
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Disable' }, pageTimeout))
  fireEvent.click(
    within(await screen.findByRole('alertdialog', {}, pageTimeout)).getByRole('button', { name: 'Disable 1 user' }),
  )
  await vi.waitFor(async () => expect((await viewUser(id)).enabled).toBe(false), pageTimeout)
  const row = within(await screen.findByRole('row', { name: 'switched_user' }))
  expect(await row.findByText('Disabled', {}, pageTimeout)).toBeTruthy()
  await openMenu('switched_user')
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Enable' }, pageTimeout))
  await vi.waitFor(async () => expect((await viewUser(id)).enabled).toBe(true), pageTimeout)
  await openMenu('domain_admin')
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Unavailable actions/ }, pageTimeout))
  const own = await screen.findByRole('menuitem', { name: /^Disable/ }, pageTimeout)
  expect(own.getAttribute('aria-disabled')).toBe('true')
})

it('lets operators create a domain together with its administrator, and lists the domain', async () => {
  await openPage('/domains/add', 'superuser')
  const form = await dialog('Create domain')
  type(form, /^Name/, 'Orbit')
  type(form, /^Username/, 'no')
  type(form, /^Password/, PASSWORD)
  fireEvent.click(form.getByRole('button', { name: 'Create domain' }))
  expect(await form.findByText('Use at least 3 characters', {}, pageTimeout)).toBeTruthy()
  type(form, /^Username/, 'olga')
  fireEvent.click(form.getByRole('checkbox', { name: /^Require a new password/ }))
  fireEvent.click(form.getByRole('button', { name: 'Create domain' }))
  await expectAddress('/domains')
  const row = within(await screen.findByRole('row', { name: 'Orbit' }, pageTimeout))
  await vi.waitFor(() => expect(row.getByText('1')).toBeTruthy(), pageTimeout)
  const login = { username: 'olga', password: PASSWORD, domain: 'Orbit' }
  const { token } = await server.call(session.login, { body: login })
  const { permissions, scope } = await server.call(session.meta, { as: { token: token! } })
  expect([scope.kind, permissions['domain_users']?.methods.includes('POST')]).toEqual(['domain', true])
})

it('reports that a user could not be enabled', async () => {
  const { id } = await makeUser('gone_meanwhile', { enabled: false })
  await open('/users')
  const row = within(await screen.findByRole('row', { name: 'gone_meanwhile' }, pageTimeout))
  await server.call(users.delete, { as: admin, params: { id } })
  await pressAndLoad(await row.findByRole('button', { name: 'Actions for gone_meanwhile' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Enable' }, pageTimeout))
  await vi.waitFor(() => expect(told()).toContain('“gone_meanwhile” could not be enabled'), pageTimeout)
})

it('creates a domain only once, even if creating its administrator fails at first', async () => {
  await openPage('/domains/add', 'superuser')
  const form = await dialog('Create domain')
  type(form, /^Name/, 'Orbti')
  type(form, /^Username/, 'margarete_bauer')
  type(form, /^Password/, 'Margarete_Bauer 2026')
  fireEvent.click(form.getByRole('button', { name: 'Create domain' }))
  expect(await form.findByText(/too similar to the username/, {}, pageTimeout)).toBeTruthy()
  type(form, /^Name/, 'Orbit two')
  type(form, /^Password/, PASSWORD)
  fireEvent.click(form.getByRole('button', { name: 'Create domain' }))
  await expectAddress('/domains')
  expect(await screen.findByRole('row', { name: 'Orbit two' }, pageTimeout)).toBeTruthy()
  expect(screen.queryByRole('row', { name: 'Orbti' })).toBeNull()
})
