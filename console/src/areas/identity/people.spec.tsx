import { expect, it, vi } from 'vitest'
import { act, fireEvent, screen, within } from '@testing-library/react'
import { projects } from '@mainstay/contract/identity/projects'
import { session } from '@mainstay/contract/identity/session'
import { isFederated, users } from '@mainstay/contract/identity/users'
import { volumes } from '@mainstay/contract/storage/volumes'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { menuFor } from '../../nav/menu'
import { isDomainMode, sessionNow } from '../../session/session'
import {
  closePage,
  expectAddress,
  dialog,
  openPage,
  page,
  pressWhenReady,
  server,
  told,
  type,
  withPages,
} from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { renderPage } from '../../testing/render-page'
import { pressAndLoad } from '../../testing/press-and-load'

/* Tests users and projects from the perspective of a domain administrator. */

const admin = 'domain-admin'

withPages()

const open = (path: string) => openPage(path, admin)
const button = (name: string) => screen.findByRole('button', { name }, pageTimeout)
const go = (path: string) => act(() => page!.router.history.push(path))
/** Checks that a form whose URL ends in `/list` returns to the list instead of the details. */
async function leadsBack(form: string, list: string) {
  go(`${form}/list`)
  fireEvent.click(await button('Cancel'))
  await expectAddress(list)
}
const press = async (name: string) => fireEvent.click(await button(name))
const makeUser = (name: string, body: object = {}) =>
  server.call(users.create, { as: admin, body: { name, password: PASSWORD, ...body } })
const makeProject = (name: string) => server.call(projects.create, { as: admin, body: { name } })
const viewUser = (id: string) => server.call(users.view, { as: admin, params: { id } })

it('opens the user list when the user enters domain administration [ST-010]', async () => {
  const cookie = await server.login(admin)
  const opened = await renderPage('/account', { server, as: 'domain-admin@alpha-one', cookie })
  try {
    await pressAndLoad(await button('Project: domain-admin@alpha-one'))
    fireEvent.click(await button('Domain administration'))
    await vi.waitFor(() => expect(opened.address()).toBe('/users'), pageTimeout)
    expect(await screen.findByRole('row', { name: 'project_member' }, pageTimeout)).toBeTruthy()
  } finally {
    opened.close()
  }
})

it('shows only users, groups, identity providers, projects and the audit log in domain mode, and none of them in a project', async () => {
  const labels = () =>
    menuFor(sessionNow())
      .filter(({ id }) => isDomainMode(sessionNow()) || id === 'people')
      .flatMap(({ entries }) => entries.map(({ label }) => label))
  for (const [as, shown] of [
    [admin, ['menu.users', 'menu.groups', 'menu.providers', 'menu.projects', 'menu.audit']],
    ['project-member', []],
  ] as const) {
    await openPage('/users', as)
    await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
    expect(labels()).toEqual(shown)
    closePage()
  }
})

it('lists the users in the domain with their properties [RT-120]', async () => {
  await makeUser('listed_user', { email: 'listed@example.com' })
  await open('/users')
  const row = within(await screen.findByRole('row', { name: 'listed_user' }, pageTimeout))
  expect(row.getByText('listed@example.com')).toBeTruthy()
  expect([row.getByText('Enabled'), row.getByText('No role')]).toHaveLength(2)
  expect(within(screen.getByRole('row', { name: 'domain_admin' })).getByText('Domain administrator')).toBeTruthy()
  expect(screen.queryByRole('row', { name: 'other_member' })).toBeNull()
})

