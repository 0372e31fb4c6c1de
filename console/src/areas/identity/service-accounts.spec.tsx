import { expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { projects } from '@mainstay/contract/identity/projects'
import { serviceTokens } from '@mainstay/contract/identity/service-tokens'
import { session } from '@mainstay/contract/identity/session'
import { users } from '@mainstay/contract/identity/users'
import { queryClient } from '../../api/query-client'
import { expectAddress, dialog, openPage, server, told, type, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

/* A program's account, from the form to the token that is taken back. */

const admin = 'domain-admin'

withPages()

const makeProject = (name: string) => server.call(projects.create, { as: admin, body: { name } })
const whoami = (token: string) => server.call(session.whoami, { as: { token } })

it('a service account is added for a project, gets a token, which is replaced and taken back', async () => {
  const project = await makeProject('of the program')
  await openPage('/users/add', admin)
  const form = await dialog('Add user')
  type(form, /^Login/, 'nightly_backup')
  fireEvent.click(form.getByRole('radio', { name: /^Service account/ }))
  // neither a link to the console nor flags of people
  expect(form.queryByRole('radio', { name: /^By an invitation link/ })).toBeNull()
  expect(form.queryByRole('checkbox', { name: /^May upload images/ })).toBeNull()
  fireEvent.click(form.getByRole('button', { name: 'Add user' }))
  expect(await form.findByText('Choose at least one', {}, pageTimeout)).toBeTruthy()
  fireEvent.click(await form.findByLabelText('of the program', {}, pageTimeout))
  fireEvent.click(form.getByRole('button', { name: 'Add user' }))
  await vi.waitFor(() => expect(told()).toContain('User “nightly_backup” added'), pageTimeout)

  const { data } = await server.call(users.list, { as: admin, query: { name: 'nightly_backup' } })
  const { id, role, assigned_projects } = data[0]!
  expect({ role, assigned_projects }).toEqual({
    role: 'service_account',
    assigned_projects: [{ project_id: project.id, role: 'service_account' }],
  })
  await expectAddress(`/users/${id}/tokens`)
  const page = await dialog('nightly_backup')
  expect(page.queryByRole('tab', { name: /^Groups/ })).toBeNull()
  fireEvent.click(await page.findByRole('button', { name: 'Make token' }, pageTimeout))
  const asked = await dialog('Make token')
  type(asked, /^Name/, 'every night')
  fireEvent.click(asked.getByRole('button', { name: 'Make token' }))
  const shown = async () => {
    const made = await dialog('Token “every night”')
    const token = made.getByText(/^[\w-]{43}$/).textContent
    fireEvent.click(made.getByRole('button', { name: 'Done' }))
    return token
  }
  const first = await shown()
  expect(await whoami(first)).toMatchObject({ id, project_id: project.id })
  expect(await page.findByText('of the program', {}, pageTimeout)).toBeTruthy()

  fireEvent.click(page.getByRole('button', { name: 'Replace the token every night' }))
  const replacing = await dialog('Replace the token “every night”')
  fireEvent.click(replacing.getByRole('button', { name: 'Replace' }))
  const second = await shown()
  expect(await whoami(second)).toMatchObject({ id, project_id: project.id })
  await expect(whoami(first)).rejects.toMatchObject({ status: 401 })

  // the list has to know of the new one: its button would take back the former
  const tokens = await server.call(serviceTokens.list, { as: admin, params: { id } })
  const known = () => JSON.stringify(queryClient.getQueriesData({}))
  await vi.waitFor(() => expect(known()).toContain(tokens.data[0]!.id), pageTimeout)
  fireEvent.click(page.getByRole('button', { name: 'Take back the token every night' }))
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  fireEvent.click(question.getByRole('button', { name: 'Take back' }))
  expect(await page.findByText(/^No tokens yet/, {}, pageTimeout)).toBeTruthy()
  await expect(whoami(second)).rejects.toMatchObject({ status: 401 })
})

it('a service account is no member of a group, and is assigned to projects in its own role', async () => {
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
