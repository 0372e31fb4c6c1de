import { fireEvent, screen, within } from '@testing-library/react'
import { GiB, MiB } from '@mainstay/contract/core/bytes'
import { nodeKind, type Node } from '@mainstay/contract/infrastructure/nodes'
import { thisNodeId } from '@mainstay/engines/ports/named-id'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { lineOf, testMetricsStore } from '../../../../../server/src/testing/metrics-store'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { queryClient } from '../../../api/query-client'
import { withLayout } from '../../../testing/browser'
import { withCanvas } from '../../../testing/canvas'
import { far } from '../../../testing/far-node'
import { pageTimeout } from '../../../testing/page-timeout'
import { renderPage } from '../../../testing/render-page'

const long = { timeout: 180_000 }
const slow = { ...long, tags: 'all' }
const advice = 'Install the package victoria-metrics'
let server: TestServer
let isMissing = false
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
withCanvas()
beforeAll(async () => {
  const kept = await testMetricsStore()
  server = await startServer({
    metricsStore: {
      get advice() {
        return isMissing ? advice : null
      },
      ask: (...given) => kept.ask(...given),
      // discard real measurements so that only the test's own samples are stored
      push: async () => undefined,
      close: async () => undefined,
    },
  })
  await server.tools.nodeWatch.close()
  const sample = (name: string, value: number, at: number) =>
    lineOf({ name: `mainstay_node_${name}`, labels: { node: far.host }, value }, at)
  const now = Date.now()
  // the hour before now, measured every 30 s; counters grow by 30, 60, 90 and 120 MiB
  await kept.push(
    Array.from({ length: 120 }, (_, step) => step).flatMap((step) => {
      const at = now - (120 - step) * 30_000
      const counter = (name: string, each: number) => sample(`${name}_bytes_total`, step * each * MiB, at)
      return [
        ...[sample('cpu_usage_ratio', 0.35, at), sample('mem_used_bytes', 16 * GiB, at)],
        ...[counter('disk_read', 30), counter('disk_write', 60), counter('net_rx', 90), counter('net_tx', 120)],
      ]
    }),
  )
  await kept.flush!()
})
afterAll(() => server.close())
beforeEach(() => queryClient.clear())
afterEach(() => {
  page?.close()
  page = undefined
})

async function open(change: Partial<Node> = {}, id = far.id) {
  await server.tools.inventory.transaction((records) => records.put(nodeKind.name, { ...far, ...change }))
  page = await renderPage(`/nodes/${id}`, { server, as: 'superuser' })
  await screen.findByRole('heading', { level: 1 }, pageTimeout)
}
const chart = async (name: RegExp) => within(await screen.findByRole('figure', { name }, pageTimeout))

it(
  'charts CPU, memory, disk and network traffic of a far node over the chosen period, also as tables',
  slow,
  async () => {
    isMissing = false
    await open()
    fireEvent.click(await screen.findByRole('radio', { name: '1 h' }, pageTimeout))
    const shown = async (title: RegExp, ...values: string[]) => {
      const figure = await chart(title)
      for (const value of values) await figure.findByText(value, {}, pageTimeout)
      return figure
    }
    await shown(/^CPU, 64 threads$/, '35%')
    await shown(/^Memory of 64.GiB$/, '16 GiB')
    const disks = await shown(/^Disks$/, 'Read', '1 MiB/s', 'Written', '2 MiB/s')
    await shown(/^Network$/, 'In', '3 MiB/s', 'Out', '4 MiB/s')
    fireEvent.click(disks.getByRole('button', { name: 'Table' }))
    const table = within(await disks.findByRole('region', { name: 'Disks' }, pageTimeout))
    expect(table.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
      'Time',
      'Read',
      'Written',
    ])
    expect(table.getAllByText('2 MiB/s').length).toBeGreaterThan(10)
  },
)

it('shows how to enable metrics if there is no metrics store', long, async () => {
  isMissing = true
  await open()
  await screen.findByText(advice, { selector: '[role=note]' }, pageTimeout)
  expect(screen.queryByRole('figure')).toBeNull()
})

const capabilities = async () =>
  within(await screen.findByRole('region', { name: 'Capabilities of this host' }, pageTimeout))

it('lists what a host can and cannot do, with the reasons and the commands that change it', long, async () => {
  await open({ link: { ...far.link, rights: 'none' }, missing_programs: ['lldpctl'] })
  const panel = await capabilities()
  const [first] = await panel.findAllByRole('list', {}, pageTimeout)
  const items = within(first!).getAllByRole('listitem')
  expect(
    items.map(({ textContent }) => /^(Not available|Limited): (.*?\))/.exec(textContent ?? '')?.[0] ?? ''),
  ).toContain('Not available: Connected switches (LLDP)')
  const privileges = within(items[0]!)
  privileges.getByText(/Root privileges/)
  privileges.getByText(/has no root privileges on it/)
  const command = privileges.getByRole('region', { name: 'Command to run on the host: Root privileges' })
  expect(command.textContent).toBe('echo "root ALL=(ALL) NOPASSWD: ALL" | sudo tee /etc/sudoers.d/mainstay')
  privileges.getByRole('button', { name: /Command to run on the host: Root privileges/ })
  panel.getByText('sudo apt-get install lldpd')
  panel.getByText('Data about hardware and system')
  panel.getByText('The health of disks can be read only with root privileges.')
})

it('lists the features of the management services on their own host', slow, async () => {
  isMissing = true
  await open({}, thisNodeId)
  const panel = await capabilities()
  await panel.findByText(/MAINSTAY_HYPERVISOR is set to simulated/, {}, pageTimeout)
  panel.getByText(new RegExp(advice))
  panel.getByText('Storage for volumes')
})