it('creates a user who can sign in and work in the selected project [RT-121]', async () => {
  const project = await makeProject('for the new one')
  await open('/users/add')
  const form = await dialog('Create user')
  fireEvent.click(form.getByRole('radio', { name: /^Initial password/ }))
  type(form, /^Username/, 'new_one')
  type(form, /^Password/, 'short')
  fireEvent.click(await form.findByLabelText('for the new one', {}, pageTimeout))
  fireEvent.click(form.getByRole('button', { name: 'Create user' }))
  expect(await form.findByText(/Use at least 12 characters/, {}, pageTimeout)).toBeTruthy()
  type(form, /^Password/, PASSWORD)
  const mustChange = form.getByRole<HTMLInputElement>('checkbox', { name: /^Require a new password/ })
  expect(mustChange.checked).toBe(true)
  fireEvent.click(mustChange)
  fireEvent.click(form.getByRole('button', { name: 'Create user' }))
  await expectAddress('/users')
  expect(told()).toContain('User “new_one” created')
  const body = { username: 'new_one', password: PASSWORD, domain: 'alpha' }
  const { token } = await server.call(session.login, { body })
  const mine = await server.call(session.projects, { as: { token: token! } })
  expect(mine.data.map(({ id }) => id)).toEqual([project.id])
})

it('reports a taken username on the username field, and keeps the input', async () => {
  await makeUser('taken_name')
  await open('/users/add')
  const form = await dialog('Create user')
  fireEvent.click(form.getByRole('radio', { name: /^Initial password/ }))
  type(form, /^Username/, 'taken_name')
  type(form, /^Password/, PASSWORD)
  fireEvent.click(form.getByRole('button', { name: 'Create user' }))
  expect(await form.findByText('A user with this name already exists', {}, pageTimeout)).toBeTruthy()
  expect(form.getByLabelText<HTMLInputElement>(/^Username/).value).toBe('taken_name')
})

it('shows a user in two tabs and edits their role in a project [RT-122] [VA-069]', async () => {
  const project = await makeProject('with a role')
  const { id } = await makeUser('shown_user', {
    description: 'of the tests',
    assigned_projects: [{ project_id: project.id, role: 'project_member' }],
  })
  await open(`/users/${id}/properties`)
  const details = await dialog('shown_user')
  expect(await details.findByText('of the tests', {}, pageTimeout)).toBeTruthy()
  fireEvent.click(details.getByRole('tab', { name: /^Projects/ }))
  await expectAddress(`/users/${id}/projects`)
  const list = within(await details.findByRole('list', { name: 'Projects' }, pageTimeout))
  expect(await list.findByRole('link', { name: 'with a role' }, pageTimeout)).toBeTruthy()
  fireEvent.click(list.getByRole('button', { name: /Role of with a role/ }))
  fireEvent.click(await screen.findByRole('option', { name: 'Project administrator' }, pageTimeout))
  const roles = async () => (await viewUser(id)).assigned_projects.map(({ role }) => role)
  await vi.waitFor(async () => expect(await roles()).toEqual(['project_admin']), pageTimeout)
  await pressWhenReady(() => list.getByRole('button', { name: 'Remove from project with a role' }))
  await vi.waitFor(async () => expect(await roles()).toEqual([]), pageTimeout)
  expect(await details.findByText(/This user is not assigned to any project/, {}, pageTimeout)).toBeTruthy()
})

it('edits a user [RT-123]', async () => {
  const { id } = await makeUser('before_change', { email: 'a@example.com', domain_permissions: ['image_upload'] })
  await open(`/users/${id}/edit`)
  const form = await dialog('Edit user “before_change”')
  expect(form.getByLabelText<HTMLInputElement>(/Can upload images/).checked).toBe(true)
  type(form, /^Username/, 'after_change')
  type(form, /^Email/, '')
  fireEvent.click(form.getByRole('button', { name: 'Save' }))
  await dialog('after_change')
  expect(await viewUser(id)).toMatchObject({
    ...{ name: 'after_change', email: null, domain_permissions: ['image_upload'] },
  })
  await leadsBack(`/users/${id}/edit`, '/users')
})

