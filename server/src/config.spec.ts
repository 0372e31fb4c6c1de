import { expect, it } from 'vitest'
import { readConfig, type ConfigError } from './config'
import { printableConfig, secretsOf } from './shown-config'

const faults = (environment: Record<string, string>): string[] => {
  try {
    readConfig(environment, '/srv')
    return []
  } catch (error) {
    return (error as ConfigError).lines
  }
}

it('works without any variables: self-service on port 8800, administration on 8888 [CO-041]', () => {
  expect(readConfig({}, '/srv')).toMatchObject({
    dataFolder: '/srv/data',
    host: '127.0.0.1',
    port: 8800,
    adminPort: 8888,
    tls: { kind: 'none' },
    hypervisor: 'qemu',
    world: 'empty',
    adminPassword: null,
    databaseUrl: null,
  })
})

it('accepts a metrics store URL or `off`, and does not print the password', () => {
  const url = 'http://me:secret-1@figures:8428/prefix/'
  expect(readConfig({}).metricsUrl).toBeNull()
  expect(readConfig({ MAINSTAY_METRICS_URL: 'off' }).metricsUrl).toBe('off')
  const named = readConfig({ MAINSTAY_METRICS_URL: url })
  expect(named.metricsUrl).toBe('http://me:secret-1@figures:8428/prefix')
  expect(printableConfig(named)).not.toContain('secret-1')
  expect(secretsOf(named)).toContain('secret-1')
  expect(faults({ MAINSTAY_METRICS_URL: 'figures:8428' })).toEqual([expect.stringContaining('must look like http://')])
  expect(faults({ MAINSTAY_GRAFANA_URL: 'off' })).toEqual([expect.stringContaining('MAINSTAY_GRAFANA_URL must look')])
})

it('normalizes hosts and origins as browsers do', () => {
  expect(readConfig({ MAINSTAY_HOSTS: 'Console.Example.,2001:DB8:0::1' }).hosts).toEqual([
    'console.example',
    '2001:db8::1',
  ])
  const origins = 'https://Portal.Example:443,http://intranet.example:80,https://intranet.example:8443'
  expect(readConfig({ MAINSTAY_PARENT_ORIGINS: origins }).parentOrigins).toEqual([
    ...['https://portal.example', 'http://intranet.example', 'https://intranet.example:8443'],
  ])
})

it('enables system permissions in the portal by default only on loopback', () => {
  const tls = { MAINSTAY_TLS: 'self-signed' }
  const countAt = (environment: Record<string, string>) => readConfig(environment).portalOperators
  expect([countAt({}), countAt({ MAINSTAY_HOST: '::1' }), countAt({ MAINSTAY_PORTAL_OPERATORS: '0' })]).toEqual([
    true,
    true,
    false,
  ])
  expect(countAt({ ...tls, MAINSTAY_HOST: '0.0.0.0' })).toBe(false)
  expect(countAt({ ...tls, MAINSTAY_HOST: '0.0.0.0', MAINSTAY_PORTAL_OPERATORS: '1' })).toBe(true)
  expect(faults({ MAINSTAY_PORTAL_OPERATORS: 'yes' })).toEqual(['MAINSTAY_PORTAL_OPERATORS must be 0 or 1'])
})

it('restricts host names by default only on loopback', () => {
  const tls = { MAINSTAY_TLS: 'self-signed' }
  expect(readConfig({}).hosts).toEqual([])
  expect(readConfig({ MAINSTAY_HOST: '10.0.0.5', ...tls }).hosts).toBeNull()
  expect(readConfig({ MAINSTAY_ADDRESS: 'https://console.example/portal/' }).address).toBe(
    'https://console.example/portal',
  )
  expect(faults({ MAINSTAY_ADMIN_ADDRESS: 'console.example' })).toEqual([
    expect.stringContaining('MAINSTAY_ADMIN_ADDRESS must look like https://console.example'),
  ])
  expect(readConfig({ MAINSTAY_HOSTS: 'Console.Example, 10.0.0.5' }).hosts).toEqual(['console.example', '10.0.0.5'])
  expect(faults({ MAINSTAY_HOSTS: 'a:80' })).toEqual([expect.stringContaining('MAINSTAY_HOSTS must be host names')])
})

