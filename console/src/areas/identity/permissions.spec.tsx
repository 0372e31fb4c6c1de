import { within } from '@testing-library/react'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { expect, it } from 'vitest'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { choose, dialog, openPage, server, unhurried, withPages } from '../../testing/pages'

/* Why somebody may do something, or may not, as administrators ask. */

withPages()

it(
  'an administrator asks why a user may not do something, and is told what would help',
  { timeout: 60_000 },
  async () => {
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
    await choose(page, 'Wants to', 'Set quotas')
    await choose(page, 'In project', 'asked about')
    expect(await page.findByText('ada may work in asked about', {}, unhurried)).toBeTruthy()
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
    expect(await page.findByText('ada may do this.', {}, unhurried)).toBeTruthy()
    expect(page.getByText(/Quotas of the project may still refuse it/)).toBeTruthy()
  },
)