it('assigns a user to additional projects [RT-124]', async () => {
  const [one, two] = [await makeProject('assigned one'), await makeProject('assigned two')]
  const { id } = await makeUser('assigned_user', {
    assigned_projects: [{ project_id: one.id, role: 'project_admin' }],
  })
  await open(`/users/${id}/assign`)
  const form = await dialog('Assign “assigned_user” to projects')
  fireEvent.click(form.getByRole('button', { name: 'Assign to projects' }))
  expect(await form.findByText('Choose at least one project', {}, pageTimeout)).toBeTruthy()
  const there = await form.findByLabelText<HTMLInputElement>(/^assigned one/, {}, pageTimeout)
  expect(there.disabled).toBe(true)
  fireEvent.click(form.getByLabelText(/^assigned two/))
  fireEvent.click(form.getByRole('button', { name: 'Assign to projects' }))
  await expectAddress(`/users/${id}/projects`)
  const roles = new Map((await viewUser(id)).assigned_projects.map(({ project_id, role }) => [project_id, role]))
  expect([roles.get(one.id), roles.get(two.id)]).toEqual(['project_admin', 'project_member'])
  await leadsBack(`/users/${id}/assign`, '/users')
})

it('creates a project and lists it with its number of members [RT-125] [RT-126]', async () => {
  await open('/projects/add')
  const form = await dialog('Create project')
  type(form, /^Name/, 'x')
  fireEvent.click(form.getByRole('button', { name: 'Create project' }))
  expect(await form.findByText('Use at least 2 characters', {}, pageTimeout)).toBeTruthy()
  type(form, /^Name/, 'Web shop')
  fireEvent.click(form.getByRole('button', { name: 'Create project' }))
  await expectAddress('/projects')
  const row = within(await screen.findByRole('row', { name: 'Web shop' }, pageTimeout))
  expect(row.getByText('Enabled')).toBeTruthy()
  expect(within(screen.getByRole('row', { name: 'alpha-one' })).getByText('3')).toBeTruthy()
})

it('adds members to a project, lists them and removes them [RT-128] [RT-129]', async () => {
  const { id } = await makeProject('with members')
  const user = await makeUser('future_member')
  await open(`/projects/${id}/assign`)
  const form = await dialog('Assign members to “with members”')
  fireEvent.click(await form.findByLabelText(/^future_member/, {}, pageTimeout))
  fireEvent.click(form.getByRole('button', { name: 'Assign members' }))
  await expectAddress(`/projects/${id}/members`)
  const details = await dialog('with members')
  const list = within(await details.findByRole('list', { name: 'Members' }, pageTimeout))
  expect(await list.findByRole('link', { name: 'future_member' }, pageTimeout)).toBeTruthy()
  expect((await viewUser(user.id)).role).toBe('project_member')
  await leadsBack(`/projects/${id}/assign`, '/projects')

  await open(`/projects/${id}/unassign`)
  const removal = await dialog('Remove members from “with members”')
  fireEvent.click(await removal.findByLabelText(/^future_member/, {}, pageTimeout))
  fireEvent.click(removal.getByRole('button', { name: 'Remove members' }))
  await expectAddress(`/projects/${id}/members`)
  expect((await viewUser(user.id)).assigned_projects).toEqual([])
  await leadsBack(`/projects/${id}/unassign`, '/projects')
})

it('edits a project and deletes an empty one [RT-130]', async () => {
  const { id } = await makeProject('short lived')
  await open('/projects')
  await leadsBack(`/projects/${id}/edit`, '/projects')
  go(`/projects/${id}/edit`)
  const form = await dialog('Edit project “short lived”')
  type(form, /^Description/, 'soon gone')
  fireEvent.click(form.getByRole('button', { name: 'Save' }))
  const details = await dialog('short lived')
  expect(await details.findByText('soon gone', {}, pageTimeout)).toBeTruthy()
  await pressAndLoad(await details.findByRole('button', { name: 'Actions for short lived' }, pageTimeout))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }, pageTimeout))
  await press('Delete project')
  await expectAddress('/projects')
  await expect(server.call(projects.view, { as: admin, params: { id } })).rejects.toMatchObject({ code: 'not_found' })
})