it('accepts parent origins for frames, and refuses wildcards and paths', () => {
  const origins = (text: string) => readConfig({ MAINSTAY_PARENT_ORIGINS: text }).parentOrigins
  expect(readConfig({}).parentOrigins).toEqual([])
  expect(origins('https://Portal.example, http://localhost:8080')).toEqual([
    'https://portal.example',
    'http://localhost:8080',
  ])
  for (const text of [
    'portal.example',
    '*',
    'https://*',
    'https://a.example/path',
    "https://a.example; img-src 'self'",
  ])
    expect(faults({ MAINSTAY_PARENT_ORIGINS: text }), text).toEqual([
      expect.stringContaining('MAINSTAY_PARENT_ORIGINS must be page origins'),
    ])
})

it('accepts About links by kind, and refuses URL schemes that run scripts', () => {
  const links = (text: string) => readConfig({ MAINSTAY_LINKS: text }).links
  expect(readConfig({}).links).toEqual({})
  expect(links('docs=https://docs.example/a?b=c, contact=mailto:help@cloud.example')).toEqual({
    docs: 'https://docs.example/a?b=c',
    contact: 'mailto:help@cloud.example',
  })
  for (const text of ['https://docs.example', 'manual=https://docs.example', 'docs=javascript:alert(1)', 'docs='])
    expect(faults({ MAINSTAY_LINKS: text }), text).toEqual([expect.stringContaining('MAINSTAY_LINKS must set links')])
})

it('reads the syslog target for the audit log, and falls back to the default port', () => {
  const target = (text: string) => readConfig({ MAINSTAY_AUDIT_SYSLOG: text }).auditSyslog
  expect(readConfig({}).auditSyslog).toBeNull()
  expect(target('tls://Log.example')).toEqual({ transport: 'tls', host: 'Log.example', port: 6514 })
  expect(target('udp://[::1]:5514')).toEqual({ transport: 'udp', host: '::1', port: 5514 })
  for (const text of [
    'log.example',
    'http://log.example',
    'tcp://log.example:0',
    'tcp://a b',
    'tcp://log.example:99999',
  ])
    expect(faults({ MAINSTAY_AUDIT_SYSLOG: text }), text).toEqual([
      expect.stringContaining('MAINSTAY_AUDIT_SYSLOG must look like'),
    ])
})

it('treats an empty variable as unset', () => {
  expect(readConfig({ MAINSTAY_PORT: '', DATABASE_URL: '' }, '/srv')).toMatchObject({ port: 8800, databaseUrl: null })
})

it('reports every invalid variable', () => {
  expect(
    faults({
      MAINSTAY_PORT: 'eighty',
      MAINSTAY_ADMIN_PORT: '99999',
      MAINSTAY_HYPERVISOR: 'xen',
      MAINSTAY_TLS: 'yes',
      DATABASE_URL: 'mysql://x',
    }),
  ).toEqual([
    'MAINSTAY_PORT must be a port number from 0 to 65535',
    'MAINSTAY_ADMIN_PORT must be a port number from 0 to 65535',
    'MAINSTAY_TLS must be "self-signed" or two files: certificate.pem,key.pem',
    'DATABASE_URL must look like postgres://user:password@host:5432/database',
    'MAINSTAY_HYPERVISOR must be one of qemu, simulated',
  ])
})

it('refuses a public address without TLS', () => {
  expect(faults({ MAINSTAY_HOST: '0.0.0.0' })).toEqual([expect.stringContaining('MAINSTAY_HOST is 0.0.0.0')])
  expect(faults({ MAINSTAY_HOST: '0.0.0.0', MAINSTAY_TLS: 'self-signed' })).toEqual([])
  expect(faults({ MAINSTAY_HOST: '::1' })).toEqual([])
  expect(faults({ MAINSTAY_HOST: '127.9.9.9' })).toEqual([])
})

