import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { groups } from '@mainstay/contract/identity/groups'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { comesTo, dialog, openPage, page, server, type, unhurried, withPages } from '../../testing/pages'

/* Identity providers of a domain, as its administrator has them on the screen. */

const admin = 'domain-admin'
withPages()

const make = (name: string, more: object = {}) =>
  server.call(identityProviders.create, {
    as: admin,
    body: { name, issuer: 'https://login.example', client_id: 'console', client_secret: 'a secret', ...more },
  })
const view = (id: string) => server.call(identityProviders.view, { as: admin, params: { id } })
const press = (form: Awaited<ReturnType<typeof dialog>>, name: string) =>
  fireEvent.click(form.getByRole('button', { name }))

let groupId = ''
beforeAll(async () => {
  groupId = (await server.call(groups.create, { as: admin, body: { name: 'Developers' } })).id
})
afterAll(() => server.call(groups.delete, { as: admin, params: { id: groupId } }))

it(
  'says what a provider is for where there is none, and the address that it has to know',
  { timeout: 60_000 },
  async () => {
    await openPage('/identity-providers', admin)
    expect(await screen.findByText(/No identity providers yet/, {}, unhurried)).toBeTruthy()
    await page!.router.navigate({ to: '/identity-providers/add' })
    const form = await dialog('Add identity provider')
    const { id } = server.cast.domains['alpha']!
    expect(form.getByText(`${location.origin}/auth/landing/openid/${id}`)).toBeTruthy()
    type(form, /^Name/, 'The company')
    type(form, /^Issuer/, 'https://login.example')
    type(form, /^Client id/, 'console')
    press(form, 'Add identity provider')
    await comesTo('/identity-providers')
    const row = within(await screen.findByRole('row', { name: 'The company' }, unhurried))
    expect(row.getByText('Enabled')).toBeTruthy()
  },
)

it(
  'shows what claims give by the rules that are in the form, and why they give nothing',
  { timeout: 60_000 },
  async () => {
    const { id } = await make('Previewed', {
      mapping: { rules: [{ name: 'Staff', values: ['developers'], group_id: groupId }], unmatched: 'refuse' },
    })
    await openPage(`/identity-providers/${id}/edit`, admin)
    const form = await dialog('Edit identity provider “Previewed”')
    press(form, 'Preview')
    press(form, 'See what they give')
    expect(await form.findByText('“ada” would sign in for the first time with:', {}, unhurried)).toBeTruthy()
    expect(form.getByText('Developers', { selector: 'bdi' })).toBeTruthy()
    const values = form.getByLabelText(/^Groups at the provider/)
    fireEvent.change(values, { target: { value: 'CN=others,OU=company' } })
    press(form, 'See what they give')
    expect(await form.findByText(/Nobody would be signed in: no rule holds/, {}, unhurried)).toBeTruthy()
    type(form, /^Claims, as JSON/, 'nonsense')
    press(form, 'See what they give')
    expect(await form.findByText(/Enter claims as a JSON object/, {}, unhurried)).toBeTruthy()
  },
)

it('keeps the secret where none is typed, and never shows it', { timeout: 60_000 }, async () => {
  const { id } = await make('Secretive')
  await openPage(`/identity-providers/${id}/edit`, admin)
  const form = await dialog('Edit identity provider “Secretive”')
  expect(form.getByText(/One is kept/)).toBeTruthy()
  type(form, /^Name/, 'Discreet')
  press(form, 'Save')
  await vi.waitFor(async () => expect(await view(id)).toMatchObject({ name: 'Discreet', has_secret: true }), unhurried)
})
