import { account } from '@mainstay/contract/identity/account'
import { identityProviders, type DomainProvider } from '@mainstay/contract/identity/identity-providers'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  admin,
  makeProject,
  name,
  refusal,
  server,
  signIn,
  whoami,
  withDirectory,
} from '../../../testing/directory-fixture'
import { startOpenIdProvider, startScriptedProvider, trustLoopback } from '../../../testing/outside/openid-provider'
import { browser, makeProvider, openIdCallback, withOwnProvider } from '../../../testing/outside/provider-fixture'

/* Signing out of the console and of the identity provider. */

withDirectory({ environment: trustLoopback })
let company: Awaited<ReturnType<typeof startOpenIdProvider>>
let scripted: Awaited<ReturnType<typeof startScriptedProvider>>
let provider: DomainProvider
withOwnProvider(() => provider)
beforeAll(async () => {
  company = await startOpenIdProvider()
  scripted = await startScriptedProvider()
})
afterAll(async () => {
  await company.close()
  await scripted.close()
})

async function signInThere(more: object = {}) {
  company.open([openIdCallback()])
  company.accounts[name] = { preferred_username: name }
  provider = await makeProvider({ name, issuer: company.issuer, ...more })
  const one = browser()
  const { address } = await one.begin(provider.id)
  const page = await one.follow(address)
  await one.follow(`${page}?as=${name}`)
  return { one, as: { token: one.session()! } }
}

/** Signs in through the scripted provider with the given metadata. */
async function signInByScript(metadata: object) {
  scripted.reset()
  Object.assign(scripted.script, { metadata })
  provider = await makeProvider({ name, issuer: scripted.issuer })
  const one = browser()
  const { address } = await one.begin(provider.id)
  const { state, nonce } = Object.fromEntries(new URL(address).searchParams)
  const now = Math.floor(Date.now() / 1000)
  scripted.script.claims = {
    ...{ iss: scripted.issuer, aud: 'console', sub: name, nonce, iat: now, exp: now + 300, preferred_username: name },
  }
  await one.follow(`${openIdCallback()}?${new URLSearchParams({ code: 'a-code', state: state! })}`)
  return { token: one.session()! }
}

it('ends the session and returns the provider’s sign-out URL', async () => {
  const { one, as } = await signInThere()
  expect(await whoami(as.token)).toMatchObject({ provider_sign_out: true })
  const { address } = await server.call(session.logoutAtProvider, { as })
  const there = new URL(address!)
  expect(there.origin).toBe(company.issuer)
  expect(there.searchParams.get('id_token_hint')!.split('.')).toHaveLength(3)
  expect(there.searchParams.get('client_id')).toBe('console')
  expect(await refusal(whoami(as.token))).toMatchObject({ code: 'unauthorized' })
  // the provider recognizes the sign-out request
  const { response } = await one.go(address!)
  expect(response.status).toBe(200)
  expect(await response.text()).toContain('logout')
})

it('is not offered for password sessions or without a valid sign-out URL', async () => {
  for (const metadata of [
    {},
    { end_session_endpoint: 'javascript:alert(1)' },
    { end_session_endpoint: 'http://a.example' },
  ]) {
    const as = await signInByScript(metadata)
    expect(await whoami(as.token)).toMatchObject({ name, provider_sign_out: false })
    expect(await server.call(session.logoutAtProvider, { as })).toEqual({ address: null })
    expect(await refusal(whoami(as.token))).toMatchObject({ code: 'unauthorized' })
    await server.call(identityProviders.delete, {
      as: admin,
      params: { id: provider.id },
      query: { delete_users: 'true' },
    })
  }
  provider = await makeProvider({ name, issuer: scripted.issuer })
  const token = await signIn('domain_admin')
  expect(await whoami(token)).toMatchObject({ provider_sign_out: false })
  expect(await server.call(session.logoutAtProvider, { as: { token } })).toEqual({ address: null })
})

it('encrypts the ID token and does not expose it to API tokens', async () => {
  const { id } = await makeProject()
  const rule = { name: 'Staff', claim: 'preferred_username', values: [name], project_id: id, role: 'project_member' }
  const { as } = await signInThere({ mapping: { rules: [rule] } })
  const rows = await server.sql.query<{ row: string; sealed: boolean }>(
    `select s::text as row, sign_out is not null as sealed from session s where external_provider = $1`,
    [provider.id],
  )
  expect(rows.map((it) => it.sealed)).toEqual([true])
  expect(rows[0]!.row).not.toContain(Buffer.from('id_token_hint').toString('hex'))
  const expires_at = new Date(Date.now() + 3_600_000).toISOString()
  const program = await server.call(account.createToken, { as, body: { name: 'backup', expires_at } })
  expect(await whoami(program.token)).toMatchObject({ provider_sign_out: false })
  expect(await server.call(session.logoutAtProvider, { as: { token: program.token } })).toEqual({ address: null })
  expect(await whoami(program.token)).toMatchObject({ name })
})
