import { GiB } from '@mainstay/contract/core/bytes'
import { nodes } from '@mainstay/contract/infrastructure/nodes'
import { alertKind, type Alert } from '@mainstay/contract/monitoring/alerts'
import { volumes } from '@mainstay/contract/storage/volumes'
import { fireEvent, screen, within } from '@testing-library/react'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { putFar, removeFar } from '../../../testing/far-node'
import { confirmDialog, expectAddress, openPage, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 180_000 }
const as = 'superuser'
const address = '/infrastructure/overview'
withPages()
// the node watch would overwrite the test's nodes with what the engine and the hosts report
beforeAll(() => server.tools.nodeWatch.close())
// preload the pages, because loading them on a busy host can take longer than a test waits
beforeAll(() => Promise.all([import('./InfrastructureOverview'), import('../../settings/encryption/EncryptionPart')]))
let store: typeof server.tools.figures.store
beforeAll(() => {
  store = server.tools.figures.store
})
afterEach(removeFar)
afterEach(() => {
  vi.restoreAllMocks()
  Object.assign(server.tools.figures, { store })
})

const region = async (name: string) => within(await screen.findByRole('region', { name }, pageTimeout))
const hrefOf = (link: HTMLElement) => link.getAttribute('href')
const factOf = async (label: string) => {
  const term = (await region('Tier 0')).getByText(label, { selector: 'dt' })
  return term.closest('div')!.querySelector('dd')!.textContent
}
/** The tiles by label: their text and the page that they link to. */
async function tiles() {
  const list = within(await screen.findByRole('list', { name: 'Key figures' }, pageTimeout))
  return list.getAllByRole('link').map((link) => `${link.textContent} ${hrefOf(link)}`)
}
/** Replaces the space of the tier, and the metrics from which its growth is computed. */
function withTier({ used, free, perDay }: { used: number; free: number; perDay: number }) {
  vi.spyOn(server.tools.ports.storage, 'tiers').mockResolvedValue([
    { ...{ tier: 0, folder: server.folder, used, free, copies: 1 }, failure_domain: 'disk' },
  ])
  const now = Math.floor(Date.now() / 1000)
  const values = [10, 5, 0].map((ago): [number, string] => [now - ago * 86_400, String(used - ago * perDay)])
  const result = { resultType: 'matrix' as const, result: [{ metric: {}, values }] }
  const ask = async () => ({ status: 'success' as const, data: result })
  Object.assign(server.tools.figures, { store: { ...store, advice: null, ask } })
}

it(
  'shows the tiers of the storage cluster, and opens the pages on which the cluster is managed [UI-003]',
  long,
  async () => {
    await openPage('/monitoring', as)
    // the overview of the cloud has this page as a tab
    const tabs = within(await screen.findByRole('navigation', { name: 'Monitoring' }, pageTimeout))
    fireEvent.click(tabs.getByRole('link', { name: 'Infrastructure' }))
    await expectAddress(address)
    const tier = await region('Tier 0')
    expect(tier.getByRole('meter', { name: 'Tier 0' }).getAttribute('aria-valuetext')).toMatch(/^8\sPiB of 24\sPiB$/)
    tier.getByText(/^The growth is not known, because no metrics are stored/)
    expect(await factOf('Copies')).toBe('1')
    expect(await factOf('Failure domain')).toBe('Disk')
    expect(await factOf('Folder')).toContain(server.folder)
    expect(await factOf('Encryption')).toBe('Not encrypted')

    const manage = within(screen.getByRole('navigation', { name: 'Manage storage cluster' }))
    expect(manage.getAllByRole('link').map((link) => `${link.textContent} ${hrefOf(link)}`)).toEqual([
      'Encryption /settings/encryption',
      'Locations /infrastructure/locations',
      'Recovery point storage /infrastructure/recovery-points',
      'Nodes /nodes',
    ])
    fireEvent.click(manage.getByRole('link', { name: 'Encryption' }))
    await expectAddress('/settings/encryption')
    fireEvent.click(await screen.findByRole('switch', { name: 'Encrypt tier 0' }, pageTimeout))
    await confirmDialog()
    await vi.waitFor(async () => {
      expect((await server.tools.ports.storage.encryption.read()).tier0).toBe(true)
    }, pageTimeout)
    await openPage(address, as)
    expect(await factOf('Encryption')).toBe('New data is encrypted')
  },
)

