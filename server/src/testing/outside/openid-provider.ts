import { randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider, { type Configuration } from 'oidc-provider'
import { rsaKey } from '../certificates/rsa-key'

/* Identity providers on loopback: a complete one, and one with scripted responses. */

/** Lets servers under test connect to providers on loopback. */
export const trustLoopback = { MAINSTAY_PROVIDER_HOSTS: '127.0.0.1' }

export const CLIENT = { client_id: 'console', client_secret: 'a client secret that nobody is told' }

/** Accounts of the provider, as claims by subject. */
export type Accounts = Record<string, Record<string, unknown>>

async function listen(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function makeKey(kid = randomUUID()) {
  const privateKey = rsaKey()
  return { kid, privateKey, jwk: { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' } }
}

/** Starts a complete provider, whose sign-in page has one button per account. */
export async function startOpenIdProvider() {
  const accounts: Accounts = {}
  let callback: RequestListener = (_, response) => void response.writeHead(503).end()
  const place = await listen((request, response) => callback(request, response))

  /** Restarts the provider with new keys, for a console at these URLs. */
  function open(redirectUris: readonly string[]): void {
    const configuration: Configuration = {
      clients: [{ ...CLIENT, redirect_uris: [...redirectUris] }],
      jwks: { keys: [makeKey().jwk] },
      cookies: { keys: ['a key of cookies'] },
      claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email', 'email_verified'] },
      ttl: { AccessToken: 600, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/choose/${uid}` },
      findAccount: (_, accountId) =>
        accounts[accountId] && { accountId, claims: () => ({ sub: accountId, ...accounts[accountId] }) },
      // every account has already consented
      async loadExistingGrant({ oidc: { client, session, provider } }) {
        const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! })
        grant.addOIDCScope('openid profile email')
        await grant.save()
        return grant
      },
    }
    const provider = new Provider(place.issuer, configuration)
    provider.use(async (context, next) => {
      if (!context.path.startsWith('/choose/')) return next()
      const { as } = context.query
      if (typeof as === 'string') {
        const result = as === '' ? { error: 'access_denied' } : { login: { accountId: as, remember: false } }
        return provider.interactionFinished(context.req, context.res, result)
      }
      context.type = 'html'
      context.body = `<!DOCTYPE html><title>The company</title><form>${[...Object.keys(accounts), '']
        .map((it) => `<button name="as" value="${it}">${it || 'Cancel'}</button>`)
        .join('')}</form>`
    })
    const answerAs = provider.callback()
    callback = (request, response) => void answerAs(request, response)
  }
  return { ...place, accounts, open }
}

type Json = Record<string, unknown>

/** Starts a provider with scripted responses. `issuedTo` is the last request to the token endpoint. */
export async function startScriptedProvider() {
  let key = makeKey()
  const script = {
    metadata: {} as Json,
    /** Status of every response; 200 means normal operation. */
    status: 200,
    /** Leaves requests for this path without a response. */
    slow: null as string | null,
    keys: [key.jwk] as Json[],
    claims: {} as Json,
    header: {} as Json,
    signWith: key.privateKey,
    userinfo: null as Json | null,
    /** Paths that respond with a redirect. */
    leadsTo: {} as Record<string, string>,
    token: null as ((idToken: string) => Json) | null,
    body: null as string | null,
    issuedTo: new URLSearchParams(),
    asked: [] as string[],
  }
  const pub = ({ kty, n, e, kid, use, alg }: Json) => ({ kty, n, e, kid, use, alg })

  function idToken(): string {
    const part = (it: Json) => Buffer.from(JSON.stringify(it)).toString('base64url')
    const text = `${part({ alg: 'RS256', kid: key.kid, ...script.header })}.${part(script.claims)}`
    return `${text}.${sign('sha256', Buffer.from(text), script.signWith).toString('base64url')}`
  }
  async function bodyOf(request: IncomingMessage): Promise<string> {
    let text = ''
    for await (const part of request) text += String(part)
    return text
  }
  async function answer(request: IncomingMessage, response: ServerResponse) {
    const path = request.url!
    script.asked.push(path)
    if (path === '/token') script.issuedTo = new URLSearchParams(await bodyOf(request))
    if (script.slow === path) return
    const to = script.leadsTo[path]
    if (to !== undefined) return void response.writeHead(302, { location: to }).end()
    const replies: Record<string, () => unknown> = {
      '/.well-known/openid-configuration': () => ({
        issuer: place.issuer,
        authorization_endpoint: `${place.issuer}/authorize`,
        token_endpoint: `${place.issuer}/token`,
        jwks_uri: `${place.issuer}/keys`,
        ...(script.userinfo && { userinfo_endpoint: `${place.issuer}/me` }),
        ...script.metadata,
      }),
      '/keys': () => ({ keys: script.keys.map(pub) }),
      '/token': () =>
        script.token?.(idToken()) ?? { access_token: 'an-access-token', token_type: 'Bearer', id_token: idToken() },
      '/me': () => script.userinfo,
    }
    const reply = replies[path]
    response.writeHead(reply ? script.status : 404, { 'content-type': 'application/json' })
    response.end(script.body ?? JSON.stringify(reply?.() ?? {}))
  }
  const place = await listen((request, response) => void answer(request, response))
  const initial = { ...script }
  return {
    ...place,
    script,
    /** Restores valid responses. */
    reset: () => {
      key = makeKey()
      Object.assign(script, initial, { keys: [key.jwk], signWith: key.privateKey, asked: [] })
    },
    otherKey: () => makeKey().privateKey,
  }
}
