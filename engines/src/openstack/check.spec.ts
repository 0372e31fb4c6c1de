import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CloudFinding } from '../ports/engines'
import type { Log } from '../ports/records'
import { checkCloudOf } from './check'
import { readCloudSettings } from './configuration/cloud-settings'
import { startFakeCloud, type FakeCloud } from './testing/fake-cloud/cloud'

const nothing = () => undefined
const quiet: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing }

let cloud: FakeCloud
beforeEach(async () => {
  cloud = await startFakeCloud({
    applicationCredentials: [],
    assignments: [
      { user: 'u-service', project: 'p-admin', role: 'admin' },
      { user: 'u-demo', project: 'p-demo', role: 'member' },
    ],
    tokenSeconds: 8 * 3600,
  })
  for (const [service, path, key] of [
    ['compute', '/servers', 'servers'],
    ['volume', '/volumes', 'volumes'],
    ['network', '/networks', 'networks'],
    ['image', '/images', 'images'],
    ['placement', '/resource_providers', 'resource_providers'],
    ['identity', '/users', 'users'],
    ['identity', '/projects', 'projects'],
    ['identity', '/role_assignments', 'role_assignments'],
  ] as const)
    cloud.list(service, path, key, [])
})
afterEach(() => cloud.close())

async function check(change: Record<string, string> = {}, notificationsUrl: string | null = null) {
  const variables = {
    OS_AUTH_URL: cloud.authUrl,
    OS_USERNAME: 'mainstay',
    OS_PASSWORD: 'service-secret',
    OS_USER_DOMAIN_NAME: 'Default',
    OS_PROJECT_NAME: 'admin',
    OS_PROJECT_DOMAIN_NAME: 'Default',
    ...change,
  }
  const choice = { name: null, variables, notificationsUrl, webssoUrl: null, folder: '/', home: '/' }
  return checkCloudOf(readCloudSettings(choice), quiet)
}
const bad = (findings: CloudFinding[]) => findings.filter(({ level }) => level !== 'good')
const withoutBus = (findings: CloudFinding[]) =>
  bad(findings).filter(({ what }) => !what.startsWith('No notifications'))

describe('checking a cloud', () => {
  it('reports only the missing message bus when everything else works', async () => {
    const findings = await check()
    expect(bad(findings)).toEqual([
      {
        level: 'note',
        what: expect.stringContaining('No notifications'),
        advice: expect.stringContaining('OPENSTACK_'),
      },
    ])
    expect(findings[0]!.what).toContain('The service account mainstay signs in')
    expect(findings[0]!.what).toContain('in the project admin')
  })

  it('distinguishes a wrong password from a missing role', async () => {
    expect(bad(await check({ OS_PASSWORD: 'wrong' }))[0]).toMatchObject({
      level: 'wrong',
      what: expect.stringContaining('cannot sign in'),
    })
    expect(bad(await check({ OS_PROJECT_NAME: 'demo' }))[0]).toMatchObject({
      level: 'wrong',
      what: expect.stringContaining('no role in its project'),
    })
  })

  it('reports that an account without the admin role sees only its own project', async () => {
    const account = { OS_USERNAME: 'demo', OS_PASSWORD: 'demo', OS_PROJECT_NAME: 'demo' }
    expect(withoutBus(await check(account))).toEqual([
      {
        level: 'lacking',
        what: expect.stringContaining('not an administrator of its project (member)'),
        advice: expect.any(String),
      },
    ])
  })

  it('reports services that are missing, outdated, down, or inaccessible to the account', async () => {
    cloud.catalogue.splice(
      cloud.catalogue.findIndex((it) => (it as { type: string }).type === 'placement'),
      1,
    )
    cloud.microversions.compute = '2.79'
    cloud.on('volume', 'GET', '/volumes', () => ({
      status: 403,
      body: { forbidden: { code: 403, message: 'Not for you' } },
    }))
    cloud.on('image', 'GET', '/images', () => ({ status: 500, text: '<html>oops</html>' }))
    const findings = withoutBus(await check()).map(({ level, what }) => `${level}: ${what}`)
    expect(findings).toEqual([
      expect.stringMatching(/^lacking: The compute service does not offer version 2\.87/),
      expect.stringMatching(/^lacking: The cloud has no placement service/),
      'lacking: The service account cannot read volumes in all projects: Not for you',
      expect.stringMatching(/^unreachable: The service account cannot read images/),
    ])
  })

  it('names the dashboard URL that Keystone must trust when identity providers are configured', async () => {
    const provider = { id: 'company', description: 'The company', enabled: true, domain_id: null }
    cloud.list('identity', '/OS-FEDERATION/identity_providers', 'identity_providers', [provider])
    cloud.list('identity', '/OS-FEDERATION/identity_providers/company/protocols', 'protocols', [{ id: 'openid' }])
    expect(withoutBus(await check())).toEqual([
      {
        level: 'note',
        what: 'Users can sign in through: The company',
        advice: expect.stringContaining('trusted_dashboard = https://CONSOLE/auth/landing'),
      },
    ])
    cloud.on('identity', 'GET', '/OS-FEDERATION/identity_providers', () => ({
      status: 403,
      body: { error: { code: 403, message: 'Not for you' } },
    }))
    expect(withoutBus(await check())).toEqual([
      {
        level: 'lacking',
        what: 'The service account cannot read identity providers: Not for you',
        advice: expect.any(String),
      },
    ])
  })

  it('lists the available regions when the configured one does not exist', async () => {
    expect(withoutBus(await check({ OS_REGION_NAME: 'Elsewhere' }))).toEqual([
      {
        level: 'wrong',
        what: 'The cloud has no region "Elsewhere"; it has: RegionOne',
        advice: expect.stringContaining('region_name'),
      },
    ])
  })

  it('reports an unreachable cloud', async () => {
    const [finding, ...more] = withoutBus(await check({ OS_AUTH_URL: 'http://127.0.0.1:9/v3' }))
    expect(more).toEqual([])
    expect(finding).toMatchObject({
      level: 'unreachable',
      what: expect.stringContaining('cannot be reached at http://127.0.0.1:9/v3'),
    })
  })

  it('warns that short-lived tokens end sessions early', async () => {
    await cloud.close()
    cloud = await startFakeCloud({ tokenSeconds: 3600 })
    expect(bad(await check())).toContainEqual({
      level: 'note',
      what: 'Cloud tokens expire after 60 minutes, and sessions end when they expire',
      advice: expect.stringContaining('expiration'),
    })
  })

  it('reports a message bus that refuses the connection, without revealing its password', async () => {
    const closed = createServer((socket) => socket.destroy())
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve))
    const { port } = closed.address() as AddressInfo
    expect(bad(await check({}, `amqp://me:secret-of-bus@127.0.0.1:${port}/`))).toEqual([
      {
        level: 'unreachable',
        what: expect.stringContaining('The message bus cannot be used'),
        advice: expect.any(String),
      },
    ])
    expect(JSON.stringify(await check({}, `amqp://me:secret-of-bus@127.0.0.1:${port}/`))).not.toContain('secret-of-bus')
    closed.close()
  })
})
