import { describe, expect, it } from 'vitest'
import { instances } from '../compute/instances'
import { systemAccounts } from '../identity/system-accounts'
import { nodes } from '../infrastructure/nodes'
import { loadBalancers } from '../load-balancing/load-balancers'
import { loadBalancerPools } from '../load-balancing/pools'
import { alerts } from '../monitoring/alerts'
import { networks } from '../networking/networks'
import { notifications } from '../settings/notifications'
import { tolerances } from '../tolerances'
import { ipsecSiteConnections } from '../vpn/connections'
import { storagePolicies } from '../storage/storage-policies'
import { volumes } from '../storage/volumes'
import { GiB } from './bytes'
import type { Endpoint } from './endpoint'
import { MAX_LIMIT } from './lists/paging'
import {
  alsoNamed,
  answered,
  completed,
  jsonParams,
  numbers,
  pem,
  renamed,
  rewritten,
  sizeFilter,
  sizes,
} from './tolerance'

describe('rewrites', () => {
  it('convert other spellings to the preferred one and keep unknown fields', () => {
    expect(rewritten({ uuid: 'a', other: 1 }, [renamed({ uuid: 'id' })])).toEqual({ id: 'a', other: 1 })
    expect(rewritten({ count: '2', name: '2' }, [numbers('count')])).toEqual({ count: 2, name: '2' })
    for (const odd of [null, undefined, 'text', 7, [{ uuid: 'a' }]])
      expect(rewritten(odd, [renamed({ uuid: 'id' })])).toEqual(odd)
    expect(rewritten({ count: '1e3' }, [numbers('count')])).toEqual({ count: '1e3' })
  })

  it('keep a field that is given under both names, so that the schema refuses it', () => {
    const both = { uuid: 'a', id: 'b' }
    expect(rewritten(both, [renamed({ uuid: 'id' })])).toEqual(both)
  })

  it('add other names to the rows of a page, or to a single response', () => {
    const rewrites = [alsoNamed({ user_name: 'username' })]
    const row = { id: 'e', user_name: 'u' }
    expect(answered({ data: [row, { id: 'f' }], pages: [] }, rewrites)).toEqual({
      data: [{ ...row, username: 'u' }, { id: 'f' }],
      pages: [],
    })
    expect(answered(row, rewrites)).toEqual({ ...row, username: 'u' })
  })
})

describe('completed responses', () => {
  it('get the missing default fields and keep existing ones', () => {
    const rewrites = [completed({ tags: [] })]
    expect(answered({ data: [{ id: 'a' }, { id: 'b', tags: ['x'] }] }, rewrites)).toEqual({
      data: [
        { id: 'a', tags: [] },
        { id: 'b', tags: ['x'] },
      ],
    })
  })
})

describe('certificates', () => {
  const text = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
  const key = text.replaceAll('CERTIFICATE', 'PRIVATE KEY')

  it('are accepted as PEM and as base64 of PEM; other values are kept', () => {
    const read = (certificate: unknown) => (rewritten({ certificate }, [pem('certificate')]) as typeof body).certificate
    const body = { certificate: '' as unknown }
    const encoded = btoa(text)
    for (const same of [text, encoded, `${encoded.slice(0, 40)}\n${encoded.slice(40)}\n`]) expect(read(same)).toBe(text)
    for (const odd of ['AAAA', '!', '', 'A', null, 7, [encoded], btoa('x'.repeat(100)), encoded.repeat(2000)])
      expect(read(odd)).toEqual(odd)
  })

  it('of a pool enable TLS termination if, and only if, the backend protocol is HTTP', () => {
    const pool = { loadbalancer_id: 'l', protocol: 'HTTPS', protocol_port: 443, certificate: btoa(text) }
    const rewrites = tolerances.get(loadBalancerPools.create)?.body
    const read = (more: object) => rewritten({ ...pool, private_key: btoa(key), ...more }, rewrites)
    const ended = { tls_enabled: true, certificate: text, private_key: key }
    expect(loadBalancerPools.create.body.parse(read({ backend_protocol: 'HTTP' }))).toMatchObject(ended)
    expect(read({ backend_protocol: 'HTTP', tls_enabled: 'false' })).toMatchObject(ended)
    expect(read({ backend_protocol: 'HTTPS' })).not.toHaveProperty('tls_enabled')
    expect(read({ backend_protocol: 'HTTP', certificate: undefined })).not.toHaveProperty('tls_enabled')
    // also for a pool that is created with its load balancer
    const made = rewritten(
      { pools: [{ ...pool, backend_protocol: 'HTTP' }] },
      tolerances.get(loadBalancers.create)?.body,
    )
    expect(made).toMatchObject({ pools: [{ tls_enabled: true, certificate: text }] })
  })
})

