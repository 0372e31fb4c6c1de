import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { screen, within } from '@testing-library/react'
import { engines, type EngineState } from '@mainstay/contract/infrastructure/engines'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer({ environment: { MAINSTAY_S3_PORT: 'none' } })
})
afterAll(() => server.close())
afterEach(() => page?.close())

const factOf = async (label: string, part?: HTMLElement) =>
  (await (part ? within(part) : screen).findByText(label)).closest('div')!.querySelector('dd')!.textContent

it('shows no list delay for an engine that is its own system of record', async () => {
  page = await renderPage('/engines', { server, as: 'viewer' })
  await screen.findByRole('heading', { name: 'Compute' })
  expect(await factOf('Engine')).toBe('embedded')
  expect(await factOf('List delay')).toBe('None')
})

it('shows an engine’s problems on this host', async () => {
  const { data } = await server.call(engines.list, { as: 'viewer' })
  const all = server.tools.engineStates.all
  server.tools.engineStates.all = async () => [{ ...data[0]!, problems: ['Virtual machines reach no network'] }]
  try {
    page = await renderPage('/engines', { server, as: 'viewer' })
    await screen.findByRole('heading', { name: 'Compute' })
    expect(await factOf('Host limitation')).toBe('Limited Virtual machines reach no network')
  } finally {
    server.tools.engineStates.all = all
  }
})

it('shows which node syncs a cloud, its list delay and its unavailable parts', async () => {
  const part = { reachable: true, message: null, since: '2026-11-21T10:00:00Z' }
  const state: EngineState = {
    name: 'compute',
    engine: 'a cloud',
    view: 'feed',
    holder: 'node-1:8800',
    by: 'notifications',
    parts: [
      { ...part, name: 'compute' },
      { ...part, name: 'images', reachable: false, message: 'The image service answered 503' },
    ],
    problems: [],
    unreadable: [
      {
        kind: 'server',
        count: 3,
        rows: [
          { id: 's-1', fault: '"metadata" has an unexpected value' },
          { id: null, fault: 'x' },
        ],
      },
    ],
    lag_ms: 65_000,
    read_at: '2026-11-21T10:00:00Z',
  }
  const all = server.tools.engineStates.all
  server.tools.engineStates.all = async () => [state]
  try {
    page = await renderPage('/engines', { server, as: 'superuser' })
    await screen.findByRole('heading', { name: 'Compute' })
    expect(await factOf('List delay')).toBe('1 min 5 sec')
    expect(await factOf('Synced by')).toBe('node-1:8800')
    expect(await factOf('Unreadable rows')).toBe(
      '3 server rows could not be read: s-1 ("metadata" has an unexpected value), …',
    )
    const compute = (await screen.findByText('Synced by')).closest('section')!
    expect(await factOf('Compute service', compute)).toBe('Available')
    expect(await factOf('Image service', compute)).toMatch(
      /^Unavailable since .*2026.* The image service answered 503$/,
    )
  } finally {
    server.tools.engineStates.all = all
  }
})

it('shows which platform part is unavailable, since when and why', async () => {
  const well = { reachable: true, message: null, since: '2026-11-21T10:00:00Z' }
  const { platformParts } = server.tools
  const all = platformParts.all
  platformParts.all = async () => [
    { ...well, name: 'database' },
    { ...well, name: 'files', reachable: false, message: '3 MiB of disk space are free' },
  ]
  try {
    page = await renderPage('/engines', { server, as: 'viewer' })
    await screen.findByRole('heading', { name: 'Platform' })
    expect(await factOf('Database')).toBe('Available')
    // the Node.js version that runs this test
    expect(await factOf('Node.js')).toContain(process.versions.node)
    expect(await factOf('Files and disks')).toMatch(/^Unavailable since .*2026.* 3 MiB of disk space are free$/)
  } finally {
    platformParts.all = all
  }
})
