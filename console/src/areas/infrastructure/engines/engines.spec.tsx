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

it('an engine that keeps the record itself is never behind', async () => {
  page = await renderPage('/engines', { server, as: 'viewer' })
  await screen.findByRole('heading', { name: 'Compute' })
  expect(await factOf('Engine')).toBe('embedded')
  expect(await factOf('Delay of lists')).toBe('Nothing')
})

it('what an engine lacks on its host is said', async () => {
  const { data } = await server.call(engines.list, { as: 'viewer' })
  const all = server.tools.engineStates.all
  server.tools.engineStates.all = async () => [{ ...data[0]!, problems: ['Virtual machines reach no network'] }]
  try {
    page = await renderPage('/engines', { server, as: 'viewer' })
    await screen.findByRole('heading', { name: 'Compute' })
    expect(await factOf('On this host')).toBe('Limited Virtual machines reach no network')
  } finally {
    server.tools.engineStates.all = all
  }
})

it('of a cloud is shown who follows it, how far behind, and which of its parts do not answer', async () => {
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
          { id: 's-1', fault: '"metadata" is not as expected' },
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
    expect(await factOf('Delay of lists')).toBe('1 min 5 sec')
    expect(await factOf('Followed by')).toBe('node-1:8800')
    expect(await factOf('Not readable')).toBe(
      '3 rows of server could not be read: s-1 ("metadata" is not as expected), …',
    )
    const compute = (await screen.findByText('Followed by')).closest('section')!
    expect(await factOf('Compute service', compute)).toBe('Works')
    expect(await factOf('Image service', compute)).toMatch(
      /^Has not answered since .*2026.* The image service answered 503$/,
    )
  } finally {
    server.tools.engineStates.all = all
  }
})

it('of the platform is shown which part does not work, since when and why', async () => {
  const well = { reachable: true, message: null, since: '2026-11-21T10:00:00Z' }
  const { platformParts } = server.tools
  const all = platformParts.all
  platformParts.all = async () => [
    { ...well, name: 'database' },
    { ...well, name: 'files', reachable: false, message: '3 MiB of disk are left' },
  ]
  try {
    page = await renderPage('/engines', { server, as: 'viewer' })
    await screen.findByRole('heading', { name: 'Platform' })
    expect(await factOf('Database')).toBe('Works')
    // whichever runs this test
    expect(await factOf('Node.js')).toContain(process.versions.node)
    expect(await factOf('Files and disks')).toMatch(/^Has not answered since .*2026.* 3 MiB of disk are left$/)
  } finally {
    platformParts.all = all
  }
})
