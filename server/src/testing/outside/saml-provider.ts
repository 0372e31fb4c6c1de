import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { IdentityProvider, ServiceProvider, setSchemaValidator } from 'samlify'
import { makeRsaCertificate } from '../certificates/rsa-certificate'
import type { Accounts } from './openid-provider'

/* A complete SAML identity provider on loopback. It is configured with a console's metadata. */

const statement =
  '<saml:AuthnStatement AuthnInstant="{IssueInstant}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>'

const escaped = (text: unknown) => String(text).replaceAll(/[&<>"]/g, (it) => `&#${it.charCodeAt(0)};`)

const attributes = (of: Record<string, unknown>): string =>
  `<saml:AttributeStatement>${Object.entries(of)
    .map(
      ([name, value]) =>
        `<saml:Attribute Name="${name}">${[value]
          .flat()
          .map((it) => `<saml:AttributeValue>${escaped(it)}</saml:AttributeValue>`)
          .join('')}</saml:Attribute>`,
    )
    .join('')}</saml:AttributeStatement>`

const response = `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{ID}" Version="2.0" IssueInstant="{IssueInstant}" Destination="{Destination}" InResponseTo="{InResponseTo}"><saml:Issuer>{Issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="{StatusCode}"/></samlp:Status><saml:Assertion ID="{AssertionID}" Version="2.0" IssueInstant="{IssueInstant}"><saml:Issuer>{Issuer}</saml:Issuer><saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">{NameID}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="{Until}" Recipient="{SubjectRecipient}" InResponseTo="{InResponseTo}"/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="{IssueInstant}" NotOnOrAfter="{Until}"><saml:AudienceRestriction><saml:Audience>{Audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>${statement}@attributes@</saml:Assertion></samlp:Response>`

/** Starts the provider. Its page has a button for each account; choosing one posts a form to the console. */
export async function startSamlProvider() {
  setSchemaValidator({ validate: () => Promise.resolve('not checked') })
  const accounts: Accounts = {}
  const { cert, key } = makeRsaCertificate({ names: ['saml.company.example'] })
  let console_: ReturnType<typeof ServiceProvider> | null = null

  const server = createServer((request, answer) => {
    const url = new URL(request.url!, issuer)
    const send = (body: string, type = 'text/html') => answer.writeHead(200, { 'content-type': type }).end(body)
    const { SAMLRequest, RelayState, as } = Object.fromEntries(url.searchParams) as Record<string, string>
    if (url.pathname === '/metadata') send(provider.getMetadata(), 'application/samlmetadata+xml')
    else if (!console_ || !SAMLRequest) answer.writeHead(404).end()
    else if (as === undefined) {
      const hidden = `<input type="hidden" name="SAMLRequest" value="${escaped(SAMLRequest)}"><input type="hidden" name="RelayState" value="${escaped(RelayState)}">`
      const buttons = Object.keys(accounts).map((it) => `<button name="as" value="${it}">${it}</button>`)
      send(`<!DOCTYPE html><title>The company</title><form>${hidden}${buttons.join('')}</form>`)
    } else
      signedIn(console_, SAMLRequest, as).then(
        ({ context, entityEndpoint }) =>
          send(
            `<!DOCTYPE html><form method="post" action="${escaped(entityEndpoint)}"><input type="hidden" name="SAMLResponse" value="${context}"><input type="hidden" name="RelayState" value="${escaped(RelayState)}"></form><script>document.forms[0].submit()</script>`,
          ),
        (error: unknown) => answer.writeHead(400).end(String(error)),
      )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const entityId = `${issuer}/metadata`
  const provider = IdentityProvider({
    ...{ entityID: entityId, signingCert: cert, privateKey: key, wantAuthnRequestsSigned: false },
    singleSignOnService: [
      { Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: `${issuer}/sso?tenant=7` },
    ],
    // without this entry, the library logs a warning
    singleLogoutService: [{ Binding: 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', Location: `${issuer}/slo` }],
    loginResponseTemplate: { context: response, attributes: [] },
  })

  async function signedIn(to: ReturnType<typeof ServiceProvider>, SAMLRequest: string, as: string) {
    const asked = await provider.parseLoginRequest(to, 'redirect', { query: { SAMLRequest } })
    const { id } = (asked.extract as { request: { id: string } }).request
    const now = new Date()
    const values: Record<string, string> = {
      ...{ ID: `_${crypto.randomUUID()}`, AssertionID: `_${crypto.randomUUID()}`, InResponseTo: id },
      ...{ IssueInstant: now.toISOString(), Until: new Date(now.getTime() + 300_000).toISOString() },
      ...{ Issuer: entityId, StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Success', NameID: as },
      Audience: to.entityMeta.getEntityID(),
    }
    const acs = String(to.entityMeta.getAssertionConsumerService('post'))
    const filled = response
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => escaped(values[name] ?? acs))
      .replace('@attributes@', attributes(accounts[as] ?? {}))
    const made = await provider.createLoginResponse(to, asked as never, 'post', {}, () => ({
      id: values['ID']!,
      context: filled,
    }))
    return { context: made.context, entityEndpoint: acs }
  }

  return {
    issuer: entityId,
    accounts,
    certificate: cert,
    /** Registers the console, using its metadata. */
    know(metadata: string): void {
      console_ = ServiceProvider({ metadata })
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
