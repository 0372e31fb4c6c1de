import { act, fireEvent, screen, within } from '@testing-library/react'
import { domainProperties } from '@mainstay/contract/identity/domain-properties'
import { groups } from '@mainstay/contract/identity/groups'
import { projects } from '@mainstay/contract/identity/projects'
import { users } from '@mainstay/contract/identity/users'
import { volumes } from '@mainstay/contract/storage/volumes'
import { expect, it, vi } from 'vitest'
import { PASSWORD } from '../../../../server/src/testing/personas'
import { sessionNow } from '../../session/session'
import { menuFor } from '../../nav/menu'
import { closePage, expectAddress, dialog, openPage, server, type, withPages } from '../../testing/pages'
import { goByMenu } from '../../testing/menu'
import { pageTimeout } from '../../testing/page-timeout'
import { pressAndLoad } from '../../testing/press-and-load'

/* Tests users and projects in all domains from the perspective of operators in the administration panel. */

const long = { timeout: 180_000 }
const operator = 'superuser'

withPages()

const open = (path: string) => openPage(path, operator)
const row = async (name: string) => within(await screen.findByRole('row', { name }, pageTimeout))
const beta = () => server.cast.domains['beta']!.id
async function choose(form: Awaited<ReturnType<typeof dialog>>, domain: string) {
  act(() => form.getByRole('combobox', { name: /^Domain/ }).focus())
  fireEvent.click(await screen.findByRole('option', { name: domain }, pageTimeout))
  await vi.waitFor(() => expect(screen.queryByRole('listbox')).toBeNull(), pageTimeout)
}

it('shows domains, users and projects in the menu', long, async () => {
  await open('/domains')
  await row('beta')
  await vi.waitFor(() => expect(sessionNow().meta).not.toBeNull(), pageTimeout)
  const places = menuFor(sessionNow()).flatMap(({ entries }) => entries.map(({ to }) => to))
  expect(places).toEqual(expect.arrayContaining(['/domains', '/users', '/projects', '/audit-log']))
  expect(places).toHaveLength(new Set(places).size)
})

/** Runs an action from a row's menu and confirms it. `verb` is the label of the confirm button. */
async function perform(name: string, item: RegExp, verb: RegExp) {
  await pressAndLoad(await (await row(name)).findByRole('button', { name: `Actions for ${name}` }))
  fireEvent.click(await screen.findByRole('menuitem', { name: item }, pageTimeout))
  const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
  const button = question.getByRole('button', { name: verb })
  const typed = question.queryByRole('textbox')
  if (typed) fireEvent.change(typed, { target: { value: name } })
  fireEvent.click(button)
  await vi.waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull(), pageTimeout)
}
const isGone = (name: string) => vi.waitFor(() => expect(screen.queryByRole('row', { name })).toBeNull(), pageTimeout)

it('lists, creates, edits, disables and deletes domains [UI-035]', long, async () => {
  await open('/domains/add')
  const form = await dialog('Create domain')
  type(form, /^Name/, 'Harbour')
  fireEvent.click(form.getByRole('checkbox', { name: /administrator/ }))
  fireEvent.click(form.getByRole('button', { name: 'Create domain' }))
  await expectAddress('/domains')
  await row('Harbour')
  await perform('Harbour', /^Disable/, /^Disable/)
  expect(await (await row('Harbour')).findByText('Disabled', {}, pageTimeout)).toBeTruthy()
  await pressAndLoad(await (await row('Harbour')).findByRole('button', { name: 'Actions for Harbour' }))
  fireEvent.click(await screen.findByRole('menuitem', { name: /^Edit/ }, pageTimeout))
  const edit = await dialog('Edit domain “Harbour”')
  type(edit, /^Name/, 'Haven')
  fireEvent.click(edit.getByRole('button', { name: 'Save' }))
  await open('/domains')
  await perform('Haven', /^Delete/, /^Delete/)
  await isGone('Haven')
})

it('lists the users in all domains with their domain names', long, async () => {
  await open('/users')
  expect(await (await row('other_member')).findByText('beta', {}, pageTimeout)).toBeTruthy()
  expect(await (await row('project_member')).findByText('alpha', {}, pageTimeout)).toBeTruthy()
})