it('refuses a weak administrator password and says what is missing', () => {
  expect(faults({ MAINSTAY_ADMIN_PASSWORD: 'a' })).toEqual([
    expect.stringMatching(/^MAINSTAY_ADMIN_PASSWORD is too weak\. Use at least 12 characters/),
  ])
  expect(faults({ MAINSTAY_ADMIN_PASSWORD: 'sixteen letters!' })).toEqual([
    'MAINSTAY_ADMIN_PASSWORD is too weak. Add a digit',
  ])
  expect(faults({ MAINSTAY_ADMIN_PASSWORD: 'correct horse 12' })).toEqual([])
})

it('refuses the same port for both panels', () => {
  expect(faults({ MAINSTAY_PORT: '9100', MAINSTAY_ADMIN_PORT: '9100' })).toEqual([
    'MAINSTAY_ADMIN_PORT must differ from MAINSTAY_PORT',
  ])
  expect(faults({ MAINSTAY_PORT: '0', MAINSTAY_ADMIN_PORT: '0' })).toEqual([])
})

it('serves S3 on port 9000 on the same host by default, on a configured address, or not at all', () => {
  const s3 = (environment: Record<string, string>) => readConfig(environment, '/srv').s3
  const tls = { MAINSTAY_TLS: 'self-signed' }
  expect(s3({})).toEqual({ host: '127.0.0.1', port: 9000, domains: [], signatureV2: true, kmsKeys: [] })
  expect(s3({ MAINSTAY_S3_DOMAIN: 'S3.example, objects.example' })).toMatchObject({
    domains: ['s3.example', 'objects.example'],
  })
  for (const wrong of ['10.0.0.5', 's3.example:9000', '.example', '*.s3.example', 'a,,b'])
    expect(faults({ MAINSTAY_S3_DOMAIN: wrong })).toEqual([expect.stringContaining('must be host names')])
  expect(s3({ MAINSTAY_S3_KMS_KEYS: 'payroll, archive' })).toMatchObject({ kmsKeys: ['payroll', 'archive'] })
  expect(faults({ MAINSTAY_S3_KMS_KEYS: 'alias/aws' })).toEqual([expect.stringContaining('up to 1000 names')])
  expect(s3({ ...tls, MAINSTAY_HOST: '10.0.0.5' })).toMatchObject({ host: '10.0.0.5', port: 9000 })
  expect(s3({ ...tls, MAINSTAY_S3_HOST: '10.0.0.6', MAINSTAY_S3_PORT: '443' })).toMatchObject({
    host: '10.0.0.6',
    port: 443,
  })
  expect(s3({ MAINSTAY_S3_PORT: 'none' })).toBeNull()
  // several servers can share a cloud but only one can serve S3, so it must be enabled explicitly
  expect(s3({ MAINSTAY_CLOUD: 'lab' })).toBeNull()
  expect(s3({ MAINSTAY_CLOUD: 'lab', MAINSTAY_S3_PORT: '9000' })).toMatchObject({ host: '127.0.0.1', port: 9000 })
  expect(s3({ MAINSTAY_CLOUD: 'lab', MAINSTAY_ENGINE: 'embedded,openstack' })).toMatchObject({
    host: '127.0.0.1',
    port: 9000,
  })
  expect(s3({ MAINSTAY_S3_SIGV2: 'off' })).toMatchObject({ signatureV2: false })
  expect(faults({ MAINSTAY_S3_SIGV2: 'no' })).toEqual([expect.stringContaining('must be on or off')])
  expect(faults({ MAINSTAY_S3_PORT: 'some' })).toEqual([expect.stringContaining('from 0 to 65535, or none')])
  expect(faults({ MAINSTAY_S3_PORT: '8888' })).toEqual(['MAINSTAY_S3_PORT must differ from MAINSTAY_ADMIN_PORT'])
  expect(faults({ MAINSTAY_S3_HOST: '10.0.0.6' })).toEqual([expect.stringContaining('would be sent unencrypted')])
  expect(printableConfig(readConfig({}, '/srv'))).toContain('"port": 9000')
})

it('prints the configuration without secrets', () => {
  const text = printableConfig(
    readConfig({ MAINSTAY_ADMIN_PASSWORD: 'Hunter-hunter-22', DATABASE_URL: 'postgres://me:pa:ss@db:5432/x' }, '/srv'),
  )
  expect(text).not.toMatch(/hunter-22|pa:ss/)
  expect(text).toContain('postgres://me:********@db:5432/x')
})

