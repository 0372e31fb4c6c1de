import { fireEvent, screen, within } from '@testing-library/react'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { expect, it, vi } from 'vitest'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { expectAddress, dialog, openPage, pressWhenReady, server, told, withPages } from '../../testing/pages'
import { goByMenu, menuByGroup } from '../../testing/menu'
import { pageTimeout } from '../../testing/page-timeout'
import { pressAndLoad } from '../../testing/press-and-load'

/* Tests groups from the perspective of a domain administrator. */

const admin = 'domain-admin'

withPages()

const open = (path: string) => openPage(path, admin)
const makeUser = (name: string, body: object = {}) =>
  server.call(users.create, { as: admin, body: { name, password: PASSWORD, ...body } })
const makeProject = (name: string) => server.call(projects.create, { as: admin, body: { name } })
const makeGroup = (name: string, body: object = {}) =>
  server.call(groups.create, { as: admin, body: { name, ...body } })
const viewGroup = (id: string) => server.call(groups.view, { as: admin, params: { id } })
const join = (id: string, ...uuids: string[]) =>
  server.call(groups.addMembers, { as: admin, params: { id }, body: { uuids } })

it('lists groups next to users, creates a group and shows it [UI-038]', async () => {
  const project = await makeProject('of the new group')
  await makeGroup('Listed', { description: 'of the tests', domain_permissions: ['domain_admin'] })
  await open('/users')
  const { People: pages = [] } = await menuByGroup()
  expect(pages.slice(0, 2).map(({ textContent }) => textContent)).toEqual(['Users', 'Groups'])
  await goByMenu('People', 'Groups')
  await expectAddress('/groups')
  const row = within(await screen.findByRole('row', { name: 'Listed' }, pageTimeout))
  expect([row.getByText('of the tests'), row.getByText('Domain administrator')]).toHaveLength(2)

  fireEvent.click(await screen.findByRole('link', { name: 'Create group' }, pageTimeout))
  const form = await dialog('Create group')
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'listed' } })
  fireEvent.click(await form.findByLabelText('of the new group', {}, pageTimeout))
  fireEvent.click(form.getByLabelText(/Can upload images/))
  fireEvent.click(form.getByRole('button', { name: 'Create group' }))
  expect(await form.findByText('A group with this name already exists', {}, pageTimeout)).toBeTruthy()
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'Newcomers' } })
  fireEvent.click(form.getByRole('button', { name: 'Create group' }))
  await expectAddress('/groups')
  expect(told()).toContain('Group “Newcomers” created')
  fireEvent.click(await screen.findByRole('link', { name: 'Newcomers' }, pageTimeout))
  const details = await dialog('Newcomers')
  expect(await details.findByText('Can upload images', {}, pageTimeout)).toBeTruthy()
  const { data } = await server.call(groups.list, { as: admin, query: { name: 'Newcomers' } })
  expect(data).toMatchObject([
    {
      domain_permissions: ['image_upload'],
      assigned_projects: [{ project_id: project.id, role: 'project_member' }],
    },
  ])
})

it('edits a group, and explains what happens to its members before deleting it', async () => {
  const { id } = await makeGroup('Before', { domain_permissions: ['quota_manager'] })
  await open(`/groups/${id}/edit`)
  const form = await dialog('Edit group “Before”')
  fireEvent.change(form.getByLabelText(/^Name/), { target: { value: 'After' } })
  fireEvent.click(form.getByLabelText(/^Domain administrator/))
  fireEvent.click(form.getByRole('button', { name: 'Save' }))
  const details = await dialog('After')
  expect((await viewGroup(id)).domain_permissions.toSorted()).toEqual(['domain_admin', 'quota_manager'])
  await pressAndLoad(await details.findByRole('button', { name: 'Actions for After' }, pageTimeout))
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }, pageTimeout))
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  expect(question.getByText(/Members remain users of the domain/)).toBeTruthy()
  fireEvent.click(question.getByRole('button', { name: /^Delete/ }))
  await expectAddress('/groups')
  await expect(viewGroup(id)).rejects.toMatchObject({ code: 'not_found' })
})

