import { Snmp, snmp, type Trap } from '@mainstay/contract/settings/snmp'
import type { Alert } from '@mainstay/contract/monitoring/alerts'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startTrapReceiver, type TrapReceiver } from '../../testing/outside/trap-receiver'
import { startServer, type TestServer } from '../../testing/start-server'

let server: TestServer
let receiver: TrapReceiver
const as = 'superuser'
const community = 'known only here'
const ENTERPRISE = '1.3.6.1.4.1.32473.1'
beforeAll(async () => {
  ;[server, receiver] = await Promise.all([startServer(), startTrapReceiver()])
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})
beforeEach(async () => {
  await server.sql.query('delete from setting')
  await server.sql.query("delete from job where name = 'snmp.send'")
  receiver.taken.length = 0
})

const trap = (more: Partial<Omit<Trap, 'has_community'>> & { community?: string } = {}) => ({
  ...{ ip: '127.0.0.1', port: receiver.port, community, enabled: true },
  ...more,
})
const save = (traps: object[], enabled = true) =>
  server.call(snmp.save, { as, body: { enabled, traps: traps as never } })
const view = () => server.call(snmp.view, { as })
const test = ({ enabled: _, ...body }: Partial<ReturnType<typeof trap>>) =>
  server.call(snmp.test, { as, body: body as never })
const invalid = (field: string, message: RegExp = /./) => ({
  ...{ code: 'validation', fields: { [field]: [expect.stringMatching(message)] } },
})

describe('SNMP settings', () => {
  it('are disabled without receivers from the start [CA-257]', async () => {
    const shown = await view()
    expect(Snmp.parse(shown)).toEqual(shown)
    expect(shown).toEqual({ enabled: false, traps: [] })
  })

  it('are saved with the community, address, port and state of each receiver, and never show communities [EN-069, CA-257, CA-258]', async () => {
    const saved = await save([trap(), trap({ ip: '2001:db8::40', port: 1162, enabled: false })])
    expect(saved).toEqual({
      enabled: true,
      traps: [
        { ip: '127.0.0.1', port: receiver.port, enabled: true, has_community: true },
        { ip: '2001:db8::40', port: 1162, enabled: false, has_community: true },
      ],
    })
    expect(await view()).toEqual(saved)
    const kept =
      JSON.stringify(await server.sql.query("select value, encode(sealed, 'escape') as sealed from setting")) +
      JSON.stringify(await server.sql.query('select * from audit'))
    expect(kept).toContain('2001:db8::40')
    expect(kept).not.toContain(community)
  })

  it('use port 162 unless another one is given [CO-077]', async () => {
    const { port: _, ...usual } = trap()
    expect((await save([usual])).traps).toMatchObject([{ port: 162 }])
  })

  it('keep the community of a receiver only for the same address and port', async () => {
    await save([trap()])
    const { community: _, ...without } = trap()
    await save([trap({ port: 1162 }), { ...without, enabled: false }])
    await test(without)
    expect(receiver.taken).toMatchObject([{ community }])
    const other = { ...without, port: 1163 }
    await expect(save([without, other])).rejects.toMatchObject(invalid('traps.1.community', /again/))
    await expect(test(other)).rejects.toMatchObject(invalid('community', /again/))
    await save([])
    await expect(save([without])).rejects.toMatchObject(invalid('traps.0.community', /Enter the SNMP community/))
  })

  it('ask for communities again that were encrypted with another key', async () => {
    await save([trap()])
    await server.sql.query('update setting set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)')
    const { community: _, ...without } = trap()
    expect((await view()).traps).toMatchObject([{ has_community: false }])
    await expect(test(without)).rejects.toMatchObject(
      invalid('community', /this server cannot read the saved community/),
    )
  })

  it('are refused with an error on the invalid field', async () => {
    const refused = (more: object, field: string) =>
      expect(save([{ ...trap(), ...more }])).rejects.toMatchObject(invalid(`traps.0.${field}`))
    for (const ip of ['snmp.example', '10.7.1', '300.1.1.1', '']) await refused({ ip }, 'ip')
    for (const port of [0, 65_536, 1.5]) await refused({ port }, 'port')
    for (const text of ['', 'x'.repeat(65), 'a\nb']) await refused({ community: text }, 'community')
    expect((await save([trap({ community: 'x'.repeat(64) })])).traps).toHaveLength(1)
    await expect(save([trap(), trap()])).rejects.toMatchObject(invalid('traps.1.ip', /same address/))
    const many = (count: number) => Array.from({ length: count }, (_, at) => trap({ port: 2000 + at }))
    await expect(save(many(11))).rejects.toMatchObject(invalid('traps', /at most 10/))
    expect((await save(many(10))).traps).toHaveLength(10)
  })

  it('can be viewed by operators, changed by administrators and are hidden from tenants', async () => {
    expect(await server.call(snmp.view, { as: 'viewer' })).toEqual(await view())
    const forbidden = { code: 'forbidden' }
    for (const who of ['viewer', 'compute-operator', 'domain-admin', 'project-member'] as const) {
      const body = { enabled: false, traps: [] }
      await expect(server.call(snmp.save, { as: who, body })).rejects.toMatchObject(forbidden)
      await expect(server.call(snmp.test, { as: who, body: trap() })).rejects.toMatchObject(forbidden)
    }
    for (const who of ['domain-admin', 'project-member'] as const)
      await expect(server.call(snmp.view, { as: who })).rejects.toMatchObject(forbidden)
  })
})