it('lists, shows, edits, disables and deletes users in any domain [UI-037]', long, async () => {
  const params = { domain_id: beta() }
  const { id } = await server.call(users.create, {
    as: operator,
    params,
    body: { name: 'far_away', password: PASSWORD },
  })
  await open(`/users/${id}`)
  expect(await (await dialog('far_away')).findByText('No role', {}, pageTimeout)).toBeTruthy()
  await open(`/users/${id}/edit`)
  const form = await dialog('Edit user “far_away”')
  type(form, /^Description/, 'from afar')
  fireEvent.click(form.getByRole('button', { name: 'Save' }))
  await expectAddress(`/users/${id}`)
  const view = () => server.call(users.view, { as: operator, params: { ...params, id } })
  expect(await view()).toMatchObject({ description: 'from afar', domain_id: beta() })
  await open('/users')
  await perform('far_away', /^Disable/, /^Disable/)
  await vi.waitFor(async () => expect((await view()).enabled).toBe(false), pageTimeout)
  await perform('far_away', /^Delete/, /^Delete/)
  await isGone('far_away')
})

it('creates a user in the selected domain and assigns one of its projects', { ...long, tags: 'all' }, async () => {
  await open('/users/add')
  const form = await dialog('Create user')
  fireEvent.click(form.getByRole('radio', { name: /^Initial password/ }))
  expect(form.queryByLabelText('beta-one')).toBeNull()
  await choose(form, 'beta')
  type(form, /^Username/, 'new_of_beta')
  type(form, /^Password/, PASSWORD)
  fireEvent.click(await form.findByLabelText('beta-one', {}, pageTimeout))
  expect(form.queryByLabelText('alpha-one')).toBeNull()
  expect(form.queryByRole('radio', { name: /^System administrator/ })).toBeNull()
  fireEvent.click(form.getByRole('button', { name: 'Create user' }))
  await expectAddress('/users')
  const query = { name: 'new_of_beta' }
  const { data } = await server.call(users.list, { as: operator, params: { domain_id: beta() }, query })
  expect(data[0]!.assigned_projects).toEqual([
    { project_id: server.cast.projects['beta-one']!.id, role: 'project_member' },
  ])
})

it(
  'sets system permissions for a user in the default domain, and preserves permissions that are never shown [PE-024]',
  long,
  async () => {
    const params = { domain_id: 'default' }
    const body = { name: 'watcher', password: PASSWORD, system_permissions: ['viewer', 'debug'] as const }
    const { id } = await server.call(users.create, {
      as: operator,
      params,
      body: { ...body, system_permissions: [...body.system_permissions] },
    })
    await open(`/users/${id}/edit`)
    const form = await dialog('Edit user “watcher”')
    fireEvent.click(await form.findByRole('radio', { name: /^System permissions/ }, pageTimeout))
    expect(form.queryByRole('checkbox', { name: /debug|login|superuser/i })).toBeNull()
    fireEvent.click(await form.findByRole('checkbox', { name: 'Network' }, pageTimeout))
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    await expectAddress(`/users/${id}`)
    const saved = await server.call(users.view, { as: operator, params: { ...params, id } })
    expect(saved.system_permissions.toSorted()).toEqual(['debug', 'network', 'viewer'])
    // the details page must not show the permissions either
    const details = await dialog('watcher')
    expect((await details.findAllByText(/Network/, {}, pageTimeout)).length).toBeGreaterThan(0)
    expect(details.queryByText(/debug|superuser|login permission/i)).toBeNull()
  },
)

it(
  'tells domain administrators, service accounts, system administrators and project members apart in the list [PE-022]',
  long,
  async () => {
    await open('/users')
    for (const [who, word] of [
      ['domain_admin', 'Domain administrator'],
      ['service_account', 'Service account'],
      ['admin', 'System administrator'],
      ['project_member', 'Project member'],
    ] as const)
      expect(await (await row(who)).findByText(word, {}, pageTimeout), who).toBeTruthy()
  },
)

it('lists only system administrators on their separate page', long, async () => {
  await open('/users')
  await goByMenu('People', 'System administrators')
  await expectAddress('/system-administrators')
  expect(await (await row('admin')).findByText('System administrator', {}, pageTimeout)).toBeTruthy()
  expect(await (await row('compute_operator')).findByText(/Compute/, {}, pageTimeout)).toBeTruthy()
  await row('viewer')
  for (const who of ['project_member', 'domain_admin', 'service_account'])
    expect(screen.queryByRole('row', { name: who })).toBeNull()
  // the built-in administrator cannot be deleted, so that at least one always remains
  await pressAndLoad(await (await row('admin')).findByRole('button', { name: 'Actions for admin' }))
  const item = await screen.findByRole('menuitem', { name: /^Delete/ }, pageTimeout)
  expect(item.getAttribute('aria-disabled')).toBe('true')
})

