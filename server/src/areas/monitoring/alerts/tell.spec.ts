import { alertRules } from '@mainstay/contract/monitoring/alert-rules'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import type { TrapSender } from '../../../snmp/trap-sender'
import { startServer, type TestServer } from '../../../testing/start-server'
import { evaluateAlerts } from './evaluate'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  // from now on, only the test evaluates rules
  await server.tools.scheduler.close()
  await vi.waitFor(async () =>
    expect(await server.sql.query("select from job where name = 'alerts.evaluate'")).toEqual([]),
  )
  const { data } = await server.call(alertRules.list, { as: 'superuser' })
  const { id } = data.find(({ type }) => type === 'part_down')!
  await server.call(alertRules.save, { as: 'superuser', body: { id, duration_seconds: 0 } })
})
afterAll(() => server.close())

it('reports each alert as a trap when it is raised and when it is closed', async () => {
  const tell = vi.fn<TrapSender['tell']>(async () => undefined)
  const given = { ...server.tools, traps: { ...server.tools.traps, tell } }
  const part = { name: 'trapped', reachable: false, since: new Date().toISOString(), message: 'It is gone' }
  await evaluateAlerts({ ...given, platformParts: { all: async () => [part] } })
  await evaluateAlerts(given)
  const told = tell.mock.calls.flatMap(([, { raised, closed }, title]) =>
    [...raised, ...closed].map((alert) => ({ ...alert, title: title(alert) })),
  )
  expect(told.filter(({ object_id }) => object_id === 'trapped')).toMatchObject([
    { state: 'raised', closed_at: null, title: expect.stringContaining('trapped') },
    { state: 'closed', closed_at: expect.any(String), title: expect.stringContaining('trapped') },
  ])
})

it('queues reports in the transaction that raises the alert, so that none is lost if the server is killed', async () => {
  const states: unknown[] = []
  const tell: TrapSender['tell'] = async ({ records }, { raised }) => {
    for (const { id } of raised) {
      const outside = await server.tools.inventory.transaction((others) => others.get('alert', id))
      states.push([(await records.get('alert', id))?.['state'], outside])
    }
  }
  const part = { name: 'atomic', reachable: false, since: new Date().toISOString(), message: 'It is gone' }
  const traps = { ...server.tools.traps, tell }
  await evaluateAlerts({ ...server.tools, traps, platformParts: { all: async () => [part] } })
  expect(states).toEqual([['raised', null]])
})