describe('a test trap', () => {
  it('is sent to the given receiver, whether or not it is saved [CA-259]', async () => {
    const { bytes } = await test(trap())
    const text = { [`${ENTERPRISE}.1.4.0`]: 'Test trap', '1.3.6.1.6.3.1.1.4.1.0': `${ENTERPRISE}.0.3` }
    expect(receiver.taken).toMatchObject([{ bytes, community, values: text }])
    expect(await view()).toEqual({ enabled: false, traps: [] })
  })

  it('reports that no program listens on the port, and that there is no route', async () => {
    const gone = await startTrapReceiver()
    await gone.close()
    const failed = async (more: object) => test(trap(more)).catch((problem: unknown) => problem)
    expect(await failed({ port: gone.port })).toMatchObject({
      ...{ code: 'trap_not_sent', data: { code: 'ECONNREFUSED' } },
      message: 'The receiver is reachable, but reports that no program is listening on this port (ECONNREFUSED)',
    })
    expect(await failed({ ip: '255.255.255.255' })).toMatchObject({
      ...{ code: 'trap_not_sent', message: 'This host could not send the trap (EACCES)' },
    })
  })
})

const alert = (more: Partial<Alert> = {}): Alert => ({
  ...{ id: '17', type: 'vm_error', group: 'compute', severity: 'error', threshold: null, unit: null, value: null },
  ...{ message: 'Broken', advice: 'Repair it', details: 'The disk is full', project_id: null, domain_id: null },
  ...{ state: 'raised', enabled: true, suspended: false, suspended_until: null, closed_at: null },
  ...{ object_kind: 'instance', object_id: 'a1', object_name: 'wéb', object_part: null },
  ...{ datetime: '2026-01-01T00:00:00.000Z', created_at: '', updated_at: '' },
  ...more,
})
const tell = (raised: Alert[], closed: Alert[] = []) =>
  server.tools.inventory.transaction((records, _, sql) =>
    server.tools.traps.tell({ records, sql }, { raised, closed }, ({ object_name }) => `${object_name} is broken`),
  )
const taken = (count: number) => vi.waitFor(() => expect(receiver.taken).toHaveLength(count), { timeout: 10_000 })
const jobs = () =>
  server.sql.query<{ state: { tried: number } | null; waits: boolean }>(
    "select state, owner is null and not_before > now() as waits from job where name = 'snmp.send'",
  )