it('saves a domain property with PUT, or with POST if it does not exist yet [CA-131]', long, async () => {
  await open(`/domains/${beta()}`)
  const details = await dialog('beta')
  const asked = vi.spyOn(globalThis, 'fetch')
  const verbs = () =>
    asked.mock.calls.flatMap(([to, how]) =>
      typeof to === 'string' && to.includes('/props/crm') && how?.method !== 'GET' ? [how?.method] : [],
    )
  try {
    fireEvent.click(await details.findByRole('button', { name: 'Add property' }, pageTimeout))
    const form = await dialog('Add property')
    type(form, /^Key/, 'crm')
    type(form, /^Data/, '{"account"')
    fireEvent.click(form.getByRole('button', { name: 'Add property' }))
    expect(await form.findByText('Enter valid JSON', {}, pageTimeout)).toBeTruthy()
    expect(verbs()).toEqual([])
    type(form, /^Data/, '{"account": "sea"}')
    fireEvent.click(form.getByRole('button', { name: 'Add property' }))
    fireEvent.click(await details.findByRole('button', { name: 'Edit property crm' }, pageTimeout))
    expect(verbs()).toEqual(['PUT', 'POST'])
    const params = { domain_id: beta(), key: 'crm' }
    const view = () => server.call(domainProperties.view, { as: operator, params })
    expect(await view()).toEqual({ account: 'sea' })
    const edit = await dialog('Edit property crm')
    type(edit, /^Data/, '[1]')
    fireEvent.click(edit.getByRole('button', { name: 'Save property' }))
    await vi.waitFor(async () => expect(await view()).toEqual([1]), pageTimeout)
    expect(verbs()).toEqual(['PUT', 'POST', 'PUT'])
    fireEvent.click(await details.findByRole('button', { name: 'Delete property crm' }, pageTimeout))
    const question = within(await screen.findByRole('alertdialog', {}, pageTimeout))
    fireEvent.click(question.getByRole('button', { name: 'Delete property' }))
    expect(
      await details.findByText('No properties yet. Programs can store data for this domain here.', {}, pageTimeout),
    ).toBeTruthy()
  } finally {
    asked.mockRestore()
  }
})

it('keeps live resize disabled for a domain until an operator enables it', long, async () => {
  await open(`/domains/${beta()}`)
  const details = await dialog('beta')
  const params = { domain_id: beta(), key: 'allow_live_resize' }
  const view = () => server.call(domainProperties.view, { as: operator, params })
  const turn = async () =>
    fireEvent.click(await details.findByRole('switch', { name: 'Live CPU/RAM resize' }, pageTimeout))
  const isOn = () => details.getByRole<HTMLInputElement>('switch', { name: 'Live CPU/RAM resize' }).checked
  await turn()
  await vi.waitFor(async () => expect([await view(), isOn()]).toEqual([true, true]), pageTimeout)
  await vi.waitFor(() => expect(details.getByRole('button', { name: 'Edit property allow_live_resize' })).toBeTruthy())
  await turn()
  await vi.waitFor(async () => expect([await view(), isOn()]).toEqual([false, false]), pageTimeout)
  await server.call(domainProperties.delete, { as: operator, params })
})

it('shows the sign-in link for a domain on its page [VA-026]', long, async () => {
  await open(`/domains/${beta()}`)
  const details = await dialog('beta')
  const link = await details.findByText(new RegExp(`^[^/]+/login/${beta()}$`), {}, pageTimeout)
  expect(link.textContent).toBe(`127.0.0.1:${server.tools.selfService.port}/login/${beta()}`)
  expect(
    await details.findByRole('button', { name: new RegExp(`http://.*/login/${beta()}`) }, pageTimeout),
  ).toBeTruthy()
})

it('keeps the role of the built-in administrator when other fields are edited', long, async () => {
  const { id } = server.cast.people.superuser.user
  await open(`/users/${id}/edit`)
  const form = await dialog('Edit user “admin”')
  expect(form.queryByRole('radio')).toBeNull()
  fireEvent.change(await form.findByLabelText(/^Description/, {}, pageTimeout), { target: { value: 'The first one' } })
  fireEvent.click(form.getByRole('button', { name: 'Save' }))
  await expectAddress(`/users/${id}`)
  const params = { domain_id: 'default', id }
  expect(await server.call(users.view, { as: operator, params })).toMatchObject({
    description: 'The first one',
    system_permissions: ['superuser'],
  })
})

