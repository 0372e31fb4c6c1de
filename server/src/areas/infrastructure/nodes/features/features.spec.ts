import { hostFeatures, type HostFeatureName } from '@mainstay/contract/infrastructure/host-features'
import type { HostFact } from '@mainstay/contract/networking/network-service'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingPackages, systemPackages } from '../../../../../../tools/system-packages.mjs'
import { fakeHosts, HOST_KEY, hostFacts, machineIdOf } from '../../../../testing/fake-hosts'
import { startServer, type TestServer } from '../../../../testing/start-server'
import { changeRecord } from '../node-record'
import { newNode, noLink } from '../node-rows'
import { featuresHere, packagesOf, type FoundHere } from './features-of'

const as = 'viewer'
describe('features of hosts', () => {
  const hosts = fakeHosts()
  let server: TestServer
  beforeAll(async () => {
    hosts.add('local', hostFacts('here', { rights: 'none', missing_programs: ['smartctl', 'lscpu'] }))
    hosts.add('far', hostFacts('far', { rights: 'sudo', missing_programs: ['lldpctl'] }))
    server = await startServer({ hosts })
    const link = { ...noLink, by: 'ssh' as const }
    await server.tools.inventory.transaction(async (tx) => {
      await tx.put('node', newNode({ id: 'far', host: 'far', link }))
      await tx.put('node', newNode({ id: 'new', host: 'new', link }))
      const compute = { id: 'cloud', host: 'cloud', host_ip: null, state: 'up', traits: [], hypervisor: {} }
      await tx.put('compute_node', compute)
      const ssh = { address: 'far', port: 22, user: 'ada', host_key: HOST_KEY }
      await changeRecord(tx, 'far', { machine_id: machineIdOf('far'), ssh })
      await changeRecord(tx, 'new', { ssh: { ...ssh, address: 'nowhere' } })
    })
    await server.tools.nodeWatch.round({ all: true })
  })
  afterAll(() => server.close())
  const list = (id: string) => server.call(hostFeatures.list, { as, params: { id } })

  it('are known with the reasons for gaps, and the command that closes each gap', async () => {
    const { features, reason } = await list('far')
    expect(reason).toBeNull()
    expect(features).toEqual([
      { name: 'privileges', state: 'available', detail: 'sudo', gaps: [] },
      { name: 'disk_health', state: 'available', detail: null, gaps: [] },
      {
        ...{ name: 'neighbors', state: 'missing', detail: null },
        gaps: [
          {
            reason: expect.objectContaining({ message: expect.stringContaining('lldpctl is not installed') }),
            command: 'sudo apt-get install lldpd',
          },
        ],
      },
      { name: 'host_facts', state: 'available', detail: null, gaps: [] },
    ])
    const here = (await list(thisNodeId)).features
    expect(here.slice(0, 4).map(({ name, state, gaps }) => [name, state, gaps.map(({ command }) => command)])).toEqual([
      [
        ...['privileges', 'missing'],
        [expect.stringMatching(/^echo "\S+ ALL=\(ALL\) NOPASSWD: ALL" \| sudo tee \/etc\/sudoers\.d\/mainstay$/)],
      ],
      ['disk_health', 'missing', [null, 'sudo apt-get install smartmontools']],
      ['neighbors', 'available', []],
      ['host_facts', 'limited', [null]],
    ])
  })

  it('include those of the management services on their own host only, and say that machines are simulated', async () => {
    const { features } = await list(thisNodeId)
    expect(features.find(({ name }) => name === 'virtual_machines')).toMatchObject({
      state: 'missing',
      gaps: [{ reason: { message: expect.stringContaining('MAINSTAY_HYPERVISOR') }, command: null }],
    })
    const names = features.slice(4).map(({ name }) => name)
    expect(names).toEqual(['virtual_machines', 'metrics', 'other_hosts', 'storage'])
  })

  it('are not known if the host was never read, or is reached only through an engine', async () => {
    expect(await list('new')).toMatchObject({ features: [], reason: { key: 'infrastructure.host_features_unread' } })
    const ofCloud = { features: [], reason: { key: 'infrastructure.host_features_of_engine' } }
    expect(await list('cloud')).toMatchObject(ofCloud)
  })

  it('are shown to operators only', async () => {
    for (const who of ['project-member', 'domain-admin'] as const)
      expect((await server.fetch(hostFeatures.list, { as: who, params: { id: 'far' } })).status).toBe(403)
    await expect(list('nothing')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('features of the host of the management services', () => {
  const whole: FoundHere = {
    hypervisor: { name: 'QEMU 7.2', accelerator: 'kvm', isSimulated: false },
    ...{ kvm: 'usable', folder: '/srv/data', networking: [], metricsAdvice: null, missingPackages: [] },
  }
  const packages = (...names: string[]) => systemPackages.filter(({ name }) => names.includes(name))
  const gapsOf = (change: Partial<FoundHere>, name: HostFeatureName) => {
    const feature = featuresHere({ ...whole, ...change }, 'ada').find((one) => one.name === name)!
    return [feature.state, ...feature.gaps.map(({ reason, command }) => `${reason.message} ${command ?? ''}`)]
  }

  it('are all available if nothing is missing', () => {
    const features = featuresHere(whole, 'ada')
    expect(features.every(({ state, gaps }) => state === 'available' && gaps.length === 0)).toBe(true)
    expect(features).toHaveLength(11)
    expect(features.find(({ name }) => name === 'storage')?.detail).toBe('/srv/data')
  })

  it.for([
    ['denied', ['limited', expect.stringMatching(/user ada cannot open \/dev\/kvm.* sudo usermod -aG kvm ada$/)]],
    ['missing', ['limited', expect.stringMatching(/^There is no \/dev\/kvm.*Enable virtualization/)]],
    ['usable', ['limited', expect.stringContaining('could not run a test program')]],
  ] as const)('tell why virtual machines are emulated: KVM is %s', ([kvm, expected]) => {
    const hypervisor = { ...whole.hypervisor, accelerator: 'tcg' }
    expect(gapsOf({ hypervisor, kvm }, 'virtual_machines')).toEqual(expected)
  })

  it('name missing packages with the command that installs them', () => {
    expect(gapsOf({ missingPackages: packages('keepalived') }, 'balancer_pairs')).toEqual([
      'missing',
      expect.stringMatching(/^This package is not installed: keepalived\. .*sudo apt-get install .* keepalived$/),
    ])
    const missing = packages('mtools', 'cpio', 'ovmf')
    expect(gapsOf({ missingPackages: missing }, 'sample_image')[1]).toMatch(/^These packages.*: mtools, cpio\./)
    const metricsAdvice = 'Install the package victoria-metrics and restart the server'
    expect(gapsOf({ metricsAdvice, missingPackages: packages('victoria-metrics') }, 'metrics')).toEqual([
      'missing',
      expect.stringMatching(/no metrics.*Install the package.*sudo apt-get install .* victoria-metrics$/i),
    ])
    expect(gapsOf({ metricsAdvice: 'MAINSTAY_METRICS_URL is off' }, 'metrics')[1]).toMatch(/is off $/)
  })

  it('name the requirements of networks and VPN that the engine has found to be missing', () => {
    const fact = (name: string, needed_for: HostFact['needed_for'], command: string | null): HostFact => ({
      ...{ name, ok: false, detail: 'not permitted', command, ...(needed_for && { needed_for }) },
    })
    const networking = [
      fact('a network namespace', 'networks', 'sysctl -w user.max_user_namespaces=10000'),
      fact('settings', 'networks', null),
      fact('VPN (strongSwan)', 'vpn', 'apt-get install strongswan-charon'),
    ]
    expect(gapsOf({ networking }, 'networks')).toEqual([
      'missing',
      'Missing requirement: a network namespace (not permitted). sudo sysctl -w user.max_user_namespaces=10000',
      'Missing requirement: settings (not permitted). ',
    ])
    const needsNetworks = expect.stringContaining('requires networks') as string
    for (const name of ['balancer_pairs', 'reach_checks'] as const)
      expect(gapsOf({ networking }, name)).toEqual(['missing', needsNetworks])
    expect(gapsOf({ networking }, 'vpn').slice(0, 2)).toEqual(['missing', needsNetworks])
    expect(gapsOf({ networking }, 'vpn')[2]).toMatch(/sudo apt-get install strongswan-charon$/)
  })

  it('cover every package that the server can need', () => {
    // the engine itself checks the packages of its hypervisor, its networks and its VPN
    const checked = [
      ...['qemu-system-x86', 'slirp4netns', 'netbase', 'iproute2', 'nftables', 'conntrack', 'dnsmasq-base', 'haproxy'],
      ...['strongswan-charon', 'strongswan-swanctl', 'libstrongswan-standard-plugins', 'libcharon-extra-plugins'],
    ]
    const covered = new Set<string>([...checked, ...Object.values(packagesOf).flat(), 'victoria-metrics'])
    const needed = systemPackages.filter(({ needed: by }) => by !== 'test').map(({ name }) => name)
    expect(needed.filter((name) => !covered.has(name))).toEqual([])
    expect(missingPackages('run').every(({ name }) => needed.includes(name))).toBe(true)
  })
})