describe('alerts as traps', () => {
  it('are sent as SNMPv2c traps to all enabled receivers, when they are raised and when they are closed', async () => {
    const six = await startTrapReceiver('::1')
    await save([trap(), trap({ ip: '::1', port: six.port }), trap({ port: 9, enabled: false })])
    await tell([alert()])
    await taken(1)
    await vi.waitFor(() => expect(six.taken).toHaveLength(1))
    const [raised] = receiver.taken
    expect(raised).toEqual({
      ...{ version: 1, community, pdu: 0xa7, requestId: expect.any(Number), errorStatus: 0, errorIndex: 0 },
      values: {
        '1.3.6.1.2.1.1.3.0': expect.stringMatching(/^\d+$/),
        '1.3.6.1.6.3.1.1.4.1.0': `${ENTERPRISE}.0.1`,
        [`${ENTERPRISE}.1.1.0`]: '17',
        [`${ENTERPRISE}.1.2.0`]: 'vm_error',
        [`${ENTERPRISE}.1.3.0`]: 'error',
        [`${ENTERPRISE}.1.4.0`]: 'wéb is broken',
        [`${ENTERPRISE}.1.5.0`]: 'instance',
        [`${ENTERPRISE}.1.6.0`]: 'a1',
        [`${ENTERPRISE}.1.7.0`]: 'wéb',
        [`${ENTERPRISE}.1.8.0`]: 'The disk is full',
        [`${ENTERPRISE}.1.9.0`]: '2026-01-01T00:00:00.000Z',
      },
      bytes: expect.any(Number),
    })
    await tell([], [alert({ state: 'closed', closed_at: '2026-01-02T00:00:00.000Z' })])
    await taken(2)
    expect(receiver.taken[1]!.values).toMatchObject({
      '1.3.6.1.6.3.1.1.4.1.0': `${ENTERPRISE}.0.2`,
      [`${ENTERPRISE}.1.9.0`]: '2026-01-02T00:00:00.000Z',
    })
    await vi.waitFor(async () => expect(await jobs()).toEqual([]))
    await six.close()
  })

  it('fit into one datagram that no network has to fragment', async () => {
    await save([trap({ community: 'x'.repeat(64) })])
    const long = 'ü'.repeat(1000)
    const whole = {
      ...{ id: long, object_kind: long, object_id: long, object_name: long, details: long },
      datetime: long,
    }
    await tell([alert({ ...whole, type: long as never, severity: long as never })])
    await taken(1)
    const [{ bytes, values }] = receiver.taken as [TrapReceiver['taken'][number]]
    // the minimum packet size of IPv6, without the packet's headers
    expect(bytes).toBeLessThanOrEqual(1280 - 48)
    expect(values[`${ENTERPRISE}.1.7.0`]).toBe('ü'.repeat(100))
  })

  it('are not sent while traps are disabled, nor to a receiver that was removed since they were queued', async () => {
    await save([trap()], false)
    await tell([alert()])
    expect(await jobs()).toEqual([])
    const queued = { ip: '127.0.0.1', port: receiver.port, notices: [] }
    expect(await server.tools.traps.attempt(queued, 0)).toEqual({ sent: false })
    await save([trap({ enabled: false })])
    expect(await server.tools.traps.attempt(queued, 0)).toEqual({ sent: false })
  })

  it('are kept while the receiver refuses them, sent later, and dropped after two hours', async () => {
    const gone = await startTrapReceiver()
    await gone.close()
    await save([trap({ port: gone.port })])
    await tell([alert()])
    await vi.waitFor(async () => expect(await jobs()).toMatchObject([{ state: { tried: 1 }, waits: true }]), 10_000)
    const { attempt } = server.tools.traps
    expect(await attempt({ ip: '127.0.0.1', port: gone.port, notices: [] }, 0)).toEqual({ sent: true })
    const queued = (await server.sql.query<{ args: never }>("select args from job where name = 'snmp.send'"))[0]!.args
    expect(await attempt(queued, 13)).toMatchObject({ again: 600_000 })
    expect(await attempt(queued, 14)).toEqual({ sent: false })
  })

  it('are limited to 100 for each evaluation of a rule', async () => {
    await save([trap()])
    await tell(Array.from({ length: 150 }, (_, at) => alert({ id: String(at) })))
    await taken(100)
  })

  it('begin with new and severe alerts, because their number is limited', async () => {
    await save([trap()])
    const closed = Array.from({ length: 100 }, (_, at) => alert({ id: `c${at}`, state: 'closed' }))
    await tell([alert({ id: 'slight', severity: 'info' }), alert({ id: 'severe', severity: 'critical' })], closed)
    await taken(100)
    const ids = receiver.taken.slice(0, 2).map(({ values }) => values[`${ENTERPRISE}.1.1.0`])
    expect(ids).toEqual(['severe', 'slight'])
  })
})

it('describes all traps in a MIB file', async () => {
  const reply = await server.fetch(snmp.mib, { as: 'viewer' })
  const text = await reply.text()
  expect(text).toMatch(/^MAINSTAY-MIB DEFINITIONS ::= BEGIN/)
  for (const name of ['alertRaised', 'alertClosed', 'alertTest', 'alertText', 'alertTime'])
    expect(text).toContain(`${name} `)
})
