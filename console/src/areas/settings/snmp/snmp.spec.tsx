import { snmp } from '@mainstay/contract/settings/snmp'
import { fireEvent, screen } from '@testing-library/react'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { startTrapReceiver, type TrapReceiver } from '../../../../../server/src/testing/outside/trap-receiver'
import { closePage, enter as type, field, openPage, press, server, withPages } from '../../../testing/pages'
import { pageTimeout } from '../../../testing/page-timeout'

const long = { timeout: 180_000 }
let receiver: TrapReceiver
withPages()
beforeAll(async () => {
  receiver = await startTrapReceiver()
})
afterAll(() => receiver.close())
beforeEach(async () => {
  await server.sql.query('delete from setting')
  receiver.taken.length = 0
})

const community = 'of the receivers'
const open = (as: 'superuser' | 'viewer' | 'project-member' = 'superuser') => openPage('/settings/snmp', as)
const saved = () => server.call(snmp.view, { as: 'viewer' })
const save = (more: object = {}) =>
  server.call(snmp.save, {
    as: 'superuser',
    body: { enabled: true, traps: [{ ip: '127.0.0.1', port: receiver.port, community, enabled: true, ...more }] },
  })

it(
  'lets an operator add receivers, test and save them, and never shows a community again [UI-046, EN-069, CA-257, CA-258, CA-259, CO-077]',
  long,
  async () => {
    await open()
    await screen.findByText('No receivers yet. Add one to send traps.', {}, pageTimeout)
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Send alerts as SNMP traps' }, pageTimeout))
    await press('Add receiver')
    expect((await field('Port')).value).toBe('162')
    await type('IP address', '127.0.0.1')
    await type('Port', String(receiver.port))
    await type('Community', community)
    await press('Send test trap')
    await screen.findByText(/^Trap sent to 127\.0\.0\.1 \(\d+ bytes\)\. Check on the receiver/, {}, pageTimeout)
    expect(receiver.taken).toMatchObject([{ community }])
    expect((await saved()).traps).toEqual([])
    await press('Save')
    await screen.findByText('Saved. Leave empty to keep it.', {}, pageTimeout)
    expect((await field('Community')).value).toBe('')
    expect(await saved()).toEqual({
      enabled: true,
      traps: [{ ip: '127.0.0.1', port: receiver.port, enabled: true, has_community: true }],
    })
    fireEvent.click(await screen.findByRole('checkbox', { name: 'Send traps to this receiver' }, pageTimeout))
    await press('Save')
    await vi.waitFor(async () => expect((await saved()).traps).toMatchObject([{ enabled: false }]), pageTimeout)
    await press('Send test trap')
    await vi.waitFor(() => expect(receiver.taken).toMatchObject([{}, { community }]), pageTimeout)
  },
)

it('reports network errors, and shows server errors on the fields of the receiver', long, async () => {
  const gone = await startTrapReceiver()
  await gone.close()
  await save({ port: gone.port })
  await open()
  await press('Send test trap')
  await screen.findByText(/no program is listening on this port \(ECONNREFUSED\)/, {}, pageTimeout)
  await type('IP address', '10.7.1')
  await press('Send test trap')
  await screen.findByText('Enter an IP address', {}, pageTimeout)
  await type('IP address', '127.0.0.2')
  await press('Send test trap')
  expect((await screen.findAllByText(/^Enter the SNMP community again/, {}, pageTimeout)).length).toBeGreaterThan(0)
  expect((await field('Community')).getAttribute('aria-invalid')).toBe('true')
})

it('removes a receiver', long, async () => {
  await save()
  await open()
  await press('Remove receiver 1')
  await press('Save')
  await vi.waitFor(async () => expect((await saved()).traps).toEqual([]), pageTimeout)
})

it('shows the settings without a form to users with read-only access, and no settings to tenants', long, async () => {
  await save()
  await open('viewer')
  await screen.findByText(`127.0.0.1, ${receiver.port}, Enabled`, {}, pageTimeout)
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull()
  closePage()
  await open('project-member')
  await screen.findByText('No access', {}, pageTimeout)
})
