import { afterAll, expect, it } from 'vitest'
import { createOutboundClient } from '../outbound-client'
import { createSaml, type SamlProvider } from './saml'

/* The provider is already stored: its URL may have been checked by an older version or under other rules. */

const ask = createOutboundClient(['sso.company.test'])
afterAll(() => ask.close())
const saml = createSaml(ask)
const begin = (sso_url: string) => {
  const provider: SamlProvider = {
    ...{ id: 'company', issuer: 'https://sso.company.test', metadata_url: null, certificates: [], request_timeout: 5 },
    sso_url,
  }
  const meant = {
    requestId: saml.makeRequestId(),
    entityId: 'urn:us',
    acs: 'https://us.test/acs',
    issuer: provider.issuer,
  }
  return saml.begin(provider, meant, 'state')
}

it('redirects the browser to the stored URL with the request and its state', async () => {
  const address = new URL(await begin('https://login.company.example/sso?tenant=7'))
  expect(`${address.origin}${address.pathname}`).toBe('https://login.company.example/sso')
  expect([...address.searchParams.keys()]).toEqual(['tenant', 'SAMLRequest', 'RelayState'])
})

it.each([
  'http://login.company.example/sso',
  'https://127.0.0.1/sso',
  'https://169.254.169.254/',
  'ftp://sso.company.test',
])('does not redirect a browser to %s, even if it is stored', async (sso_url) => {
  await expect(begin(sso_url)).rejects.toMatchObject({
    reason: 'provider_untrusted',
    message: expect.stringContaining('a sign-in URL that is not allowed') as string,
  })
})
