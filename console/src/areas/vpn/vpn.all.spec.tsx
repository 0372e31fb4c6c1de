import { fireEvent, screen, within } from '@testing-library/react'
import { beforeAll, expect, it } from 'vitest'
import { unknownTime } from '@mainstay/contract/core/names'
import { ipsecSiteConnections } from '@mainstay/contract/vpn/connections'
import { ikePolicies } from '@mainstay/contract/vpn/policies'
import { expectAddress, enter, openPage, press, server } from '../../testing/pages'
import { pageTimeout } from '../../testing/page-timeout'
import { as, chooseOf, key, named, office, settled, view, vpnList as list, withOffice } from '../../testing/vpn-office'

/* Tests VPN connections that use existing objects, and those made elsewhere. */

const long = { timeout: 120_000 }
withOffice()
beforeAll(() => Promise.all([import('./views'), import('./forms')]))

/** A wizard step. */
const step = async (name: string) => within(await screen.findByRole('dialog', { name }, pageTimeout))
const goOn = async (from: string, label: string) =>
  fireEvent.click((await step(from)).getByRole('button', { name: label }))

it('uses existing policies and groups without creating new ones', long, async () => {
  await openPage(`${list}/add/ike`, as)
  fireEvent.click(await screen.findByRole('radio', { name: /Existing/ }, pageTimeout))
  await chooseOf('Policy', /office-ike/)
  await goOn('IKE policy', 'Next: IPsec policy')
  fireEvent.click(await screen.findByRole('radio', { name: /Existing/ }, pageTimeout))
  await chooseOf('Policy', /office-ipsec/)
  await goOn('IPsec policy', 'Next: Endpoint groups')
  fireEvent.click(await screen.findByRole('checkbox', { name: /database/ }, pageTimeout))
  const theirs = within(await screen.findByRole('region', { name: 'Remote networks' }, pageTimeout))
  fireEvent.click(theirs.getByRole('radio', { name: /Existing/ }))
  await chooseOf('Peer endpoint group', /office-peer/)
  await goOn('Endpoint groups', 'Next: Connection')
  await enter('Name', 'second-office')
  await enter('Peer address', 'vpn.example.com')
  await enter('Pre-shared key', key)
  await goOn('Connection', 'Done')
  await press('Create VPN connection')
  await expectAddress(list)
  const [made] = await named('second-office')
  const { ikepolicy_id, ipsecpolicy_id, peer_ep_group_id } = office
  expect(made).toMatchObject({ ikepolicy_id, ipsecpolicy_id, peer_ep_group_id, peer_address: 'vpn.example.com' })
  const { data } = await server.call(ikePolicies.list, { as })
  expect(data.map(({ name }) => name)).not.toContain('second-office-ike')
  await settled(made!.id)
  await server.call(ipsecSiteConnections.delete, { as, params: { id: made!.id } })
})

it('hides times and peer configuration if the times and policies are unknown', long, async () => {
  const [ike, ipsec] = ['made elsewhere', 'with settings that have no form here']
  const strange = { ...(await view(office.id)), ...{ id: 'strange', name: 'strange', status_changed_at: null } }
  const times = { created_at: unknownTime, updated_at: unknownTime }
  await server.tools.inventory
    .from('embedded')
    .transaction((records) =>
      records.put('ipsec_site_connection', { ...strange, ...times, ikepolicy_id: ike, ipsecpolicy_id: ipsec }),
    )
  await openPage(`${list}/strange`, as)
  const settings = within(await screen.findByRole('region', { name: 'Peer configuration' }, pageTimeout))
  expect(await settings.findByText(/nothing to copy/, {}, pageTimeout)).toBeTruthy()
  expect(settings.queryByRole('button', { name: 'Try again' })).toBe(null)
  expect(screen.queryByText('Created')).toBe(null)
  expect(document.body.textContent).not.toMatch(/1970|years ago/)
})
