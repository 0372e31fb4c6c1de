import { expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { projects } from '@mainstay/contract/identity/projects'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { queryClient } from '../../api/query-client'
import { expectAddress, dialog, openPage, server, told, type, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

/* Tests a service account, from its creation to the revocation of its token. */

const admin = 'domain-admin'

withPages()

const makeProject = (name: string) => server.call(projects.create, { as: admin, body: { name } })
const whoami = (token: string) => server.call(session.whoami, { as: { token } })

it('creates a service account for a project, then creates, replaces and revokes its token', async () => {
  const project = await makeProject('of the program')
  await openPage('/users/add', admin)
  const form = await dialog('Create user')
  type(form, /^Username/, 'nightly_backup')
  fireEvent.click(form.getByRole('radio', { name: /^Service account/ }))
  // the form offers neither an invitation link nor permissions that apply only to people
  expect(form.queryByRole('radio', { name: /^Invitation link/ })).toBeNull()
  expect(form.queryByRole('checkbox', { name: /^Can upload images/ })).toBeNull()
  fireEvent.click(form.getByRole('button', { name: 'Create user' }))
  expect(await form.findByText('Choose at least one project', {}, pageTimeout)).toBeTruthy()
  fireEvent.click(await form.findByLabelText('of the program', {}, pageTimeout))
  fireEvent.click(form.getByRole('button', { name: 'Create user' }))
  await vi.waitFor(() => expect(told()).toContain('User “nightly_backup” created'), pageTimeout)

  const { data } = await server.call(users.list, { as: admin, query: { name: 'nightly_backup' } })
  const { id, role, assigned_projects } = data[0]!
  expect({ role, assigned_projects }).toEqual({
    role: 'service_account',
    assigned_projects: [{ project_id: project.id, role: 'service_account' }],
  })
  await expectAddress(`/users/${id}/tokens`)
  const page = await dialog('nightly_backup')
  expect(page.queryByRole('tab', { name: /^Groups/ })).toBeNull()
  fireEvent.click(await page.findByRole('button', { name: 'Create token' }, pageTimeout))
  const asked = await dialog('Create token')
  type(asked, /^Name/, 'every night')
  fireEvent.click(asked.getByRole('button', { name: 'Create token' }))
  const shown = async () => {
    const made = await dialog('Token “every night” created')
    const token = made.getByText(/^[\w-]{43}$/).textContent
    fireEvent.click(made.getByRole('button', { name: 'Done' }))
    return token
  }
  const first = await shown()
  expect(await whoami(first)).toMatchObject({ id, project_id: project.id })
  expect(await page.findByText('of the program', {}, pageTimeout)).toBeTruthy()

  fireEvent.click(page.getByRole('button', { name: 'Replace token every night' }))
  const replacing = await dialog('Replace token “every night”')
  fireEvent.click(replacing.getByRole('button', { name: 'Replace' }))
  const second = await shown()
  expect(await whoami(second)).toMatchObject({ id, project_id: project.id })
  await expect(whoami(first)).rejects.toMatchObject({ status: 401 })

  // wait until the list has the new token, or the button would revoke the old one
  const tokens = await server.call(serviceTokens.list, { as: admin, params: { id } })
  const known = () => JSON.stringify(queryClient.getQueriesData({}))
  await vi.waitFor(() => expect(known()).toContain(tokens.data[0]!.id), pageTimeout)
  fireEvent.click(page.getByRole('button', { name: 'Revoke token every night' }))
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  fireEvent.click(question.getByRole('button', { name: 'Revoke' }))
  expect(await page.findByText(/^No tokens yet/, {}, pageTimeout)).toBeTruthy()
  await expect(whoami(second)).rejects.toMatchObject({ status: 401 })
})

it('assigns a service account to projects, always with the fixed role', async () => {
  const [one, other] = [await makeProject('first of it'), await makeProject('second of it')]
  const { id } = await server.call(users.create, {
    as: admin,
    body: { name: 'builder', assigned_projects: [{ project_id: one.id, role: 'service_account' }] },
  })
  await openPage(`/users/${id}/assign`, admin)
  const form = await dialog('Assign “builder” to projects')
  expect(form.queryByLabelText('Role in these projects')).toBeNull()
  fireEvent.click(await form.findByLabelText('second of it', {}, pageTimeout))
  fireEvent.click(form.getByRole('button', { name: 'Assign to projects' }))
  await expectAddress(`/users/${id}/projects`)
  const { assigned_projects } = await server.call(users.view, { as: admin, params: { id } })
  expect(new Set(assigned_projects)).toEqual(
    new Set([one, other].map((project) => ({ project_id: project.id, role: 'service_account' }))),
  )
})
