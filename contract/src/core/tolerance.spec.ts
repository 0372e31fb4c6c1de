import { describe, expect, it } from 'vitest'
import { instances } from '../compute/instances'
import { tolerances } from '../tolerances'
import { volumes } from '../storage/volumes'
import { GiB } from './bytes'
import { alsoNamed, answered, jsonParams, numbers, renamed, rewritten, sizeFilter, sizes } from './tolerance'

describe('a rewrite', () => {
  it('turns another spelling into the preferred one, and leaves what it does not know', () => {
    expect(rewritten({ uuid: 'a', other: 1 }, [renamed({ uuid: 'id' })])).toEqual({ id: 'a', other: 1 })
    expect(rewritten({ count: '2', name: '2' }, [numbers('count')])).toEqual({ count: 2, name: '2' })
    for (const odd of [null, undefined, 'text', 7, [{ uuid: 'a' }]])
      expect(rewritten(odd, [renamed({ uuid: 'id' })])).toEqual(odd)
    expect(rewritten({ count: '1e3' }, [numbers('count')])).toEqual({ count: '1e3' })
  })

  it('two spellings of one field at once are left, to be refused', () => {
    const both = { uuid: 'a', id: 'b' }
    expect(rewritten(both, [renamed({ uuid: 'id' })])).toEqual(both)
  })

  it('names the rows of a page besides, or one answer', () => {
    const rewrites = [alsoNamed({ user_name: 'username' })]
    const row = { id: 'e', user_name: 'u' }
    expect(answered({ data: [row, { id: 'f' }], pages: [] }, rewrites)).toEqual({
      data: [{ ...row, username: 'u' }, { id: 'f' }],
      pages: [],
    })
    expect(answered(row, rewrites)).toEqual({ ...row, username: 'u' })
  })
})

describe('sizes', () => {
  it('a size is GiB up to 512 TiB and bytes from 1 GiB on, as a number or a text', () => {
    const size = (value: unknown) => (rewritten({ size: value }, [sizes('size')]) as { size: unknown }).size
    expect([1, '1', 524_288, '524288'].map(size)).toEqual([GiB, GiB, 524_288 * GiB, 524_288 * GiB])
    expect([GiB, `${GiB}`].map(size)).toEqual([GiB, GiB])
    // what is neither stays, and every schema refuses it
    expect([0, -1, 1.5, 524_289, GiB - 1, '2 GiB', '', null].map(size)).toEqual([
      ...[0, -1, 1.5 * GiB, 524_289, GiB - 1, '2 GiB', '', null],
    ])
    for (const wrong of [0, -1, 1.5, 524_289, GiB - 1, '2 GiB', null])
      expect(volumes.extend.body.safeParse({ size: size(wrong) }).success, String(wrong)).toBe(false)
  })

  it('a filter by size takes both units as well, and refuses what lies between', () => {
    const filter = (value: unknown) => rewritten({ size: value }, [sizeFilter('size')])
    expect(filter('2')).toEqual({ size: `${2 * GiB}` })
    expect(filter(`in:1,${GiB},x`)).toEqual({ size: `in:${GiB},${GiB},x` })
    expect(filter('gte:10')).toEqual({ size: `gte:${10 * GiB}` })
    expect(filter('gte:0')).toEqual({ size: 'gte:0' })
    expect(filter(['1', '2'])).toEqual({ size: ['1', '2'] })
    expect(() => filter('in:1,600000')).toThrow(expect.objectContaining({ code: 'invalid_filter' }))
  })
})

it('parameters may stand in one value of JSON, which is a small object of plain values', () => {
  expect(jsonParams({ limit: '1', params: '{"usage": true, "n": 2}' })).toEqual({ limit: '1', usage: 'true', n: '2' })
  expect(jsonParams({ limit: '1' })).toEqual({ limit: '1' })
  for (const wrong of ['usage', '[1]', 'null', '{"a":[1]}', '{"a":{}}', `{"a":"${'x'.repeat(5000)}"}`])
    expect(() => jsonParams({ params: wrong }), wrong).toThrow(expect.objectContaining({ code: 'validation' }))
})

describe('a new instance', () => {
  const draftOf = (more: object) => {
    const sent = { name: 'web', flavor: 'f', networks: [], ...more }
    return instances.create.body.safeParse(rewritten(sent, tolerances.get(instances.create)?.body))
  }

  it('is asked for in the words of a command line', () => {
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

  it('boots from its only volume, and mounts a disc as one', () => {
    const blank = { source_type: 'blank', volume_size: 1 }
    expect(draftOf({ volumes: [blank] }).data?.volumes).toMatchObject([{ source: 'blank', boot_index: 0 }])
    expect(draftOf({ volumes: [blank, blank] }).success).toBe(false)
    const disc = { source_type: 'image', uuid: 'i', volume_size: '1', device_type: 'cdrom', boot_index: '0' }
    expect(draftOf({ volumes: [disc, { ...blank, boot_index: '-1' }] }).data?.volumes).toMatchObject([
      { source: 'iso', id: 'i', boot_index: 0 },
      { source: 'blank', boot_index: null },
    ])
  })

  it('is refused by name for what means something that is not done', () => {
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
