import { ldap } from '@mainstay/contract/settings/ldap'
import { fireEvent, screen } from '@testing-library/react'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import {
  found,
  result,
  startScriptedDirectory,
  type ScriptedDirectory,
} from '../../../../../server/src/testing/outside/scripted-directory'
import { allows } from '../../../session/may'
import { sessionNow } from '../../../session/session'
import { closePage, enter as type, field, openPage, press, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 180_000 }
const RIGHT = 'of the reader'
let directory: ScriptedDirectory
withPages()
beforeAll(async () => {
  directory = await startScriptedDirectory((asked) => {
    if (asked.what === 'bind') return [result(asked, asked.password === RIGHT ? 0 : 49)]
    if (asked.what !== 'search') return null
    const names = /person/i.test(asked.filter) ? ['ada', 'bea', 'cleo', 'dora'] : ['crew']
    return [
      ...names.map((name) => found(asked, `cn=${name}`, { uid: name, cn: name, entryUUID: `id of ${name}` })),
      result(asked),
    ]
  })
})
afterAll(() => directory.close())
beforeEach(async () => {
  await server.sql.query('delete from setting')
})

const open = (as: 'superuser' | 'viewer' | 'project-member' = 'superuser') => openPage('/settings/ldap', as)
const choose = async (kind: string) =>
  fireEvent.click(await screen.findByRole('radio', { name: new RegExp(`^${kind}`) }, pageTimeout))
const check = async (name: string) => fireEvent.click(await screen.findByRole('checkbox', { name }, pageTimeout))
const secure = async (security: string) => {
  fireEvent.click(await screen.findByRole('button', { name: /Connection security/ }, pageTimeout))
  fireEvent.click(await screen.findByRole('option', { name: security }, pageTimeout))
}
const holds = (label: string, value: string) =>
  vi.waitFor(async () => expect((await field(label)).value).toBe(value), pageTimeout)
const fill = async (password = RIGHT) => {
  await choose('LDAP')
  await type('Host', '127.0.0.1')
  await secure('None')
  await type(/^Port/, String(directory.port))
  await type('Bind DN', 'cn=reader')
  await type('Bind password', password)
  await type('Search base DN', 'dc=example')
}

it('lets an operator test a directory, save it and import from it [UI-045]', long, async () => {
  await open()
  await fill()
  await screen.findByText(/All passwords are sent unencrypted/, {}, pageTimeout)
  await press('Test connection')
  await screen.findByText(/Found 4 users and 1 group, including:/, {}, pageTimeout)
  await screen.findByText('ada, bea, and cleo', {}, pageTimeout)
  expect((await server.call(ldap.view, { as: 'viewer' })).kind).toBe('none')
  await check('Import users and allow them to sign in')
  await press('Save')
  await screen.findByText('A password is saved. Leave empty to keep it.', {}, pageTimeout)
  expect((await field('Bind password')).value).toBe('')
  expect(await server.call(ldap.view, { as: 'viewer' })).toMatchObject({
    ...{ kind: 'ldap', enabled: true, host: '127.0.0.1', port: directory.port, has_bind_password: true },
  })
  await press('Import now')
  await screen.findByText('5 added, 0 changed, 0 disabled', {}, pageTimeout)
})

it('explains why a connection test failed and what to do', long, async () => {
  await open()
  await fill('wrong')
  await press('Test connection')
  await screen.findByText(/did not accept the bind DN and its password. Enter both again/, {}, pageTimeout)
})

it('hides all fields if no directory is used, and applies a kind’s defaults to unchanged fields', long, async () => {
  await open()
  await screen.findByRole('radio', { name: /^None/ }, pageTimeout)
  expect(screen.queryByLabelText('Host')).toBeNull()
  await choose('LDAP')
  await check('Customize filter and attributes')
  await holds('Username attribute', 'uid')
  await type('Group name attribute', 'ou')
  await choose('Active Directory')
  await holds('Username attribute', 'sAMAccountName')
  await holds('Search filter', '(objectClass=user)')
  await holds('Group name attribute', 'ou')
})

it('changes the port with the security setting until the user edits it', long, async () => {
  await open()
  await choose('LDAP')
  await vi.waitFor(async () => expect((await field(/^Port/)).value).toBe('389'), pageTimeout)
  await secure('LDAPS (implicit TLS)')
  await vi.waitFor(async () => expect((await field(/^Port/)).value).toBe('636'), pageTimeout)
  await type(/^Port/, '3269')
  await secure('StartTLS')
  await screen.findByRole('button', { name: /StartTLS/ }, pageTimeout)
  expect((await field(/^Port/)).value).toBe('3269')
})

it('hides the form from users with read-only access, and the page if a cloud manages the users', long, async () => {
  const settings = { kind: 'ad', host: 'dc.example', search_base_dn: 'dc=example', enabled: true } as const
  await server.call(ldap.create, { as: 'superuser', body: settings })
  await open('viewer')
  await screen.findByText('dc.example:389', {}, pageTimeout)
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  expect(screen.queryByRole('button', { name: 'Import now' })).toBeNull()
  closePage()
  const { imports } = server.tools.identity
  server.tools.identity.imports = null
  try {
    await open()
    await screen.findByText('No access', {}, pageTimeout)
    expect(allows(sessionNow().meta, ldap.view.needs)).toBe(false)
  } finally {
    server.tools.identity.imports = imports
  }
})
