import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EngineChoiceError, type CloudChoice } from '../../ports/engines'
import { printableSettings, readCloudSettings } from './cloud-settings'

const entry = `
    auth:
      auth_url: https://cloud.example.org:5000/v3
      username: mainstay
      user_domain_name: Default
      project_name: admin
      project_domain_name: Default`

let folder: string
let home: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mainstay-clouds-'))
  home = path.join(folder, 'home')
  mkdirSync(path.join(home, '.config', 'openstack'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
const choice = (change: Partial<CloudChoice> = {}): CloudChoice => ({
  name: 'lab',
  variables: {},
  notificationsUrl: null,
  webssoUrl: null,
  folder,
  home,
  ...change,
})
const read = (change: Partial<CloudChoice> = {}) => readCloudSettings(choice(change))
function faults(change: Partial<CloudChoice> = {}): string[] {
  try {
    read(change)
    return []
  } catch (error) {
    if (error instanceof EngineChoiceError) return error.lines.map((line) => line.replaceAll(folder, ''))
    throw error
  }
}

describe('clouds.yaml entries', () => {
  it('reads endpoints, TLS settings and credentials, with the password from a separate file', () => {
    write(
      'clouds.yaml',
      `clouds:\n  lab:${entry}\n    region_name: east\n    interface: internal\n    verify: false\n    cacert: ca.pem\n`,
    )
    write('secure.yaml', 'clouds:\n  lab:\n    auth:\n      password: 12345678\n')
    const { credentials, ...settings } = read({ notificationsUrl: 'amqp://me:pass@bus:5672/' })
    expect(settings).toMatchObject({
      name: 'lab',
      authUrl: 'https://cloud.example.org:5000/v3',
      scope: { project: { name: 'admin', domain: { name: 'Default' } } },
      endpoints: { region: 'east', interface: 'internal', overrides: {} },
      tls: { verify: false, caFile: path.join(folder, 'ca.pem') },
    })
    expect(credentials).toMatchObject({ method: 'password', user: { name: 'mainstay', domain: { name: 'Default' } } })
    expect(credentials.method === 'password' && credentials.password.reveal()).toBe('12345678')
  })

  it('searches the same locations as the OpenStack client, closest first', () => {
    const named = (project: string) =>
      `clouds:\n  lab:${entry.replace('project_name: admin', `project_name: ${project}`)}\n`
    const secret = '      password: x\n'
    writeFileSync(path.join(home, '.config', 'openstack', 'clouds.yaml'), named('home') + secret)
    const project = () => (read().scope as { project: { name: string } }).project.name
    expect(() => project()).not.toThrow()
    expect(project()).toBe('home')
    write('clouds.yml', named('here') + secret)
    expect(project()).toBe('here')
    write('mine.yaml', named('named') + secret)
    expect(read({ variables: { OS_CLIENT_CONFIG_FILE: 'mine.yaml' } }).scope).toMatchObject({
      project: { name: 'named' },
    })
  })

  it('accepts application credentials and endpoint overrides', () => {
    write(
      'clouds.yaml',
      `clouds:
  lab:
    auth_type: v3applicationcredential
    auth: { auth_url: http://cloud:5000, application_credential_id: abc, application_credential_secret: s3cret }
    volumev3_endpoint_override: http://volumes:8776/v3`,
    )
    const { credentials, scope, endpoints } = read()
    expect(credentials).toMatchObject({ method: 'application_credential', id: 'abc' })
    expect(scope).toBeUndefined()
    expect(endpoints.overrides).toEqual({ volume: 'http://volumes:8776/v3' })
  })

  it('reports errors with the file, entry and field', () => {
    write('clouds.yaml', 'clouds:\n  lab:\n    interface: sideways\n    auth:\n      username: [x]\n')
    expect(faults()).toEqual([
      '/clouds.yaml: clouds.lab.auth.username must be a string',
      '/clouds.yaml: clouds.lab.interface must be public, internal or admin',
    ])
    write('clouds.yaml', 'clouds:\n  lab:\n    auth:\n      auth_url: cloud:5000/v3\n      username: me\n')
    expect(faults()).toEqual([
      '/clouds.yaml: clouds.lab.auth.auth_url must be an address such as https://cloud.example.org:5000/v3',
      '/clouds.yaml: clouds.lab.auth.password is missing',
      '/clouds.yaml: clouds.lab.auth.user_domain_name is missing: a username is unique only within a domain',
      '/clouds.yaml: clouds.lab.auth.project_name is missing: name the project in which the service account is an administrator',
    ])
    write('clouds.yaml', 'clouds:\n  lab: {}\n')
    expect(faults()).toEqual(['/clouds.yaml: clouds.lab.auth is missing'])
    write(
      'clouds.yaml',
      `clouds:\n  lab:${entry}\n      password: x\n    profile: vendor\n    auth_type: v3totp\n    identity_api_version: 2\n`,
    )
    expect(faults()).toEqual([
      expect.stringContaining('clouds.lab.profile is not supported'),
      expect.stringContaining('clouds.lab.identity_api_version must be 3'),
      expect.stringContaining('clouds.lab.auth_type is v3totp'),
    ])
  })

  it('reports a missing file or entry', () => {
    expect(faults()).toEqual([expect.stringContaining('No clouds.yaml found for the cloud "lab"')])
    write('clouds.yaml', `clouds:\n  one:${entry}\n  two:${entry}\n`)
    expect(faults()).toEqual(['/clouds.yaml: there is no cloud "lab"; the file has: one, two'])
    expect(faults({ name: 'constructor' })).toEqual([expect.stringContaining('there is no cloud "constructor"')])
    expect(faults({ variables: { OS_CLIENT_CONFIG_FILE: 'gone.yaml' } })).toEqual([
      'OS_CLIENT_CONFIG_FILE names /gone.yaml, which does not exist',
    ])
  })

  it('reports invalid YAML without quoting its content', () => {
    write('clouds.yaml', 'clouds:\n  lab:\n    auth: {password: "hunter22\n')
    const [fault = '', ...more] = faults()
    expect(fault).toMatch(/^\/clouds\.yaml, line \d+, column \d+: invalid YAML/)
    expect([fault, ...more].join()).not.toContain('hunter22')
    for (const text of ['', '- a list', 'just words', 'clouds: 1', 'cloud:\n  lab: {}'])
      expect([write('clouds.yaml', text), faults()][1]).toEqual(['/clouds.yaml: the key "clouds" is missing'])
  })
})

describe('OpenStack client environment variables', () => {
  const variables = {
    OS_AUTH_URL: 'http://cloud:5000/v3',
    OS_USERNAME: 'me',
    OS_PASSWORD: 'hunter22',
    OS_USER_DOMAIN_ID: 'default',
    OS_TENANT_NAME: 'admin',
    OS_DEFAULT_DOMAIN: 'Default',
    OS_REGION_NAME: 'west',
    OS_ENDPOINT_TYPE: 'internalURL',
    OS_INSECURE: 'true',
    OS_COMPUTE_ENDPOINT_OVERRIDE: 'http://compute/v2.1',
  }

  it('produces the same settings as a file', () => {
    expect(read({ name: null, variables })).toMatchObject({
      name: 'cloud:5000',
      credentials: { method: 'password', user: { name: 'me', domain: { id: 'default' } } },
      scope: { project: { name: 'admin', domain: { name: 'Default' } } },
      endpoints: { region: 'west', interface: 'internal', overrides: { compute: 'http://compute/v2.1' } },
      tls: { verify: false },
    })
  })

  it('names the variable in error messages', () => {
    expect(faults({ name: null, variables: { OS_AUTH_URL: 'cloud', OS_INTERFACE: 'up' } })).toEqual([
      'OS_INTERFACE must be public, internal or admin',
    ])
    expect(
      faults({ name: null, variables: { OS_AUTH_URL: 'http://cloud', OS_USERNAME: 'me', OS_SYSTEM_SCOPE: 'all' } }),
    ).toEqual([
      'OS_PASSWORD is missing',
      'OS_USER_DOMAIN_NAME is missing: a username is unique only within a domain',
      expect.stringContaining('OS_PROJECT_NAME is missing: an account for the whole system'),
    ])
    expect(faults({ name: null, variables, notificationsUrl: 'http://bus' })).toEqual([
      'OPENSTACK_NOTIFICATIONS_URL must look like amqp://user:password@host:5672/',
    ])
  })

  it('prints settings without secrets', () => {
    const settings = read({ name: null, variables, notificationsUrl: 'amqp://me:rabbit77@bus:5672/' })
    const shown = JSON.stringify(printableSettings(settings))
    expect(shown).not.toMatch(/hunter22|rabbit77/)
    expect(shown).toContain('"password":"********"')
    expect(shown).toContain('amqp://me:********@bus:5672/')
    expect(JSON.stringify(settings)).not.toMatch(/hunter22|rabbit77/)
  })
})