it('selects a cloud by name, or from the environment variables of the OpenStack client', () => {
  const named = readConfig({ MAINSTAY_CLOUD: 'lab', OS_PASSWORD: 'x', HOME: '/home/me', PATH: '/bin' }, '/srv').cloud
  expect(named).toEqual({
    name: 'lab',
    variables: { OS_PASSWORD: 'x' },
    notificationsUrl: null,
    webssoUrl: null,
    folder: '/srv',
    home: '/home/me',
  })
  const environment = {
    MAINSTAY_ENGINE: 'openstack',
    OS_AUTH_URL: 'http://cloud:5000',
    OPENSTACK_NOTIFICATIONS_URL: 'amqp://bus',
  }
  expect(readConfig(environment, '/srv').cloud).toMatchObject({
    name: null,
    variables: { OS_AUTH_URL: 'http://cloud:5000' },
    notificationsUrl: 'amqp://bus',
    webssoUrl: null,
  })
  expect(readConfig({ MAINSTAY_ENGINE: 'openstack', OS_CLOUD: 'lab' }, '/srv').cloud).toMatchObject({ name: 'lab' })
  expect(readConfig({ OS_AUTH_URL: 'http://cloud:5000' }, '/srv').cloud).toBeNull()
})

it('refuses a cloud together with the embedded engine unless both are listed', () => {
  expect(faults({ MAINSTAY_ENGINE: 'openstack' })).toEqual([expect.stringContaining('MAINSTAY_CLOUD, or OS_AUTH_URL')])
  expect(faults({ MAINSTAY_ENGINE: 'embedded', MAINSTAY_CLOUD: 'lab' })).toEqual([expect.stringContaining('excludes')])
  expect(faults({ MAINSTAY_CLOUD: 'lab', MAINSTAY_WORLD: 'demo', MAINSTAY_HYPERVISOR: 'simulated' })).toEqual([
    expect.stringContaining('MAINSTAY_HYPERVISOR'),
    expect.stringContaining('MAINSTAY_WORLD'),
  ])
})

it('uses the embedded engine and a cloud if both are listed, and assigns areas to them', () => {
  const both = { MAINSTAY_ENGINE: 'embedded,openstack', MAINSTAY_CLOUD: 'lab', MAINSTAY_HYPERVISOR: 'simulated' }
  const config = readConfig({ ...both, MAINSTAY_AREAS: 'storage=embedded, compute=openstack:lab' }, '/srv')
  expect(config).toMatchObject({
    ...{ embedded: true, cloud: { name: 'lab' }, hypervisor: 'simulated' },
    areas: { storage: 'embedded', compute: 'openstack:lab' },
  })
  expect(readConfig({ MAINSTAY_CLOUD: 'lab' }, '/srv').embedded).toBe(false)
  expect(readConfig({}, '/srv')).toMatchObject({ embedded: true, areas: {} })
  expect(faults({ MAINSTAY_ENGINE: 'embedded,openstack' })).toEqual([expect.stringContaining('MAINSTAY_CLOUD, or OS_')])
  for (const wrong of ['storage', 'storage=', 'storage=a=b', '=embedded'])
    expect(faults({ MAINSTAY_AREAS: wrong })).toEqual([
      'MAINSTAY_AREAS must assign engines to areas, for example compute=openstack,storage=embedded',
    ])
  const shown = JSON.parse(printableConfig(config, null, { storage: 'embedded', compute: null })) as typeof config
  expect(shown.areas).toEqual({ storage: 'embedded', compute: null })
})

it('prints the cloud settings that the engine reports, not the OS_ variables', () => {
  const config = readConfig({ MAINSTAY_CLOUD: 'lab', OS_PASSWORD: 'hunter22' }, '/srv')
  expect(printableConfig(config)).not.toContain('hunter22')
  expect(printableConfig(config, { name: 'lab' })).toContain('"name": "lab"')
})

