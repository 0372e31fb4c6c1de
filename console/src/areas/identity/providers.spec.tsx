import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { fireEvent, screen, within } from '@testing-library/react'
import { groups } from '@mainstay/contract/identity/groups'
import { identityProviders } from '@mainstay/contract/identity/identity-providers'
import { makeRsaCertificate } from '../../../../server/src/testing/certificates/rsa-certificate'
import { expectAddress, dialog, openPage, page, server, type, withPages } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'

/* Tests a domain's identity providers from the perspective of its administrator. */

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
  'explains identity providers if none exist yet, and shows the callback URL to register',
  { tags: 'all' },
  async () => {
    await openPage('/identity-providers', admin)
    expect(await screen.findByText(/No identity providers yet/, {}, pageTimeout)).toBeTruthy()
    await page!.router.navigate({ to: '/identity-providers/add' })
    const form = await dialog('Add identity provider')
    const { id } = server.cast.domains['alpha']!
    expect(form.getByText(`${location.origin}/auth/landing/openid/${id}`)).toBeTruthy()
    type(form, /^Name/, 'The company')
    type(form, /^Issuer/, 'https://login.example')
    type(form, /^Client ID/, 'console')
    press(form, 'Add identity provider')
    await expectAddress('/identity-providers')
    const row = within(await screen.findByRole('row', { name: 'The company' }, pageTimeout))
    expect(row.getByText('Enabled')).toBeTruthy()
  },
)

it(
  'previews how claims would be mapped by the unsaved rules, and why a sign-in would be refused',
  { tags: 'all' },
  async () => {
    const { id } = await make('Previewed', {
      mapping: { rules: [{ name: 'Staff', values: ['developers'], group_id: groupId }], unmatched: 'refuse' },
    })
    await openPage(`/identity-providers/${id}/edit`, admin)
    const form = await dialog('Edit identity provider “Previewed”')
    press(form, 'Preview')
    press(form, 'Show result')
    expect(await form.findByText('New user “ada” would sign in with:', {}, pageTimeout)).toBeTruthy()
    expect(form.getByText('Developers', { selector: 'bdi' })).toBeTruthy()
    const values = form.getByLabelText(/^Provider groups/)
    fireEvent.change(values, { target: { value: 'CN=others,OU=company' } })
    press(form, 'Show result')
    expect(await form.findByText(/The sign-in would be refused: no rule matches/, {}, pageTimeout)).toBeTruthy()
    type(form, /^Claims as JSON/, 'nonsense')
    press(form, 'Show result')
    expect(await form.findByText(/Enter claims as a JSON object/, {}, pageTimeout)).toBeTruthy()
  },
)

it('keeps the stored secret if the field is left empty, and never shows it', async () => {
  const { id } = await make('Secretive')
  await openPage(`/identity-providers/${id}/edit`, admin)
  const form = await dialog('Edit identity provider “Secretive”')
  expect(form.getByText(/Leave empty to keep the stored secret/)).toBeTruthy()
  type(form, /^Name/, 'Discreet')
  press(form, 'Save')
  await vi.waitFor(
    async () => expect(await view(id)).toMatchObject({ name: 'Discreet', has_secret: true }),
    pageTimeout,
  )
})

it(
  "creates a SAML provider from manually entered fields, and shows the console's URLs to register",
  { tags: 'all' },
  async () => {
    await openPage('/identity-providers/add', admin)
    const form = await dialog('Add identity provider')
    fireEvent.click(form.getByRole('radio', { name: /SAML 2.0/ }))
    const { id } = server.cast.domains['alpha']!
    const acs = `${location.origin}/auth/landing/saml/${id}`
    expect(await form.findByText(acs, {}, pageTimeout)).toBeTruthy()
    expect(form.getByText(`${acs}/metadata`)).toBeTruthy()
    expect(form.getByRole('link', { name: 'Download metadata' }).getAttribute('href')).toBe(`${acs}/metadata`)
    type(form, /^Name/, 'By SAML')
    fireEvent.click(form.getByRole('radio', { name: /^Manual entry/ }))
    type(form, /^Provider entity ID/, 'urn:saml')
    type(form, /^Sign-in URL/, 'https://saml.example/sso')
    const certificates = form.getByLabelText(/^Certificates/)
    fireEvent.change(certificates, { target: { value: 'nothing' } })
    press(form, 'Add identity provider')
    expect(await form.findByText(/This is not a certificate/, {}, pageTimeout)).toBeTruthy()
    const both = [makeRsaCertificate({ names: ['a.example'] }).cert, makeRsaCertificate({ names: ['b.example'] }).cert]
    fireEvent.change(certificates, { target: { value: both.join('\n') } })
    press(form, 'Add identity provider')
    await expectAddress('/identity-providers')
    const { data } = await server.call(identityProviders.list, { as: admin })
    const made = data.find(({ name }) => name === 'By SAML')!
    expect(made).toMatchObject({ protocol: 'saml', issuer: 'urn:saml', mapping: { claims: { name: 'sub' } } })
    expect(made.certificates).toHaveLength(2)
    await page!.router.navigate({ to: `/identity-providers/${made.id}` })
    expect(await screen.findByText('SAML 2.0', {}, pageTimeout)).toBeTruthy()
  },
)

it('explains why a SAML response or metadata is refused', { tags: 'all' }, async () => {
  const { cert } = makeRsaCertificate({ names: ['saml.example'] })
  const { id } = await server.call(identityProviders.create, {
    as: admin,
    body: {
      ...{ name: 'Checked', protocol: 'saml', issuer: 'urn:checked', sso_url: 'https://saml.example/sso' },
      certificates: [cert],
    },
  })
  await openPage(`/identity-providers/${id}/edit`, admin)
  const form = await dialog('Edit identity provider “Checked”')
  press(form, 'Check a SAML response')
  type(form, /^Provider response/, '<html/>')
  press(form, 'Check response')
  expect(await form.findByText(/not a response of a SAML provider/, {}, pageTimeout)).toBeTruthy()
  fireEvent.click(form.getByRole('radio', { name: /^Metadata XML/ }))
  type(form, /^Metadata$/, '<html/>')
  press(form, 'Read metadata')
  expect(await form.findByText(/not metadata of a SAML identity provider/, {}, pageTimeout)).toBeTruthy()
})
