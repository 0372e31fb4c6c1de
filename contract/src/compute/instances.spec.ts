import { englishText } from '../core/english'
import { expect, test } from 'vitest'
import { GiB } from '../core/bytes'
import { MacAddress } from '../networking/mac-address'
import { InstanceDraft } from './instances'

const draft = {
  name: 'web',
  flavor: 's1.nano',
  volumes: [{ source: 'image', id: 'an-image', size: GiB }],
  networks: [],
}
const refusedAt = (change: object): string[] =>
  (InstanceDraft.safeParse({ ...draft, ...change }).error?.issues ?? []).map(({ path }) => path.join('.'))

test('accepts a MAC address only as six colon-separated hex octets of a unicast address [VA-033]', () => {
  expect(MacAddress.parse('52:54:00:AB:cd:01')).toBe('52:54:00:ab:cd:01')
  for (const text of [
    '',
    '52:54:00:ab:cd',
    '52-54-00-ab-cd-01',
    '52:54:00:ab:cd:0g',
    '53:54:00:ab:cd:01',
    '525400abcd01',
    '52:54:00:ab:cd:01zz',
    '52:54:00:ab:cd:01:02',
    'zz52:54:00:ab:cd:01',
    ' 52:54:00:ab:cd:01',
    '52:54:00:ab:cd:01\n',
    '5:54:00:ab:cd:011',
  ]) {
    expect(MacAddress.safeParse(text).success).toBe(false)
  }
})

test('fills in defaults for omitted fields of a draft', () => {
  expect(InstanceDraft.parse(draft)).toMatchObject({
    count: 1,
    description: '',
    key_name: null,
    user_data: null,
    tags: [],
    ha_enabled: true,
    volumes: [{ boot_index: 0, rm: true }],
  })
})

test('reports the invalid field in a draft', () => {
  expect(refusedAt({ name: '1web' })).toEqual(['name'])
  expect(refusedAt({ count: 0 })).toEqual(['count'])
  expect(refusedAt({ count: 21 })).toEqual(['count'])
  expect(refusedAt({ volumes: [] })).toContain('volumes')
  expect(refusedAt({ volumes: [{ source: 'blank', size: GiB }] })).toEqual(['volumes'])
  expect(refusedAt({ volumes: [...draft.volumes, ...draft.volumes] })).toEqual(['volumes'])
  expect(refusedAt({ volumes: [{ source: 'image', id: 'x', size: GiB + 1 }] })).toEqual(['volumes.0.size'])
  expect(refusedAt({ networks: [{ id: 'n', fixed_ips: [{ ip_address: '10.0.0.256' }] }] })).toEqual([
    'networks.0.fixed_ips.0.ip_address',
  ])
  const script = (bytes: number) => Buffer.alloc(bytes, '#').toString('base64')
  expect(refusedAt({ user_data: script(48 * 1024) })).toEqual([])
  // some command-line tools wrap base64 like this
  expect(refusedAt({ user_data: `${script(48 * 1024).replaceAll(/(.{76})/g, '$1\n')}\n` })).toEqual([])
  expect(refusedAt({ user_data: script(48 * 1024 + 1) })).toEqual(['user_data'])
  const tooLong = InstanceDraft.safeParse({ ...draft, user_data: script(50_000) }).error!.issues[0]!.message
  expect(englishText(tooLong)).toBe('Use at most 48 KiB of text (65536 characters in base64)')
  expect(refusedAt({ user_data: 'not base64!' })).toEqual(['user_data'])
  expect(refusedAt({ surprise: 1 })).toEqual([''])
})

test('several instances cannot share an address or an existing volume', () => {
  expect(refusedAt({ count: 2, networks: [{ id: 'n', mac: '52:54:00:00:00:01' }] })).toEqual(['count'])
  expect(refusedAt({ count: 2, volumes: [{ source: 'volume', id: 'v', boot_index: 0 }] })).toEqual(['count'])
  expect(refusedAt({ count: 2, networks: [{ id: 'n' }] })).toEqual([])
})
