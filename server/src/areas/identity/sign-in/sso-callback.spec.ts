import { handOver } from '@mainstay/contract/identity/hand-over'
import { session } from '@mainstay/contract/identity/session'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startWithIdentityProvider } from '../../../testing/outside/identity-provider'

type Fixture = Awaited<ReturnType<typeof startWithIdentityProvider>>

const lines: { fields: Record<string, unknown>; message: string }[] = []
const note = (fields: object, message: string) => void lines.push({ fields: { ...fields }, message })
const log = { debug: () => undefined, info: note, warn: note, error: note }

let fixture: Fixture
beforeAll(async () => {
  fixture = await startWithIdentityProvider({ log })
})
afterAll(() => fixture.close())
beforeEach(async () => {
  lines.length = 0
  await fixture.server.sql.query('delete from sign_in_failure')
  await fixture.server.sql.query('truncate audit, audit_unsealed, audit_seal')
})

/** A minimal browser that keeps cookies and sends a user agent. */
function browser(agent = 'Mozilla/5.0') {
  const cookies = new Map<string, string>()
  async function go(path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(`${fixture.server.url}${path}`, {
      ...init,
      redirect: 'manual',
      headers: { 'user-agent': agent, ...(cookie && { cookie }), ...init.headers },
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '') cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    return response
  }
  const where = (response: Response) => response.headers.get('location')!
  return {
    cookies,
    go,
    begin: (id = 'company') =>
      go(`/api/v2/login/providers/${id}`, { method: 'POST', headers: { origin: fixture.server.url } }),
    /** Submits the form on the cloud's page: a cross-site request without our cookies. */
    async land(token: string, more: { headers?: Record<string, string>; body?: string; path?: string } = {}) {
      const response = await fetch(`${fixture.server.url}${more.path ?? '/auth/landing'}`, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'user-agent': agent,
          origin: fixture.origin,
          'content-type': 'application/x-www-form-urlencoded',
          ...more.headers,
        },
        body: more.body ?? new URLSearchParams({ token }).toString(),
      })
      expect(response.status).toBe(303)
      expect(response.headers.get('set-cookie') ?? '').not.toContain('session')
      return where(response)
    },
    async enter(path: string) {
      const response = await go(path)
      expect(response.status).toBe(303)
      return where(response)
    },
  }
}
const audits = () =>
  fixture.server.sql.query<{ action: string; user_name: string | null; result: string; message: string | null }>(
    "select action, user_name, result, message from audit where action = 'session.handOver'",
  )
const sessions = async () =>
  (await fixture.server.sql.query<{ count: number }>('select count(*)::int as count from session'))[0]!.count

/** Checks that a sign-in failed and that its ID, but not the token, is in the log. Returns the reason. */
async function failure(to: string, token: string) {
  const url = new URL(to, 'http://console')
  expect(url.pathname).toBe('/auth/failed')
  expect(lines.map(({ fields }) => fields['request_id'])).toContain(url.searchParams.get('id'))
  expect(JSON.stringify(lines.map(({ fields, message }) => [message, String(fields['err'])]))).not.toContain(token)
  const entries = await audits()
  expect(entries.map(({ result }) => result)).toContain('error')
  expect(JSON.stringify(entries)).not.toContain(token)
  return url.searchParams.get('reason')
}

