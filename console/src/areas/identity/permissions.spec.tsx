import { fireEvent, screen, within } from '@testing-library/react'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { expect, it } from 'vitest'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { choose, dialog, openPage, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { pressAndLoad } from '../../testing/press-and-load'

/* Tests the permission check, which tells administrators why a user may or may not do something. */

withPages()

it('explains why a user may not do something and which roles would allow it', async () => {
  const admin = 'domain-admin'
  const { id: project_id } = await server.call(projects.create, { as: admin, body: { name: 'asked about' } })
  const body = {
    name: 'ada',
    password: PASSWORD,
    assigned_projects: [{ project_id, role: 'project_member' as const }],
  }
  const { id } = await server.call(users.create, { as: admin, body })
  await openPage(`/users/${id}/permissions`, admin)
  const page = await dialog('ada')
  await choose(page, 'Action', 'Set the quotas of a project')
  expect(await page.findByText(/^Actions on project resources require a project/, {}, pageTimeout)).toBeTruthy()
  await choose(page, 'Project', 'asked about')
  expect(await page.findByText('User ada has access to project asked about', {}, pageTimeout)).toBeTruthy()
  expect(page.getByText('Not allowed for 1 reason')).toBeTruthy()
  expect(page.getByText('compute_quotas: create')).toBeTruthy()
  const held = within(page.getByRole('heading', { name: 'Relevant roles' }).parentElement!)
  expect(held.getByText('Project member')).toBeTruthy()
  expect(held.getByText('Does not allow this')).toBeTruthy()
  const helpful = within(page.getByRole('heading', { name: 'Roles that would allow this' }).parentElement!)
  expect(helpful.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Domain administratorIn the domain',
    'Quota managerIn the domain',
  ])
  expect(helpful.getByRole('link', { name: 'Assign to projects' })).toBeTruthy()

  await choose(page, 'Action', 'Create a volume')
  expect(await page.findByText('ada can do this.', {}, pageTimeout)).toBeTruthy()
  expect(page.getByText(/Quotas are checked separately and may still prevent the action/)).toBeTruthy()
})

it(
  'checks an action on a selected object, and lists the users who may perform it',
  { tags: 'all', timeout: 180_000 },
  async () => {
    const admin = 'domain-admin'
    await server.call(users.create, { as: admin, body: { name: 'grace', password: PASSWORD } })
    const { id } = await server.call(users.create, {
      as: admin,
      body: { name: 'head', password: PASSWORD, domain_permissions: ['domain_admin'] },
    })
    await openPage(`/users/${id}/permissions`, admin)
    const page = await dialog('head')
    await choose(page, 'Action', 'Delete a user')
    await choose(page, 'Object', 'head')
    expect((await page.findAllByText('You cannot delete your own account', {}, pageTimeout)).length).toBeGreaterThan(0)
    // access to a project would not help, since a rule forbids the action
    expect(page.queryByText(/^Actions on project resources require a project/)).toBeNull()
    await choose(page, 'Object', 'grace')
    expect(await page.findByText('head can do this.', {}, pageTimeout)).toBeTruthy()
    fireEvent.click(page.getByRole('button', { name: 'Show users who can do this' }))
    const heading = await page.findByRole('heading', { name: 'Users who can do this' }, pageTimeout)
    const people = within(heading.parentElement!)
    expect((await people.findByRole('link', { name: 'head' }, pageTimeout)).getAttribute('href')).toContain(id)
    expect(people.getAllByText('Domain administrator (assigned directly)').length).toBeGreaterThan(0)
    expect(people.queryByRole('link', { name: 'grace' })).toBeNull()
  },
)

it(
  'opens the permission check from a menu if a rule forbids an action',
  { tags: 'all', timeout: 180_000 },
  async () => {
    await openPage('/users', 'domain-admin', await server.login('domain-admin'))
    const row = await screen.findByRole('row', { name: 'domain_admin' }, pageTimeout)
    await pressAndLoad(await within(row).findByRole('button', { name: 'Actions for domain_admin' }))
    const menu = within(await screen.findByRole('menu', {}, pageTimeout))
    expect(menu.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled')).toBe('true')
    const why = menu.getByRole('menuitem', { name: 'Why is this unavailable?' })
    expect(why.getAttribute('aria-disabled')).toBeNull()
    fireEvent.click(why)
    const asked = await dialog('Permission check for “domain_admin”')
    // the check starts with the first disabled action: an update, which is partly refused
    expect(await asked.findByText('Partly allowed', {}, pageTimeout)).toBeTruthy()
    expect(asked.getByRole<HTMLInputElement>('combobox', { name: 'Object' }).value).toBe('domain_admin')
    await choose(asked, 'Action', 'Delete a user')
    expect(await asked.findByText('Not allowed for 1 reason', {}, pageTimeout)).toBeTruthy()
  },
)

it('does not offer the permission check in a menu if no rule forbids an action', async () => {
  await openPage('/users', 'domain-admin')
  const row = await screen.findByRole('row', { name: 'project_member' }, pageTimeout)
  await pressAndLoad(await within(row).findByRole('button', { name: 'Actions for project_member' }))
  const menu = within(await screen.findByRole('menu', {}, pageTimeout))
  expect(menu.getByRole('menuitem', { name: 'Delete' }).getAttribute('aria-disabled')).toBeNull()
  expect(menu.queryByRole('menuitem', { name: 'Why is this unavailable?' })).toBeNull()
})