it(
  'lists the contents of a project, and deletes both only after the user types its name',
  { tags: 'all' },
  async () => {
    const { id } = await makeProject('full to the brim')
    const unscoped = await server.login(admin)
    const { token } = await server.call(session.enterProject, { as: { token: unscoped }, params: { id } })
    const make = (name: string) => server.call(volumes.create, { as: { token }, body: { name, size: 2 ** 30 } })
    const { id: kept } = await make('one')
    await make('two')
    await server.call(volumes.lock, { as: { token }, params: { id: kept }, body: {} })
    const ask = async () => {
      const row = await screen.findByRole('row', { name: 'full to the brim' }, pageTimeout)
      await pressAndLoad(within(row).getByRole('button', { name: /^Actions/ }))
      fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }, pageTimeout))
      return within(
        await screen.findByRole(
          'alertdialog',
          { name: 'Delete project “full to the brim” and everything in it?' },
          pageTimeout,
        ),
      )
    }
    const verb = { name: 'Delete project and everything in it' }
    await open('/projects')
    const barred = await ask()
    expect(barred.getByText('2 volumes')).toBeTruthy()
    expect(barred.getAllByText(/^1 object in the project is locked against deletion/).length).toBeGreaterThan(0)
    type(barred, /^Type /, 'full to the brim')
    fireEvent.click(barred.getByRole('button', verb))
    fireEvent.click(barred.getByRole('button', { name: 'Cancel' }))
    expect((await server.call(projects.contents, { as: admin, params: { id } })).counts).toEqual({ volumes: 2 })

    await server.call(volumes.unlock, { as: { token }, params: { id: kept } })
    const asked = await ask()
    expect(asked.getByRole<HTMLButtonElement>('button', verb).disabled).toBe(true)
    type(asked, /^Type /, 'full to the brim')
    fireEvent.click(asked.getByRole('button', verb))
    await vi.waitFor(
      () =>
        expect(server.call(projects.view, { as: admin, params: { id } })).rejects.toMatchObject({ code: 'not_found' }),
      pageTimeout,
    )
  },
)

it('refuses to delete the default domain or a domain with projects, and explains why [VA-067] [VA-068]', async () => {
  await openPage('/domains', 'superuser')
  const row = within(await screen.findByRole('row', { name: 'Default' }, pageTimeout))
  await pressAndLoad(await row.findByRole('button', { name: 'Actions for Default' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Unavailable actions/ }, pageTimeout))
  for (const name of [/^Disable/, /^Delete/]) {
    const action = await screen.findByRole('menuitem', { name }, pageTimeout)
    expect(action.getAttribute('aria-disabled')).toBe('true')
    expect(action.textContent).toContain('system administrators sign in to it')
  }
  fireEvent.keyDown(document.activeElement!, { key: 'Escape' })
  const alpha = within(await screen.findByRole('row', { name: 'alpha' }, pageTimeout))
  await pressAndLoad(await alpha.findByRole('button', { name: 'Actions for alpha' }))
  const action = await screen.findByRole('menuitem', { name: /^Delete ?The domain has \d+ projects/ }, pageTimeout)
  expect(action.getAttribute('aria-disabled')).toBe('true')
})

it('shows identity provider users as federated and all others as local [EN-036]', async () => {
  const local = await makeUser('local_user')
  const federated = await makeUser('federated_user')
  const provider = "update identity_user set identity_provider = 'company' where id = $1"
  await server.sql.query(provider, [federated.id])
  const params = { id: federated.id }
  const body = { description: 'of the company' }
  expect(isFederated(await server.call(users.update, { as: admin, params, body }))).toBe(true)
  expect(isFederated(local)).toBe(false)
  for (const [{ id, name }, word] of [
    [local, 'Local'],
    [federated, 'Federated'],
  ] as const) {
    await open(`/users/${id}`)
    expect(await (await dialog(name)).findByText(word, {}, pageTimeout)).toBeTruthy()
  }
})
