import { screen, within } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import { openPage } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { as, office, view, withOffice } from '../../testing/vpn-office'

/* Tests that the topology includes VPN tunnels: each peer with its state and a link to its connection. */

const long = { timeout: 120_000 }
withOffice()
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

it(
  "shows a tunnel's peer in the topology, with a link to its connection and the reason if the tunnel is down",
  long,
  async () => {
    await openPage('/compute/networks/topology', as)
    const table = await screen.findByRole('table', { name: 'Connections' }, pageTimeout)
    const link = await within(table).findByRole('link', { name: 'office' }, pageTimeout)
    expect(link.getAttribute('href')).toContain(office.id)
    const row = link.closest('tr')!
    expect(row.textContent).toContain('198.51.100.7')
    const { status, reason } = await view(office.id)
    if (status !== 'ACTIVE') expect(row.textContent).toContain(reason ?? 'The tunnel is')
  },
)