describe('signing in through an identity provider', () => {
  it('opens the provider, returns with a token and creates a session [UI-050]', async () => {
    const { cookies, begin, land, enter } = browser()
    const begun = await begin()
    const { address } = (await begun.json()) as { address: string }
    expect(address).toContain('/identity_providers/company/protocols/openid/websso')
    expect(new URL(address).searchParams.get('origin')).toBe(`${fixture.server.url}/auth/landing`)
    expect(begun.headers.get('set-cookie')).toMatch(
      /^hand-over=\d+\.company; Path=\/auth\/landing; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )

    const token = fixture.tokenOf('u-fay')
    const on = await land(token)
    expect(on).toMatch(/^\/auth\/landing\/enter\?code=[A-Za-z0-9_-]{43}$/)
    expect(await enter(on)).toBe('/auth/success')
    expect([...cookies.keys()]).toEqual(['session-self-service'])

    const as = { token: cookies.get('session-self-service')! }
    expect(await fixture.server.call(session.whoami, { as })).toMatchObject({
      name: 'fay',
      domain_name: 'alpha',
      external_provider: 'company',
      roles: ['project_member'],
    })
    const scoped = await fixture.server.call(session.enterProject, { as, params: { id: 'p-one' } })
    const { scope } = await fixture.server.tools.sessions.resolve(scoped.token, 'req')
    expect(scope.credential?.reveal()).toBe(token)
    expect(await audits()).toEqual([{ action: 'session.handOver', user_name: 'fay', result: 'success', message: null }])
    const kept = await fixture.server.sql.query<{ row: string }>(
      'select t::text as row from hand_over t union all select t::text from session t',
    )
    expect(kept.map(({ row }) => row).join()).not.toContain(Buffer.from(token).toString('hex'))
  })

  it('does not allow changing the password, which the provider manages [PE-019]', async () => {
    const { cookies, land, enter, begin } = browser()
    await begin()
    await enter(await land(fixture.tokenOf('u-fay')))
    const as = { token: cookies.get('session-self-service')! }
    const scoped = await fixture.server.call(session.enterProject, { as, params: { id: 'p-one' } })
    const body = { current_password: 'a', new_password: 'another horse 12' }
    for (const token of [as, scoped])
      await expect(fixture.server.call(session.changePassword, { as: token, body })).rejects.toMatchObject({
        code: 'unsupported',
        message: expect.stringContaining('The identity provider manages your password'),
      })
  })

  it('offers providers to anonymous users according to the domain', async () => {
    const names = async (domain?: string) =>
      (await fixture.server.call(handOver.providers, { query: { ...(domain && { domain }) } })).data.map((it) => it.id)
    expect(await names()).toEqual(['partners', 'company'])
    expect(await names('alpha')).toEqual(['company'])
    expect(await names('nowhere')).toEqual([])
  })

  it('starts only from the console’s own pages and with an enabled provider', async () => {
    const from = (origin: string | null, id = 'company') =>
      fixture.server
        .fetch(handOver.begin, { params: { id }, headers: origin === null ? {} : { origin } })
        .then(({ status }) => status)
    expect(await from('https://evil.example')).toBe(403)
    expect(await from(null)).toBe(400)
    expect(await from(fixture.server.url, 'other')).toBe(404)
    expect(await from(fixture.server.url)).toBe(200)
  })

  it('returns to the public address if the server is behind a load balancer', async () => {
    const headers = { origin: 'https://console.example', 'x-forwarded-host': 'console.example' }
    const { address } = await fixture.server.call(handOver.begin, { params: { id: 'company' }, headers })
    expect(new URL(address).searchParams.get('origin')).toBe('https://console.example/auth/landing')
  })
})

