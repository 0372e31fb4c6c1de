import { screen, within } from '@testing-library/react'
import { Network, networks } from '@mainstay/contract/networking/networks'
import { Router, routers } from '@mainstay/contract/networking/routers'
import { beforeAll, expect, it } from 'vitest'
import { networkRow, routerRow } from '../../../../server/src/testing/networking-rows'
import { openPage, server, unhurried, withPages } from '../../testing/pages'

withPages()
// on a loaded machine reading them takes longer than a page should
beforeAll(() => import('./views'))

const as = 'project-member'
const words = {
  ACTIVE: 'Active',
  DOWN: 'Down',
  BUILD: 'Being built',
  ERROR: 'Error',
  PENDING_CREATE: 'Being created',
  PENDING_UPDATE: 'Being changed',
  PENDING_DELETE: 'Being deleted',
} as const
type Status = keyof typeof words
const statuses = Object.keys(words) as Status[]

beforeAll(async () => {
  const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
  const owner = { project_id, domain_id }
  await server.tools.inventory.from('embedded').transaction(async (records) => {
    for (const status of statuses) {
      await records.put('network', networkRow(owner, `network ${status}`, [], { status }))
      await records.put('router', routerRow(owner, `router ${status}`, [], null, { status }))
    }
  })
})

async function shownAndFound(
  kind: 'network' | 'router',
  list: typeof networks.list | typeof routers.list,
  path: string,
) {
  await openPage(path, as)
  for (const status of statuses) {
    const row = await screen.findByRole('row', { name: `${kind} ${status}` }, unhurried)
    expect(within(row).getByText(words[status])).toBeTruthy()
    const { data } = await server.call(list, { as, query: { status } })
    expect(data.map(({ name }) => name).filter((name) => name.startsWith(kind))).toEqual([`${kind} ${status}`])
  }
}

it('a network is in one of seven statuses, shown in the list and found by it [ST-077]', async () => {
  await shownAndFound('network', networks.list, '/compute/networks')
  expect(Network.shape.status.safeParse('PENDING').success).toBe(false)
})

it('a router is in one of seven statuses, shown in the list and found by it [ST-076]', async () => {
  await shownAndFound('router', routers.list, '/compute/routers')
  expect(Router.shape.status.safeParse('PENDING').success).toBe(false)
})
