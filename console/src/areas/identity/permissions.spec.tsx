import { fireEvent, screen, within } from '@testing-library/react'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { expect, it } from 'vitest'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { choose, dialog, openPage, server, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { pressAndLoad } from '../../testing/press-and-load'

/* Why somebody may do something, or may not, as administrators ask. */

withPages()

it('an administrator asks why a user may not do something, and is told what would help', async () => {
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
  await choose(page, 'Wants to', 'Set limits of a project')
  expect(await page.findByText(/^What belongs to a project/, {}, pageTimeout)).toBeTruthy()
  await choose(page, 'In project', 'asked about')
  expect(await page.findByText('ada may work in asked about', {}, pageTimeout)).toBeTruthy()
  expect(page.getByText('No, for 1 reason')).toBeTruthy()
  expect(page.getByText('compute_quotas: create')).toBeTruthy()
  const held = within(page.getByRole('heading', { name: 'Roles that count here' }).parentElement!)
  expect(held.getByText('Project member')).toBeTruthy()
  expect(held.getByText('Does not allow it')).toBeTruthy()
  const helpful = within(page.getByRole('heading', { name: 'Roles that would allow it' }).parentElement!)
  expect(helpful.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Domain administratorIn the domain',
    'Quota managerIn the domain',
  ])
  expect(helpful.getByRole('link', { name: 'Assign to projects' })).toBeTruthy()

  await choose(page, 'Wants to', 'Create a volume')
  expect(await page.findByText('ada may do this.', {}, pageTimeout)).toBeTruthy()
  expect(page.getByText(/Quotas of the project may still refuse it/)).toBeTruthy()
})

it('an administrator chooses the thing it is about, and asks who may do it', { timeout: 180_000 }, async () => {
  const admin = 'domain-admin'
  await server.call(users.create, { as: admin, body: { name: 'grace', password: PASSWORD } })
  const { id } = await server.call(users.create, {
    as: admin,
    body: { name: 'head', password: PASSWORD, domain_permissions: ['domain_admin'] },
  })
  await openPage(`/users/${id}/permissions`, admin)
  const page = await dialog('head')
  await choose(page, 'Wants to', 'Delete a user')
  await choose(page, 'What', 'head')
  expect((await page.findAllByText('You cannot delete yourself', {}, pageTimeout)).length).toBeGreaterThan(0)
  // a project would not help against a rule
  expect(page.queryByText(/^What belongs to a project/)).toBeNull()
  await choose(page, 'What', 'grace')
  expect(await page.findByText('head may do this.', {}, pageTimeout)).toBeTruthy()
  fireEvent.click(page.getByRole('button', { name: 'Who can do this?' }))
  const heading = await page.findByRole('heading', { name: 'Who can do this' }, pageTimeout)
  const people = within(heading.parentElement!)
  expect((await people.findByRole('link', { name: 'head' }, pageTimeout)).getAttribute('href')).toContain(id)
  expect(people.getAllByText('Domain administrator (given directly)').length).toBeGreaterThan(0)
  expect(people.queryByRole('link', { name: 'grace' })).toBeNull()
})

it('where a rule bars an action, its menu asks the server why', { timeout: 180_000 }, async () => {
  await openPage('/users', 'domain-admin', await server.login('domain-admin'))
  const row = await screen.findByRole('row', { name: 'domain_admin' }, pageTimeout)
  await pressAndLoad(within(row).getByRole('button', { name: 'Actions of domain_admin' }))
  const menu = within(await screen.findByRole('menu', {}, pageTimeout))
  expect(menu.getByRole('menuitem', { name: /^Delete/ }).getAttribute('aria-disabled')).toBe('true')
  const why = menu.getByRole('menuitem', { name: 'Why not?' })
  expect(why.getAttribute('aria-disabled')).toBeNull()
  fireEvent.click(why)
  const asked = await dialog('Why not “domain_admin”?')
  // it begins with the first that is barred: a change, of which a part is refused
  expect(await asked.findByText('Yes, but not all of it', {}, pageTimeout)).toBeTruthy()
  expect(asked.getByRole<HTMLInputElement>('combobox', { name: 'What' }).value).toBe('domain_admin')
  await choose(asked, 'Wants to', 'Delete a user')
  expect(await asked.findByText('No, for 1 reason', {}, pageTimeout)).toBeTruthy()
})

it('a menu whose actions can all be done, or wait for a state alone, asks nothing', async () => {
  await openPage('/users', 'domain-admin')
  const row = await screen.findByRole('row', { name: 'project_member' }, pageTimeout)
  await pressAndLoad(within(row).getByRole('button', { name: 'Actions of project_member' }))
  const menu = within(await screen.findByRole('menu', {}, pageTimeout))
  expect(menu.getByRole('menuitem', { name: 'Delete' }).getAttribute('aria-disabled')).toBeNull()
  expect(menu.queryByRole('menuitem', { name: 'Why not?' })).toBeNull()
})