it('adds members to a group and removes them', { tags: 'all' }, async () => {
  const { id } = await makeGroup('With members')
  await makeUser('first_member')
  const two = await makeUser('second_member')
  await open(`/groups/${id}/members`)
  const details = await dialog('With members')
  expect(await details.findByText('This group has no members yet.', {}, pageTimeout)).toBeTruthy()
  fireEvent.click(details.getByRole('link', { name: 'Add members' }))
  const form = await dialog('Add members to “With members”')
  fireEvent.click(await form.findByLabelText('first_member', {}, pageTimeout))
  fireEvent.click(form.getByRole('button', { name: 'Add members' }))
  await expectAddress(`/groups/${id}/members`)
  const list = within(await screen.findByRole('list', { name: 'Members' }, pageTimeout))
  expect(await list.findByRole('link', { name: 'first_member' }, pageTimeout)).toBeTruthy()
  await join(id, two.id)
  await open(`/groups/${id}/members`)
  const both = within(await screen.findByRole('list', { name: 'Members' }, pageTimeout))
  expect(await both.findByRole('link', { name: 'second_member' }, pageTimeout)).toBeTruthy()
  fireEvent.click(both.getByRole('button', { name: 'Remove first_member from the group' }))
  await vi.waitFor(() => expect(both.queryByRole('link', { name: 'first_member' })).toBeNull(), pageTimeout)
  const members = await server.call(groups.members, { as: admin, params: { id } })
  expect(members.data.map((it) => it.id)).toEqual([two.id])
})

it('assigns a group to projects, changes its role, and removes the assignment', { tags: 'all' }, async () => {
  const project = await makeProject('of a group')
  const { id } = await makeGroup('With projects')
  await open(`/groups/${id}/assign`)
  const form = await dialog('Assign “With projects” to projects')
  fireEvent.click(await form.findByLabelText('of a group', {}, pageTimeout))
  fireEvent.click(form.getByRole('button', { name: 'Assign to projects' }))
  await expectAddress(`/groups/${id}/projects`)
  const list = within(await screen.findByRole('list', { name: 'Projects' }, pageTimeout))
  fireEvent.click(await list.findByRole('button', { name: /Role of of a group/ }, pageTimeout))
  fireEvent.click(await screen.findByRole('option', { name: 'Project administrator' }, pageTimeout))
  const assigned = async () => (await viewGroup(id)).assigned_projects
  await vi.waitFor(
    async () => expect(await assigned()).toEqual([{ project_id: project.id, role: 'project_admin' }]),
    pageTimeout,
  )
  await pressWhenReady(() => list.getByRole('button', { name: 'Remove from project of a group' }))
  await vi.waitFor(async () => expect(await assigned()).toEqual([]), pageTimeout)
})

it(
  'shows membership through a group on the project and user pages, where it cannot be removed',
  { tags: 'all' },
  async () => {
    const project = await makeProject('shared project')
    const [own, byGroup] = [
      await makeUser('own_member', { assigned_projects: [{ project_id: project.id, role: 'project_member' }] }),
      await makeUser('group_member'),
    ]
    const assigned_projects = [{ project_id: project.id, role: 'project_admin' }]
    const { id } = await makeGroup('Sharers', { assigned_projects })
    await join(id, byGroup.id)

    await open(`/projects/${project.id}/members`)
    const details = await dialog('shared project')
    const list = within(await details.findByRole('list', { name: 'Members' }, pageTimeout))
    const rowOf = async (name: string) => within((await list.findByRole('link', { name }, pageTimeout)).closest('li')!)
    const inherited = await rowOf('group_member')
    expect([inherited.getByText('via Sharers'), inherited.getByText('Project administrator')]).toHaveLength(2)
    expect(inherited.queryByRole('button')).toBeNull()
    expect((await rowOf('own_member')).getByRole('button', { name: /from the project$/ })).toBeTruthy()
    expect(own.groups).toEqual([])

    await open(`/projects/${project.id}/unassign`)
    const form = await dialog('Remove members from “shared project”')
    expect((await form.findByLabelText<HTMLInputElement>(/^group_member/, {}, pageTimeout)).disabled).toBe(true)

    await open(`/users/${byGroup.id}/projects`)
    const user = await dialog('group_member')
    const place = (await user.findByRole('link', { name: 'shared project' }, pageTimeout)).closest('li')!
    expect(within(place).getByText('via Sharers')).toBeTruthy()
    expect(within(place).queryByRole('button')).toBeNull()

    fireEvent.click(user.getByRole('tab', { name: /^Groups/ }))
    await expectAddress(`/users/${byGroup.id}/groups`)
    const mine = within(await user.findByRole('list', { name: 'Groups' }, pageTimeout))
    expect([mine.getByRole('link', { name: 'Sharers' }), mine.getByText('1 project')]).toHaveLength(2)
    fireEvent.click(mine.getByRole('button', { name: 'Remove from group Sharers' }))
    expect(await user.findByText(/^This user is not in any group/, {}, pageTimeout)).toBeTruthy()
  },
)