it('creates, lists, disables and deletes projects in any domain, and requires a domain [UI-036]', long, async () => {
  await open('/projects/add')
  const form = await dialog('Create project')
  type(form, /^Name/, 'of beta')
  fireEvent.click(form.getByRole('button', { name: 'Create project' }))
  expect(await form.findByText('Choose a domain', {}, pageTimeout)).toBeTruthy()
  await choose(form, 'beta')
  fireEvent.click(form.getByRole('button', { name: 'Create project' }))
  await expectAddress('/projects')
  const list = () => server.call(projects.list, { as: operator, params: { domain_id: beta() } })
  expect((await list()).data.map(({ name }) => name)).toContain('of beta')
  expect(await (await row('of beta')).findByText('beta', {}, pageTimeout)).toBeTruthy()
  await perform('of beta', /^Disable/, /^Disable/)
  expect(await (await row('of beta')).findByText('Disabled', {}, pageTimeout)).toBeTruthy()
  await perform('of beta', /^Delete/, /^Delete/)
  await isGone('of beta')
})

it('links from a domain to its users and projects', long, async () => {
  await open(`/domains/${beta()}`)
  const details = await dialog('beta')
  const [ofProjects, ofUsers] = await details.findAllByRole('link', { name: /^\d+$/ }, pageTimeout)
  expect([ofProjects, ofUsers].map((it) => it!.getAttribute('href'))).toEqual([
    `/projects?domain_id=in:${beta()}`,
    `/users?domain_id=in:${beta()}`,
  ])
  fireEvent.click(ofProjects!)
  expect(await screen.findByRole('row', { name: 'beta-one' }, pageTimeout)).toBeTruthy()
  await vi.waitFor(() => expect(screen.queryByRole('row', { name: 'alpha-one' })).toBeNull(), pageTimeout)
})

it('shows the project and domain of each volume, with one request for all rows', long, async () => {
  for (const name of ['first', 'second'])
    await server.call(volumes.create, { as: 'other-member', body: { name, size: 1024 ** 3 } })
  closePage()
  const asked = vi.spyOn(globalThis, 'fetch')
  try {
    await open('/compute/volumes')
    expect(await (await row('first')).findByText('beta-one', {}, pageTimeout)).toBeTruthy()
    expect(await (await row('second')).findByText('beta', {}, pageTimeout)).toBeTruthy()
    const calls = asked.mock.calls
      .flatMap(([to]) => (typeof to === 'string' ? to : []))
      .filter((to) => to.includes('/domains/-/projects'))
    expect(calls).toHaveLength(1)
  } finally {
    asked.mockRestore()
  }
})

it(
  'marks directory users and groups, and explains why their names and passwords cannot be changed here',
  { ...long, tags: 'all' },
  async () => {
    const person = { id: 'id of dana', name: 'dana', email: 'dana@example.com', title: 'Dana', enabled: true }
    const crew = { id: 'id of crew', name: 'crew', title: '', members: ['id of dana'] }
    await server.tools.identity.imports!.apply({ people: [person], groups: [crew] }, {})
    const at = { as: operator, params: { domain_id: 'default' } } as const
    const [dana] = (await server.call(users.list, { ...at, query: { name: 'dana' } })).data
    const [group] = (await server.call(groups.list, { ...at, query: { name: 'crew' } })).data
    await open(`/users/${dana!.id}/properties`)
    const details = await dialog('dana')
    expect(await details.findByText('Directory (LDAP)', {}, pageTimeout)).toBeTruthy()
    expect(details.getByText(/^The LDAP directory manages this user’s username, email and password/)).toBeTruthy()
    await open(`/users/${dana!.id}/edit`)
    const form = await dialog('Edit user “dana”')
    expect(form.getByText(/^The LDAP directory manages this user’s username, email and password/)).toBeTruthy()
    expect(form.queryByLabelText(/^Username/)).toBeNull()
    fireEvent.click(form.getByText('Viewer'))
    fireEvent.click(form.getByRole('button', { name: 'Save' }))
    const rights = async () => (await server.call(users.view, { ...at, params: { ...at.params, id: dana!.id } })).role
    await vi.waitFor(async () => expect(await rights()).toBe('viewer'), pageTimeout)
    await open(`/groups/${group!.id}/members`)
    const members = await dialog('crew')
    expect(await members.findByText(/^The LDAP directory manages the name and members/, {}, pageTimeout)).toBeTruthy()
    expect(await members.findByText('dana', {}, pageTimeout)).toBeTruthy()
    expect(members.queryByRole('button', { name: /^Remove .*from the group/ })).toBeNull()
  },
)
