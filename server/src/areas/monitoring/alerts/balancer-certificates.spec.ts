import { alertRules } from '@mainstay/contract/monitoring/alert-rules'
import { alerts } from '@mainstay/contract/monitoring/alerts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { balancerRow, poolRow } from '../../../testing/load-balancing-rows'
import { networkRow } from '../../../testing/networking-rows'
import type { PersonaName } from '../../../testing/personas'
import { startServer, type TestServer } from '../../../testing/start-server'
import { evaluateAlerts } from './evaluate'

const operator = 'superuser'
const tenant = 'project-member'
const type = 'balancer_certificate_expires'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  // from now on, only the tests evaluate rules
  await server.tools.scheduler.close()
})
afterAll(() => server.close())

const about = async (query: object, as: PersonaName = operator) =>
  (await server.call(alerts.list, { as, query: { object_kind: 'load_balancer', object_id: 'shop', type, ...query } }))
    .data

it(
  'raises an alert for an expiring load balancer certificate and closes it after replacement',
  { tags: 'all' },
  async () => {
    const { id: project_id, domain_id } = server.cast.projects['alpha-one']!
    const owner = { project_id, domain_id }
    const front = networkRow(owner, 'front', ['10.5.0.0/24'])
    const shop = balancerRow(owner, 'shop', front, '10.5.0.50', 'shop-port')
    const day = 24 * 3600_000
    const certificateOf = (name: string, days: number) => ({
      ...{ subject: `CN=${name}`, issuer: 'CN=spec', names: [name], fingerprint: name },
      ...{ not_before: new Date(0).toISOString(), not_after: new Date(Date.now() + days * day + 60_000).toISOString() },
    })
    const ending = async (name: string, port: number, days: number, others: [name: string, days: number][] = []) => {
      const certificate = certificateOf(name, days)
      const sni_certificates = others.map(([other, its]) => certificateOf(other, its))
      const tls = { protocol: 'HTTPS', protocol_port: port, tls_enabled: true, certificate, sni_certificates } as const
      await server.tools.inventory
        .from('embedded')
        .transaction((records) => records.put('lb_pool', poolRow(shop, `${name} ${port}`, [], tls)))
    }
    await ending('shop.example', 443, 12)
    await ending('old.example', 8443, -2)
    await ending('fresh.example', 9443, 31)
    await evaluateAlerts(server.tools)
    const found = await about({})
    expect(found.toSorted((a, b) => a.value! - b.value!)).toMatchObject([
      { value: -2, object_part: '8443', details: expect.stringMatching(/old\.example on port 8443 expired on 20/) },
      {
        ...{ state: 'raised', severity: 'warning', group: 'network', threshold: 30, unit: 'days', value: 12 },
        ...{ object_kind: 'load_balancer', object_name: 'shop', object_part: '443', project_id },
        details: expect.stringMatching(/^The certificate for shop\.example on port 443 expires on 20/),
      },
    ])
    expect(await about({}, tenant)).toHaveLength(2)
    expect(await about({}, 'other-member')).toEqual([])
    // another evaluation changes nothing; a new certificate closes the alert
    await ending('shop.example', 443, 90)
    await evaluateAlerts(server.tools)
    const states = (await about({})).map(({ object_part, state }) => [object_part, state])
    expect(Object.fromEntries(states)).toEqual({ 443: 'closed', 8443: 'raised' })
    await server.call(alertRules.save, { as: operator, body: { id: type, threshold: 100 } })
    await evaluateAlerts(server.tools)
    expect(await about({ state: 'raised' })).toHaveLength(3)

    // if a pool has several certificates, the one that expires first counts
    await ending('lasting.example', 7443, 300, [
      ['later.example', 200],
      ['sooner.example', 5],
    ])
    await evaluateAlerts(server.tools)
    expect((await about({ state: 'raised' })).find(({ object_part }) => object_part === '7443')).toMatchObject({
      value: 5,
      details: expect.stringMatching(/^The certificate for sooner\.example on port 7443 expires/),
    })
  },
)