describe('a hand-over is refused', () => {
  it('with a used, invented or expired code', async () => {
    const one = browser()
    await one.begin()
    const token = fixture.tokenOf('u-fay')
    const on = await one.land(token)
    await one.enter(on)
    await one.begin()
    const before = await sessions()
    expect(await failure(await one.enter(on), token)).toBe('stale')
    await one.begin()
    expect(await failure(await one.enter(`/auth/landing/enter?code=${'a'.repeat(43)}`), token)).toBe('stale')
    for (const path of ['/auth/landing/enter', '/auth/landing/enter?code=a&code=b', '/auth/landing/enter?code=%00'])
      expect(await failure(await one.enter(path), token)).toBe('stale')
    await one.begin()
    const late = await one.land(token)
    await fixture.server.sql.query("update hand_over set expires_at = now() - interval '1 second'")
    expect(await failure(await one.enter(late), token)).toBe('stale')
    expect(await sessions()).toBe(before)
  })

  it('in a browser that did not start the sign-in or did not submit the token', async () => {
    const [one, other] = [browser('one'), browser('other')]
    const token = fixture.tokenOf('u-fay')
    // an attacker must not be able to sign a victim in with a link that contains the attacker's code
    expect(await failure(await one.enter(await one.land(token)), token)).toBe('stale')
    await other.begin()
    const stolen = await one.land(token)
    expect(await failure(await other.enter(stolen), token)).toBe('stale')
    // the code cannot be used again
    await one.begin()
    expect(await failure(await one.enter(stolen), token)).toBe('stale')
  })

  it('from any page other than the cloud’s', async () => {
    const { land } = browser()
    const token = fixture.tokenOf('u-fay')
    for (const origin of ['https://evil.example', 'null', fixture.server.url])
      expect(await failure(await land(token, { headers: { origin } }), token)).toBe('refused')
  })

  it('without exactly one token in a small form, and with a token in the URL', async () => {
    const { land, go } = browser()
    const token = fixture.tokenOf('u-fay')
    for (const more of [
      { body: `token=${token}&token=${token}` },
      { body: 'nothing=here' },
      { body: '' },
      { body: `token=${token}%0d%0aX-Injected: 1` },
      { body: `token=${'a'.repeat(20_000)}` },
      { body: JSON.stringify({ token }), headers: { 'content-type': 'application/json' } },
      { body: `token=${token}`, headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      { path: `/auth/landing?token=${token}` },
    ]) {
      const to = await land(token, more)
      expect(to).not.toContain('code=')
      expect(await failure(to, token)).toBe('refused')
    }
    const asked = await go(`/auth/landing?token=${token}`)
    expect(asked.status).toBe(303)
    expect(await failure(asked.headers.get('location')!, token)).toBe('refused')
  })

  it('with an invalid token, or a token from a password sign-in or another provider', async () => {
    const signedIn = await fixture.server.tools.identity.authenticate('mary', 'pass-mary', 'alpha')
    const before = await sessions()
    for (const token of [
      signedIn!.credential!.reveal(),
      fixture.tokenOf('u-fay', 'partners'),
      'gAAAA0123456789abcdef',
    ]) {
      const one = browser()
      await one.begin()
      expect(await failure(await one.enter(await one.land(token)), token)).toBe('refused')
      expect(one.cookies.size).toBe(0)
    }
    expect(await sessions()).toBe(before)
  })

  it('for a disabled user, and gives this reason', async () => {
    const fay = fixture.directory.users.find(({ id }) => id === 'u-fay')!
    fay.enabled = false
    try {
      const one = browser()
      await one.begin()
      const token = fixture.tokenOf('u-fay')
      expect(await failure(await one.enter(await one.land(token)), token)).toBe('access_disabled')
    } finally {
      fay.enabled = true
    }
  })

  it('for a while after too many failures', async () => {
    const attempt = async (token: string) => {
      const one = browser()
      await one.begin()
      return failure(await one.enter(await one.land(token)), token)
    }
    await fixture.server.sql.query('delete from sign_in_failure')
    for (let count = 0; count < 3; count += 1) expect(await attempt(`gAAAA0123456789abcde${count}`)).toBe('refused')
    const [counted] = await fixture.server.sql.query<{ failures: number }>('select failures from sign_in_failure')
    expect(counted).toEqual({ failures: 3 })
    // simulates many more failures, with a delay that outlasts even a slow test run
    await fixture.server.sql.query(
      "update sign_in_failure set failures = failures + 20, last_at = now() + interval '30 seconds'",
    )
    expect(await attempt(fixture.tokenOf('u-fay'))).toBe('too_many_attempts')
  })

  it('without redirecting to a URL from the request', async () => {
    const { go } = browser()
    const response = await go('/auth/landing/enter?code=x&redirectUrl=https://evil.example')
    expect(response.headers.get('location')).toMatch(/^\/auth\/failed\?reason=stale&id=[\w.-]+$/)
  })
})
