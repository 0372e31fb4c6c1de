import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { screen, within } from '@testing-library/react'
import { instances } from '@mainstay/contract/compute/instances'
import { computeNodes } from '@mainstay/contract/compute/nodes'
import { placements } from '@mainstay/contract/compute/placements'
import { GiB } from '@mainstay/contract/core/bytes'
import { startServer, type TestServer } from '../../../../../server/src/testing/start-server'
import { withLayout } from '../../../testing/browser'
import { renderPage } from '../../../testing/render-page'
import { pageTimeout } from '../../../testing/page-timeout'

let server: TestServer
let page: Awaited<ReturnType<typeof renderPage>> | undefined
withLayout()
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())
afterEach(() => page?.close())

const operator = 'compute-operator'
const make = async (name: string, isolated: boolean) => {
  const { id } = await server.call(placements.create, { as: operator, body: { name, isolated } })
  const [node] = (await server.call(computeNodes.list, { as: operator })).data
  const ids = [node!.id]
  await server.call(placements.assign, { as: operator, params: { id, carrier: 'nodes' }, body: { ids } })
  return id
}

it('shows a member the names of visible placements and the number set by operators', pageTimeout, async () => {
  const as = 'project-member'
  const open = await make('near the disks', false)
  const { id } = await server.call(instances.create, {
    as,
    body: {
      ...{ name: 'placed', flavor: 's1.nano', networks: [], traits: [open] },
      volumes: [{ source: 'blank', size: GiB, boot_index: 0 }],
    },
  })
  const isolated = await make('for few', true)
  await expect
    .poll(async () => (await server.call(instances.view, { as, params: { id } })).task_state, { timeout: 60_000 })
    .toBeNull()
  await server.call(instances.update, { as: operator, params: { id }, body: { traits: [open, isolated] } })

  page = await renderPage(`/compute/instances/${id}`, { server, as })
  expect(await screen.findByText('near the disks and 1 set by an administrator', {}, { timeout: 60_000 })).toBeTruthy()
  expect(screen.queryByText('for few')).toBeNull()
})

it("shows an operator a placement's carriers and its virtual machines", pageTimeout, async () => {
  const { data } = await server.call(placements.list, { as: operator, query: { search: 'near' } as never })
  page = await renderPage(`/compute/placements/${data[0]!.id}`, { server, as: operator })
  const details = within(await screen.findByRole('dialog', { name: 'near the disks' }, { timeout: 60_000 }))
  expect(await details.findByRole('link', { name: 'placed' }, { timeout: 60_000 })).toBeTruthy()
  expect(details.getByText('All virtual machines')).toBeTruthy()
  expect(details.getByRole('link', { name: 'Nodes for “near the disks”' })).toBeTruthy()
})

it('denies members access to the placements page', pageTimeout, async () => {
  page = await renderPage('/compute/placements', { server, as: 'project-member' })
  expect(await screen.findByRole('heading', { name: 'No access' }, { timeout: 60_000 })).toBeTruthy()
})