it('accepts addresses and CIDR ranges of trusted proxies', () => {
  expect(readConfig({}, '/srv').proxies).toEqual([])
  expect(readConfig({ MAINSTAY_PROXIES: '10.0.0.5, fd00::/8' }, '/srv').proxies).toEqual(['10.0.0.5', 'fd00::/8'])
  for (const wrong of ['all', '10.0.0.0/33', '10.0.0.5,', '10.0.0/8', '10.0.0.0/8/8', 'true'])
    expect(faults({ MAINSTAY_PROXIES: wrong })).toEqual([expect.stringContaining('MAINSTAY_PROXIES must be addresses')])
})

it('attaches a Ceph cluster by its configuration file, with an optional keyring and user', () => {
  expect(readConfig({}, '/srv').ceph).toBeNull()
  expect(readConfig({ MAINSTAY_CEPH_CONF: 'ceph.conf' }, '/srv').ceph).toEqual({
    ...{ conf: '/srv/ceph.conf', keyring: null, user: 'client.admin' },
  })
  const named = {
    MAINSTAY_CEPH_CONF: '/etc/ceph/ceph.conf',
    MAINSTAY_CEPH_KEYRING: 'keys',
    MAINSTAY_CEPH_USER: 'client.m',
  }
  expect(readConfig(named, '/srv').ceph).toMatchObject({ keyring: '/srv/keys', user: 'client.m' })
  expect(faults({ MAINSTAY_CEPH_KEYRING: 'keys' })).toEqual(['MAINSTAY_CEPH_KEYRING requires MAINSTAY_CEPH_CONF'])
  expect(faults({ MAINSTAY_CEPH_CONF: 'ceph.conf', MAINSTAY_CEPH_USER: 'admin' })).toEqual([
    'MAINSTAY_CEPH_USER must be the name of a Ceph user, such as client.admin',
  ])
})

it('uses a Ceph Object Gateway instead of the local S3 service, and prints no secrets', () => {
  const keys = { MAINSTAY_RGW_ACCESS_KEY: 'AK', MAINSTAY_RGW_SECRET_KEY: 'secret-7' }
  const named = readConfig(
    { MAINSTAY_RGW_ENDPOINT: 'https://s3.example:8443/', MAINSTAY_RGW_CA: 'ca.pem', ...keys },
    '/srv',
  )
  const endpoint = 'https://s3.example:8443'
  expect(named.rgw).toMatchObject({ endpoint, adminEndpoint: endpoint, region: 'us-east-1', caFile: '/srv/ca.pem' })
  expect(named.s3).toBeNull()
  expect(printableConfig(named)).not.toContain('secret-7')
  expect(secretsOf(named)).toContain('secret-7')
  const loopback = { MAINSTAY_RGW_ENDPOINT: 'http://127.0.0.1:8480', ...keys }
  expect(readConfig({ ...loopback, MAINSTAY_S3_PORT: '9000' }).s3).toMatchObject({ port: 9000 })
  expect(faults({ MAINSTAY_RGW_ENDPOINT: endpoint, MAINSTAY_RGW_ACCESS_KEY: 'AK' })).toEqual([
    'MAINSTAY_RGW_ENDPOINT requires MAINSTAY_RGW_ACCESS_KEY and MAINSTAY_RGW_SECRET_KEY',
  ])
  expect(faults({ MAINSTAY_RGW_REGION: 'eu' })).toEqual(['MAINSTAY_RGW_REGION requires MAINSTAY_RGW_ENDPOINT'])
  expect(faults({ ...loopback, MAINSTAY_RGW_ADMIN_ENDPOINT: 'http://10.0.0.5:80' })).toEqual([
    expect.stringContaining(
      'MAINSTAY_RGW_ADMIN_ENDPOINT is http://10.0.0.5:80: keys and data would be sent unencrypted',
    ),
  ])
  for (const wrong of ['s3.example', 'https://s3.example/admin', 'https://me:pw@s3.example'])
    expect(faults({ MAINSTAY_RGW_ENDPOINT: wrong, ...keys })).toEqual([
      'MAINSTAY_RGW_ENDPOINT must look like https://s3.example:8443',
    ])
})