describe('unset fields', () => {
  it('may be null for endpoint groups of a VPN connection that have no ID yet', () => {
    const group = { id: null, name: 'peer', type: 'cidr', endpoints: ['10.0.0.0/8'] }
    for (const call of [ipsecSiteConnections.create, ipsecSiteConnections.update, ipsecSiteConnections.put]) {
      const read = (sent: object) => rewritten(sent, tolerances.get(call)?.body)
      const { id: _, ...known } = group
      expect(read({ peer_ep_group: group, local_ep_group: group })).toEqual({
        ...{ peer_ep_group: known, local_ep_group: known },
      })
      // an ID is refused as an unknown field
      expect(read({ peer_ep_group: { ...group, id: 'g' } })).toEqual({ peer_ep_group: { ...group, id: 'g' } })
    }
  })

  it('may be null in email settings, which then stay unchanged', () => {
    const rewrites = tolerances.get(notifications.save)?.body
    const unset = { from: null, sender_name: null, email_recipients_list: null, alerts_severities: ['error'] }
    expect(
      rewritten({ notification_settings: unset, smtp_settings: { port: '25', password: null } }, rewrites),
    ).toEqual({ notification_settings: { alerts_severities: ['error'] }, smtp_settings: { port: 25 } })
  })
})

describe('networks', () => {
  it('shared with all domains are shared with all projects', () => {
    for (const call of [networks.createPublic, networks.createVlan, networks.update]) {
      const read = (policy: object) => rewritten({ rbac_policies: [policy] }, tolerances.get(call)?.body)
      const actions = ['direct', 'routed']
      expect(read({ target_domain: '*', actions })).toEqual({ rbac_policies: [{ target_project: '*', actions }] })
      expect(read({ target_domain: 'd', actions })).toEqual({ rbac_policies: [{ target_domain: 'd', actions }] })
    }
  })
})

describe('sizes', () => {
  it('are read as GiB up to 512 TiB and as bytes from 1 GiB, whether sent as a number or a string', () => {
    const size = (value: unknown) => (rewritten({ size: value }, [sizes('size')]) as { size: unknown }).size
    expect(rewritten({ size: 4 }, tolerances.get(volumes.clone)?.body)).toEqual({ size: 4 * GiB })
    expect([1, '1', 524_288, '524288'].map(size)).toEqual([GiB, GiB, 524_288 * GiB, 524_288 * GiB])
    expect([GiB, `${GiB}`].map(size)).toEqual([GiB, GiB])
    // other values are kept and refused by every schema
    expect([0, -1, 1.5, 524_289, GiB - 1, '2 GiB', '', null].map(size)).toEqual([
      ...[0, -1, 1.5 * GiB, 524_289, GiB - 1, '2 GiB', '', null],
    ])
    for (const wrong of [0, -1, 1.5, 524_289, GiB - 1, '2 GiB', null])
      expect(volumes.extend.body.safeParse({ size: size(wrong) }).success, String(wrong)).toBe(false)
  })

  it('in a filter may use either unit, and are refused between the two ranges', () => {
    const filter = (value: unknown) => rewritten({ size: value }, [sizeFilter('size')])
    expect(filter('2')).toEqual({ size: `${2 * GiB}` })
    expect(filter(`in:1,${GiB},x`)).toEqual({ size: `in:${GiB},${GiB},x` })
    expect(filter('gte:10')).toEqual({ size: `gte:${10 * GiB}` })
    expect(filter('gte:0')).toEqual({ size: 'gte:0' })
    expect(filter(['1', '2'])).toEqual({ size: ['1', '2'] })
    expect(() => filter('in:1,600000')).toThrow(expect.objectContaining({ code: 'invalid_filter' }))
  })
})