it('shows when a tier will be full, the growth until then, and that it is full', long, async () => {
  withTier({ used: 500 * GiB, free: 500 * GiB, perDay: 10 * GiB })
  await openPage(address, as)
  const meter = async () => (await region('Tier 0')).getByRole('meter', { name: 'Tier 0' })
  expect((await meter()).getAttribute('aria-valuetext')).toMatch(/^500\sGiB of 1,000\sGiB, 300\sGiB more in 30 days$/)
  ;(await region('Tier 0')).getByText(/^95% used on .* \(in \d+ (days|months?)\)$/)
  expect(await factOf('Growth')).toMatch(/^10\sGiB per day$/)
  expect((await tiles()).find((tile) => tile.startsWith('Storage'))).toMatch(
    /^Storage500\sGiB of 1,000\sGiBtier 0: 95% used on .* \/compute\/volumes$/,
  )
  withTier({ used: 960 * GiB, free: 40 * GiB, perDay: -GiB })
  await openPage(address, as)
  ;(await region('Tier 0')).getByText('More than 95% used')
  expect(await factOf('Growth')).toMatch(/^1\sGiB less per day$/)
})

it('shows key figures with links, what a failure would stop, the nodes, and the alerts about them', long, async () => {
  await putFar({ is_online: false })
  const now = new Date().toISOString()
  const alert: Alert = {
    ...{ id: 'down', type: 'node_down', group: 'node', severity: 'critical', state: 'raised' },
    ...{ enabled: true, suspended: false, suspended_until: null, object_part: null, object_name: 'node-2' },
    ...{ object_kind: 'node', object_id: 'node-2', value: null, threshold: null, unit: null },
    ...{ message: '', advice: '', details: null, project_id: null, domain_id: null },
    ...{ datetime: now, closed_at: null, created_at: now, updated_at: now },
  }
  const ofMachine: Alert = { ...alert, id: 'vm', type: 'vm_error', group: 'compute', object_kind: 'server' }
  await server.tools.inventory.transaction(async (records) => {
    for (const row of [alert, ofMachine]) await records.put(alertKind.name, row)
  })
  await server.call(volumes.create, { as: 'project-member', body: { name: 'data', size: GiB } })
  await openPage(address, as)

  const { parentElement } = await screen.findByText('Tier 0 keeps only one copy of the data.', {}, pageTimeout)
  expect(parentElement!.textContent).toMatch(/If its disk fails: 1 volume .* lost/)
  const advice = within(parentElement!).getByRole('link', { name: 'Store recovery points on another disk' })
  expect(hrefOf(advice)).toBe('/infrastructure/recovery-points')
  await screen.findByRole('table', { name: 'Impact of a single failure' }, pageTimeout)
  const table = within(await screen.findByRole('table', { name: 'Nodes' }, pageTimeout))
  const rows = table.getAllByRole('row').slice(1)
  // nodes that need attention are listed first
  expect(rows[0]!.textContent).toMatch(/^node-2.*Offline/)
  expect(rows).toHaveLength((await server.call(nodes.list, { as })).data.length)

  await vi.waitFor(async () => {
    expect(await tiles()).toEqual([
      'Nodes1 of 2healthy /nodes',
      'Disks11 of 121 failed /nodes',
      expect.stringMatching(/^Storage.* free \/compute\/volumes$/),
      'Management backupNot set up /infrastructure/backup',
    ])
  }, pageTimeout)
  const needs = await region('Needs attention')
  await needs.findByText('Critical', {}, pageTimeout)
  expect(needs.getAllByRole('listitem')).toHaveLength(1)
  expect(hrefOf(needs.getByRole('link', { name: 'All alerts' }))).toBe('/alerts')
})

it('shows the only host with its status', long, async () => {
  await openPage(address, as)
  const [here] = (await server.call(nodes.list, { as })).data
  await vi.waitFor(async () => expect((await tiles())[0]).toBe(`HostHealthy /nodes/${here!.id}`), pageTimeout)
})

it(
  'shows the error if the storage cluster cannot be read, keeps the other panels, and retries [ER-015]',
  long,
  async () => {
    const { areas } = server.tools
    const { storage, 'object-storage': objects } = areas
    const none = { engine: null, advice: 'none' }
    try {
      Object.assign(areas, { storage: none, 'object-storage': none })
      await openPage(address, as)
      const alert = within(await screen.findByRole('alert', {}, pageTimeout))
      alert.getByRole('heading', { name: 'Error while getting a storage cluster' })
      alert.getByText(/^No cluster available\. /)
      alert.getByText(/request ID/i)
      await screen.findByRole('table', { name: 'Nodes' }, pageTimeout)
      await screen.findByRole('table', { name: 'Impact of a single failure' }, pageTimeout)
      Object.assign(areas, { storage, 'object-storage': objects })
      fireEvent.click(alert.getByRole('button', { name: 'Retry' }))
      await region('Tier 0')
      expect(screen.queryByText('Error while getting a storage cluster')).toBeNull()
    } finally {
      Object.assign(areas, { storage, 'object-storage': objects })
    }
  },
)