it('query parameters may be sent as a small flat JSON object', () => {
  expect(jsonParams({ limit: '1', params: '{"usage": true, "n": 2}' })).toEqual({ limit: '1', usage: 'true', n: '2' })
  expect(jsonParams({ limit: '1' })).toEqual({ limit: '1' })
  for (const wrong of ['usage', '[1]', 'null', '{"a":[1]}', '{"a":{}}', `{"a":"${'x'.repeat(5000)}"}`])
    expect(() => jsonParams({ params: wrong }), wrong).toThrow(expect.objectContaining({ code: 'validation' }))
})

it('lists that clients read only once return all rows, unless a limit is given', () => {
  const read = (call: Endpoint, query: object) => rewritten(query, tolerances.get(call)?.query)
  for (const call of [storagePolicies.list, nodes.list, systemAccounts.list]) {
    expect(read(call, {})).toMatchObject({ limit: MAX_LIMIT })
    expect(read(call, { limit: '5' })).toMatchObject({ limit: '5' })
  }
  // the alert grid, which also requests disabled alerts
  expect(read(alerts.list, { params: '{}' })).toMatchObject({ limit: MAX_LIMIT })
  expect(read(alerts.list, {})).not.toHaveProperty('limit')
})

describe('new instance', () => {
  const draftOf = (more: object) => {
    const sent = { name: 'web', flavor: 'f', networks: [], ...more }
    return instances.create.body.safeParse(rewritten(sent, tolerances.get(instances.create)?.body))
  }

  it('accepts the field names of command-line clients', () => {
    const disk = { source_type: 'image', uuid: 'i', volume_size: '4', disk_bus: 'virtio', device_type: 'disk' }
    const { data } = draftOf({
      ...{ ha_enabled: 'true', config_drive: true, uefi: false, count: '2' },
      networks: [{ network_id: 'n', spoofing_protection: 'true' }],
      volumes: [{ ...disk, delete_on_termination: 'false', storage_policy_name: 'fast' }],
    })
    expect(data).toMatchObject({
      ...{ count: 2, ha_enabled: true, networks: [{ id: 'n', spoofing_protection: true }] },
      volumes: [{ source: 'image', id: 'i', size: 4 * GiB, boot_index: 0, rm: false, storage_policy_name: 'fast' }],
    })
  })

  it('boots from its only volume, and attaches a CD-ROM image as one', () => {
    const blank = { source_type: 'blank', volume_size: 1 }
    expect(draftOf({ volumes: [blank] }).data?.volumes).toMatchObject([{ source: 'blank', boot_index: 0 }])
    expect(draftOf({ volumes: [blank, blank] }).success).toBe(false)
    const disc = { source_type: 'image', uuid: 'i', volume_size: '1', device_type: 'cdrom', boot_index: '0' }
    expect(draftOf({ volumes: [disc, { ...blank, boot_index: '-1' }] }).data?.volumes).toMatchObject([
      { source: 'iso', id: 'i', boot_index: 0 },
      { source: 'blank', boot_index: null },
    ])
  })

  it('refuses fields with an effect that is not supported', () => {
    const disk = { source_type: 'blank', volume_size: 1 }
    for (const more of [
      { uefi: true },
      { networks: [{ port_id: 'p', mac_addr: '52:54:00:12:34:56' }] },
      { colour: 'red' },
    ])
      expect(draftOf({ volumes: [disk], ...more }).success, JSON.stringify(more)).toBe(false)
    expect(draftOf({ volumes: [{ ...disk, disk_bus: 'scsi', id: 'a', uuid: 'b' }] }).success).toBe(false)
  })
})
